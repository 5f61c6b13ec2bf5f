//! The scenarios and what is prepared once for each of them.

use rea::answer::{Engine, EngineOptions};
use rea::capture::{Capture, InspectOptions, load_capture};
use rea::manifest::{DEFAULT_BUILD_RULES, project_manifest};
use std::path::PathBuf;
use std::sync::Arc;

/// The scenarios, each a folder of `scenarios/` that holds `capture.har`.
pub const SCENARIOS: [&str; 13] = [
    "changedetection",
    "ghost",
    "ihatemoney",
    "jupyter-server",
    "label-studio",
    "mlflow",
    "n8n",
    "nautobot",
    "prefect",
    "rabbitmq",
    "readme",
    "strapi",
    "wordpress",
];

/// A scenario with everything that its products are made from.
pub struct Scenario {
    /// The environment that replays.
    pub engine: Arc<Engine>,
    /// The environment that answers from its state, as the server holds it by default.
    pub live: Arc<Engine>,
}

impl Scenario {
    /// Prepares the scenario called `name` from its capture.
    pub fn prepare(name: &str) -> Result<Self, String> {
        let capture = capture(name)?;
        let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).map_err(|error| error.to_string())?;
        let prepare = |replay_only| {
            let options = EngineOptions { replay_only, name: Some(name.to_owned()) };
            Engine::new(capture.clone(), manifest.clone(), &options).map(Arc::new).map_err(|error| error.to_string())
        };
        Ok(Self { engine: prepare(true)?, live: prepare(false)? })
    }
}

/// The scenario's capture, labelled so that no path of this machine gets into a golden.
fn capture(name: &str) -> Result<Capture, String> {
    let label = format!("scenarios/{name}/capture.har");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&label);
    let options = InspectOptions { label: Some(label), ..InspectOptions::default() };
    load_capture(&path, &options).map_err(|error| error.to_string())
}
