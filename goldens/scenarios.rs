//! The scenarios and what is prepared once for each of them.

use rea::answer::{Engine, EngineOptions};
use rea::capture::{Capture, InspectOptions, load_capture};
use rea::manifest::{DEFAULT_BUILD_RULES, project_manifest};
use std::path::PathBuf;
use std::sync::Arc;

/// The scenarios, each a folder of `scenarios/` that holds `capture.har`.
pub const SCENARIOS: [&str; 8] =
    ["ghost", "jupyter-server", "label-studio", "n8n", "nautobot", "prefect", "rabbitmq", "readme"];

/// A scenario with everything that its products are made from.
pub struct Scenario {
    /// The environment, as the server holds it.
    pub engine: Arc<Engine>,
}

impl Scenario {
    /// Prepares the scenario called `name` from its capture.
    pub fn prepare(name: &str) -> Result<Self, String> {
        let capture = capture(name)?;
        let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).map_err(|error| error.to_string())?;
        let options = EngineOptions { replay_only: true, name: Some(name.to_owned()) };
        let engine = Engine::new(capture, manifest, &options).map_err(|error| error.to_string())?;
        Ok(Self { engine: Arc::new(engine) })
    }
}

/// The scenario's capture, labelled so that no path of this machine gets into a golden.
fn capture(name: &str) -> Result<Capture, String> {
    let label = format!("scenarios/{name}/capture.har");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&label);
    let options = InspectOptions { label: Some(label), ..InspectOptions::default() };
    load_capture(&path, &options).map_err(|error| error.to_string())
}
