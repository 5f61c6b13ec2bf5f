//! `rea environment-export <manifest> --evidence <capture> <directory>`: a pair as a bundle.

use super::arguments::CaptureArguments;
use super::bundling::{BundleArguments, bundling, described, reported};
use super::ending::Ending;
use super::output::Output;
use crate::bundle::{ExportOptions, export};
use clap::Args;
use std::path::PathBuf;

/// The operation that errors and progress name.
const OPERATION: &str = "environment-export";

/// Write a manifest and its capture as a bundle: a folder that the agentenv framework builds and runs
#[derive(Args, Debug)]
pub struct Arguments {
    /// A manifest when --evidence names its capture; else a capture (.har or capture Evidence) or a bundle folder
    #[arg(value_name = "MANIFEST")]
    input: PathBuf,
    /// The folder to write: absent or empty, in a folder that is there
    directory: PathBuf,
    /// The capture Evidence that the manifest was projected from
    #[arg(long, value_name = "CAPTURE")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    bundle: BundleArguments,
    // Last, because its heading would stand over what follows.
    #[command(flatten)]
    reading: CaptureArguments,
}

impl Arguments {
    /// Writes the bundle.
    pub fn run(self, output: &Output) -> Ending {
        let options = ExportOptions {
            package: self.bundle.package(),
            provider: self.bundle.provider(),
            with_state: self.bundle.with_state,
            reading: self.reading.options(),
            name: self.bundle.name,
            input: self.input,
            evidence: self.evidence,
            directory: self.directory,
        };
        let people = output.for_people();
        bundling(
            OPERATION,
            output,
            move |control| export(&options, control),
            move |report| reported(report.to_value(), people.then(|| described(&report))),
        )
    }
}
