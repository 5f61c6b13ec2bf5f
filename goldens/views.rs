//! The state and coverage views of a scenario, indented so that a change to one can be read.

use super::scenarios::Scenario;
use rea::evidence::Evidence;
use rea::json::{parse, write_pretty};
use rea::manifest::{ViewKind, ViewRequest};
use rea::state::inspect_environment_view;

/// The state Evidence; its id is the one that the server reports.
pub fn state(scenario: &Scenario) -> Result<Vec<u8>, String> {
    let evidence = view(scenario, ViewKind::State)?;
    let served = scenario.live.state.to_object();
    let served = served.get("evidence_id").and_then(|id| id.as_str()).unwrap_or_default();
    if served != evidence.evidence_id {
        return Err(format!("the view is {}, the server serves {:?}", evidence.evidence_id, scenario.live.state));
    }
    printed(&evidence)
}

/// The coverage Evidence.
pub fn coverage(scenario: &Scenario) -> Result<Vec<u8>, String> {
    printed(&view(scenario, ViewKind::Coverage)?)
}

fn view(scenario: &Scenario, kind: ViewKind) -> Result<Evidence, String> {
    let rules = scenario.live.manifest.template_rules.clone();
    let request = ViewRequest { kind, rules, capture: scenario.live.capture.clone() };
    inspect_environment_view(&request).map_err(|error| error.to_string())
}

fn printed(evidence: &Evidence) -> Result<Vec<u8>, String> {
    let document = parse(&evidence.to_compact_bytes()).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    write_pretty(&document, &mut bytes);
    bytes.push(b'\n');
    Ok(bytes)
}
