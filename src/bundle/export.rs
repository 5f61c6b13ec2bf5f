//! `environment-export`: the pair as a bundle.

use super::name::{EnvProvider, objection};
use super::package_source::{PackageChoice, resolve};
use super::plan::{Content, Plan, PlanInput, plan};
use super::report::ExportReport;
use super::source::{Source, of_export};
use super::write::{check_destination, write_bundle};
use super::{BundleError, Control, Stage, warnings};
use crate::answer::{Engine, EngineOptions};
use crate::capture::InspectOptions;
use crate::evidence::ErrorDocument;
use crate::json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What an export is asked.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// A manifest, a capture, or a bundle folder.
    pub input: PathBuf,
    /// The capture of the manifest.
    pub evidence: Option<PathBuf>,
    /// The bundle's folder.
    pub directory: PathBuf,
    /// The bundle's name; `None` is the manifest's.
    pub name: Option<String>,
    /// Where the program comes from.
    pub package: PackageChoice,
    /// How the framework runs the environment.
    pub provider: EnvProvider,
    /// Whether the derived state and a task that loads it are added.
    pub with_state: bool,
    /// How a HAR is inspected.
    pub reading: InspectOptions,
}

/// Writes the bundle of a pair.
///
/// # Errors
/// Every refusal of the input, the name, the package, the catalog and the folder; what went wrong while writing, with what
/// was left.
pub fn export(options: &ExportOptions, control: &Control) -> Result<ExportReport, BundleError> {
    control.begin(Stage::Export)?;
    check_destination(&options.directory)?;
    if let Some(name) = &options.name {
        check_name(name, options.provider, Stage::Export)?;
    }
    let source = of_export(&options.input, options.evidence.as_deref(), &options.reading, control)?;
    control.check()?;
    let name = options.name.clone().unwrap_or_else(|| source.manifest.name.clone());
    check_name(&name, options.provider, Stage::Export)?;
    let warnings = warnings::of_capture(&source.capture);
    let (_, plan) = prepare(source, &name, &options.into(), control)?;
    let files = ExportReport::files_of(&plan.files);
    let directory = write_bundle(&options.directory, &plan.files, control)?;
    Ok(ExportReport {
        status: "exported",
        directory: Some(directory),
        name: plan.name,
        state: plan.state,
        tool_count: plan.tool_count,
        package_source: plan.package_source,
        files,
        warnings,
    })
}

/// What the bundle stage needs to know of its options.
#[derive(Clone, Debug)]
pub(super) struct BundleChoices {
    pub(super) package: PackageChoice,
    pub(super) provider: EnvProvider,
    pub(super) with_state: bool,
}

impl From<&ExportOptions> for BundleChoices {
    fn from(options: &ExportOptions) -> Self {
        Self { package: options.package.clone(), provider: options.provider, with_state: options.with_state }
    }
}

/// Prepares the environment as the bundle's server will at its start under `name`, and plans the bundle.
///
/// # Errors
/// As [`export`], but for the folder.
pub(super) fn prepare(
    source: Source,
    name: &str,
    choices: &BundleChoices,
    control: &Control,
) -> Result<(Engine, Plan), BundleError> {
    check_values(&source)?;
    let package = resolve(&choices.package)?;
    control.check()?;
    let Source { capture, manifest, evidence_content, manifest_content } = source;
    let options = EngineOptions { replay_only: false, name: Some(name.to_owned()) };
    let engine = Engine::new(capture, manifest, &options)
        .map_err(|error| BundleError::in_stage(Stage::Export, ErrorDocument::from(&error)))?;
    control.check()?;
    let input = PlanInput {
        package,
        provider: choices.provider,
        with_state: choices.with_state,
        evidence: evidence_content,
        manifest: manifest_content,
    };
    let plan = plan(&engine, input)?;
    control.check()?;
    Ok((engine, plan))
}

/// Plans the bundle of a prepared environment, under the environment's name.
///
/// # Errors
/// A name that is no bundle's, a package that cannot be shipped, a state that is asked for and not there.
pub fn plan_bundle(
    engine: &Engine,
    package: &PackageChoice,
    provider: EnvProvider,
    with_state: bool,
) -> Result<Plan, BundleError> {
    check_name(&engine.name, provider, Stage::Export)?;
    let evidence = Content::Evidence(Arc::clone(&engine.capture.evidence));
    let manifest = Content::Evidence(Arc::clone(&engine.manifest.evidence));
    plan(engine, PlanInput { package: resolve(package)?, provider, with_state, evidence, manifest })
}

/// Checks that a name can be a bundle's.
///
/// # Errors
/// Why it cannot.
pub(super) fn check_name(name: &str, provider: EnvProvider, stage: Stage) -> Result<(), BundleError> {
    match objection(name, provider) {
        None => Ok(()),
        Some(reason) => Err(BundleError::Name { stage, name: name.to_owned(), reason }),
    }
}

/// A capture that values were removed from is not whole; the views refuse it, and so does a pair that holds it.
fn check_values(source: &Source) -> Result<(), BundleError> {
    let removed = source.capture.evidence.parameters.get("sensitive_value_count").and_then(Value::as_number);
    match removed.filter(|count| count.as_i64() != Some(0)) {
        None => Ok(()),
        Some(count) => Err(BundleError::SensitiveValues { count: count.as_str().to_owned() }),
    }
}

/// The absolute form of a path, without `.` in it.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
