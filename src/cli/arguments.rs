//! Arguments that several commands take.

use crate::capture::{
    DEFAULT_CAPTURE_TIMEOUT_MS, InspectOptions, MAX_ALLOWED_NESTING, MAX_CAPTURE_BYTES, MAX_CAPTURE_NESTING,
    MAX_RESULT_BYTES,
};
use clap::Args;
use std::path::PathBuf;

/// How a capture is inspected, for commands that take a HAR.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading a capture")]
pub struct CaptureArguments {
    /// Path written into the Evidence instead of the given one
    #[arg(long, value_name = "PATH")]
    pub capture_label: Option<String>,
    /// Milliseconds that reading a HAR may take
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(help = format!("Milliseconds that reading a HAR may take [default: {DEFAULT_CAPTURE_TIMEOUT_MS}]"))]
    pub capture_timeout_ms: Option<u64>,
    /// Bytes of the largest HAR that is read
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(help = format!("Bytes of the largest HAR that is read [default: {MAX_CAPTURE_BYTES}]"))]
    pub capture_max_bytes: Option<u64>,
    /// Levels of the deepest nesting in a HAR
    #[arg(long, value_name = "LEVELS", value_parser = nesting)]
    #[arg(help = format!("Levels of the deepest nesting in a HAR [default: {MAX_CAPTURE_NESTING}]"))]
    pub capture_max_nesting: Option<usize>,
    /// Bytes of the largest result of reading a HAR
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(help = format!("Bytes of the largest result of reading a HAR [default: {MAX_RESULT_BYTES}]"))]
    pub capture_max_result_bytes: Option<u64>,
}

fn nesting(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(levels) if (1..=MAX_ALLOWED_NESTING).contains(&levels) => Ok(levels),
        _ => Err(format!("a number of levels from 1 to {MAX_ALLOWED_NESTING}")),
    }
}

impl CaptureArguments {
    /// The options of the library.
    pub fn options(&self) -> InspectOptions {
        InspectOptions {
            timeout_ms: self.capture_timeout_ms,
            label: self.capture_label.clone(),
            max_bytes: self.capture_max_bytes,
            max_nesting: self.capture_max_nesting,
            max_result_bytes: self.capture_max_result_bytes,
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
