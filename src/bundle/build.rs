//! `environment-build`: one capture to a bundle. Composes inspection, projection and the export; every file is the one that
//! the separate commands write.

use super::export::{BundleChoices, absolute, check_name, prepare};
use super::name::{EnvProvider, is_nameless, is_portable, of_file};
use super::package_source::PackageChoice;
use super::report::{BuildReport, ExportReport, Warning};
use super::source::{capture_of_build, of_capture};
use super::write::{check_destination, write_bundle};
use super::{BundleError, Control, Stage, warnings};
use crate::capture::{CaptureInput, InspectOptions};
use crate::manifest::{Manifest, TemplateRule};
use crate::state::coverage_of;
use std::path::{Path, PathBuf};

/// What a build is asked.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// A HAR or capture Evidence.
    pub capture: PathBuf,
    /// The bundle's folder; may be left out of a dry run.
    pub directory: Option<PathBuf>,
    /// The opt-in template rules, in their order.
    pub rules: Vec<TemplateRule>,
    /// The bundle's name; `None` takes the manifest's, or the file's where the origin has none.
    pub name: Option<String>,
    /// Where the program comes from.
    pub package: PackageChoice,
    /// How the framework runs the environment.
    pub provider: EnvProvider,
    /// Whether the derived state and a task that loads it are added.
    pub with_state: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// How a HAR is inspected.
    pub reading: InspectOptions,
}

/// Builds the bundle of a capture.
///
/// # Errors
/// Every refusal, under the stage that made it; what went wrong while writing, with what was left.
pub fn build(options: &BuildOptions, control: &Control) -> Result<BuildReport, BundleError> {
    control.begin(Stage::Build)?;
    let directory = match (&options.directory, options.dry_run) {
        (None, false) => return Err(BundleError::NoDirectory),
        (Some(directory), false) => {
            check_destination(directory)?;
            Some(directory)
        }
        (directory, true) => directory.as_ref(),
    };
    if let Some(name) = &options.name {
        check_name(name, options.provider, Stage::Build)?;
    }
    let (capture, bytes) = capture_of_build(&options.capture, &options.reading, control)?;
    control.begin(Stage::View)?;
    let source = of_capture(capture, bytes, &options.rules, Stage::Build)?;
    control.begin(Stage::Export)?;
    let (name, named) = name_of(options, &source.manifest)?;
    let input = match source.capture.input {
        CaptureInput::Har => "har",
        CaptureInput::Evidence => "evidence",
    };
    let mut warnings: Vec<Warning> = named.into_iter().collect();
    warnings.extend(warnings::of_capture(&source.capture));
    let choices =
        BundleChoices { package: options.package.clone(), provider: options.provider, with_state: options.with_state };
    let (engine, plan) = prepare(source, &name, &choices, control)?;
    let (capture, manifest) = (&engine.capture, &engine.manifest);
    let coverage = engine.derived.as_ref().map(|derived| coverage_of(derived, capture, manifest).to_object());
    let files = ExportReport::files_of(&plan.files);
    let (status, directory) = match directory {
        Some(directory) if !options.dry_run => ("built", Some(write_bundle(directory, &plan.files, control)?)),
        directory => ("planned", directory.map(|path| absolute(path).display().to_string())),
    };
    Ok(BuildReport {
        capture_evidence_id: capture.evidence.evidence_id.clone(),
        capture_operation: capture.evidence.operation.clone(),
        capture_records: capture.records.len(),
        capture_input: input,
        manifest_evidence_id: manifest.evidence.evidence_id.clone(),
        manifest_tools: manifest.tools.len(),
        excluded_groups: manifest.excluded_groups.len(),
        template_rules: manifest.template_rules.clone(),
        coverage,
        bundle: ExportReport {
            status,
            directory,
            name: plan.name,
            state: plan.state,
            tool_count: plan.tool_count,
            package_source: plan.package_source,
            files,
            warnings,
        },
    })
}

/// The bundle's name: the one given, the manifest's, or the capture file's with the warning that says so.
fn name_of(options: &BuildOptions, manifest: &Manifest) -> Result<(String, Option<Warning>), BundleError> {
    if let Some(name) = &options.name {
        return Ok((name.clone(), None));
    }
    if !is_nameless(&manifest.origin) {
        check_name(&manifest.name, options.provider, Stage::Build)?;
        return Ok((manifest.name.clone(), None));
    }
    let name = of_file(&options.capture);
    if !is_portable(&name) {
        return Err(BundleError::FileName { file: file_name(&options.capture), origin: manifest.origin.clone() });
    }
    check_name(&name, options.provider, Stage::Build)?;
    let warning = warnings::name_from_file(&name, &manifest.origin);
    Ok((name, Some(warning)))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
