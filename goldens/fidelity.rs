//! The comparison report of a scenario with its probes, indented so that a change to it can be read.

use super::scenarios::Scenario;
use rea::capture::{InspectOptions, load_capture};
use rea::compare::{Probe, compare};
use rea::json::write_pretty;
use rea::report::to_json;
use std::path::PathBuf;

/// The report. A scenario without probes is compared with its own capture.
pub fn report(scenario: &Scenario) -> Result<Vec<u8>, String> {
    let engine = &scenario.engine;
    let mut probes = Vec::new();
    for name in ["reads", "crud"] {
        let label = format!("probes/{}/{name}.har", engine.name);
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&label);
        if !path.is_file() {
            continue;
        }
        // The label keeps paths of this machine out of the golden.
        let options = InspectOptions { label: Some(label), ..InspectOptions::default() };
        let capture = load_capture(&path, &options).map_err(|error| error.to_string())?;
        probes.push(Probe::new(name, capture).map_err(|error| error.to_string())?);
    }
    if probes.is_empty() {
        probes.push(Probe::new("capture", engine.capture.clone()).map_err(|error| error.to_string())?);
    }
    let comparison = compare(engine, None, &probes, &|_| {}).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    write_pretty(&to_json(&comparison), &mut bytes);
    bytes.push(b'\n');
    Ok(bytes)
}
