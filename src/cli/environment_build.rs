//! `rea environment-build <capture> [directory]`: one capture to a bundle that the agentenv framework runs.

use super::arguments::CaptureArguments;
use super::bundling::{BundleArguments, bundling, described, reported};
use super::ending::Ending;
use super::environment_views;
use super::output::Output;
use crate::bundle::{BuildOptions, BuildReport, build};
use crate::evidence::ErrorDocument;
use crate::manifest::{DEFAULT_BUILD_RULES, ManifestError, TemplateRule, parse_rules};
use clap::Args;
use std::path::PathBuf;

/// The operation that errors and progress name.
const OPERATION: &str = "environment-build";

/// Turn one recorded capture into a bundle: a folder that the agentenv framework builds and runs
#[derive(Args, Debug)]
pub struct Arguments {
    /// A HAR, or capture Evidence
    capture: PathBuf,
    /// The folder to write: absent or empty, in a folder that is there
    directory: Option<PathBuf>,
    /// An opt-in template rule (repeatable; replaces the default, which is all of them)
    #[arg(long = "template-rule", value_name = "RULE")]
    template_rules: Vec<String>,
    /// Apply no opt-in template rule
    #[arg(long, conflicts_with = "template_rules")]
    format_rules_only: bool,
    /// Run every stage and report what would be written, without writing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    bundle: BundleArguments,
    // Last, because its heading would stand over what follows.
    #[command(flatten)]
    reading: CaptureArguments,
}

impl Arguments {
    /// Builds the bundle.
    pub fn run(self, output: &Output) -> Ending {
        let options = match self.options() {
            Ok(options) => options,
            Err(error) => return Ending::refused(&ErrorDocument::from(&error)),
        };
        let people = output.for_people();
        bundling(
            OPERATION,
            output,
            move |control| build(&options, control),
            move |report| reported(report.to_value(), people.then(|| text(&report))),
        )
    }

    fn options(self) -> Result<BuildOptions, ManifestError> {
        Ok(BuildOptions {
            rules: self.rules()?,
            package: self.bundle.package(),
            provider: self.bundle.provider(),
            with_state: self.bundle.with_state,
            reading: self.reading.options(),
            name: self.bundle.name,
            capture: self.capture,
            directory: self.directory,
            dry_run: self.dry_run,
        })
    }

    fn rules(&self) -> Result<Vec<TemplateRule>, ManifestError> {
        match (self.format_rules_only, self.template_rules.as_slice()) {
            (true, _) => Ok(Vec::new()),
            (false, []) => Ok(DEFAULT_BUILD_RULES.to_vec()),
            (false, rules) => parse_rules(rules.iter().map(String::as_str)),
        }
    }
}

/// The report for people: the bundle, and what of the capture it serves.
fn text(report: &BuildReport) -> String {
    let coverage = report.coverage.as_ref().map(environment_views::coverage);
    format!("{}{}", described(&report.bundle), coverage.map(|text| format!("\n{text}")).unwrap_or_default())
}
