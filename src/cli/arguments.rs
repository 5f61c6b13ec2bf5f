//! Arguments that several commands take.

use crate::capture::InspectOptions;
use clap::Args;
use std::path::PathBuf;

/// How a capture is inspected, for commands that take a HAR.
#[derive(Args, Clone, Debug, Default)]
pub struct CaptureArguments {
    /// Path written into the Evidence instead of the given one
    #[arg(long, value_name = "PATH")]
    pub capture_label: Option<String>,
    /// Milliseconds that reading a HAR may take
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub capture_timeout_ms: Option<u64>,
}

impl CaptureArguments {
    /// The options of the library.
    pub fn options(&self) -> InspectOptions {
        InspectOptions {
            timeout_ms: self.capture_timeout_ms,
            label: self.capture_label.clone(),
            ..InspectOptions::default()
        }
    }
}

/// What an environment is made from: a manifest with its capture, or a capture alone.
#[derive(Args, Clone, Debug)]
pub struct EnvironmentArguments {
    /// A capture (.har or capture Evidence), or a manifest when --evidence names its capture
    #[arg(value_name = "CAPTURE")]
    pub capture: PathBuf,
    /// The capture Evidence that the manifest was projected from
    #[arg(long, value_name = "CAPTURE")]
    pub evidence: Option<PathBuf>,
}
