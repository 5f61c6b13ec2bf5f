//! What must hold for every scenario: deriving is deterministic, and what is kept reproduces what was recorded.

use super::recording::{Made, scenario};
use crate::capture::is_success;
use crate::json::parse;
use crate::state::derive::derive_observed;
use crate::state::observe::{Seen, is_read, observe};
use crate::state::parallel::threads;
use crate::state::types::View;
use crate::state::{Read, ReadAnswer, World, evaluate_read, load_state, write_state_document};
use rstest::rstest;

/// The answer of the state to a recorded call.
fn answer(made: &Made, seen: &Seen) -> ReadAnswer {
    let path = made.capture.records[seen.record].request.as_ref().map_or("", |request| request.path.as_str());
    let read = Read { tool: seen.tool, parameters: &seen.parameters, path, line: seen.line.as_ref() };
    evaluate_read(&made.derived, &made.derived.world, read)
}

/// Whether a view says that it reproduced this call.
fn covers(made: &Made, seen: &Seen, before: usize) -> bool {
    let Some(line) = &seen.line else { return false };
    let mut line = line.clone();
    line.in_order.clear();
    let held = |held: &[(String, crate::state::Line, usize)]| {
        held.iter().any(|(path, held, record)| (path, held, *record) == (&seen.path, &line, seen.record))
    };
    match &made.derived.views[seen.tool] {
        View::List(view) => held(&view.checked_bodies),
        View::Document(view) => held(&view.lines),
        // What a count covers, its list says.
        View::Count(_) => false,
        View::Item(_) | View::Part(_) | View::Tree => {
            seen.time < before && is_success(seen.status) && seen.body.is_some()
        }
        View::Recorded { .. } | View::Write => false,
    }
}

#[rstest]
#[case::changedetection("changedetection")]
#[case::ghost("ghost")]
#[case::ihatemoney("ihatemoney")]
#[case::jupyter_server("jupyter-server")]
#[case::label_studio("label-studio")]
#[case::mlflow("mlflow")]
#[case::n8n("n8n")]
#[case::nautobot("nautobot")]
#[case::prefect("prefect")]
#[case::rabbitmq("rabbitmq")]
#[case::readme("readme")]
#[case::strapi("strapi")]
#[case::wordpress("wordpress")]
fn every_scenario(#[case] name: &str) {
    let made = scenario(name);
    assert!(rendering_reproduces_the_recording(&made) > 0);
    deriving_twice_is_the_same(&made);
    what_is_held_loads_back(&made);
}

/// Every view that was kept reproduces each clean recording it covers. Returns how many those are.
pub fn rendering_reproduces_the_recording(made: &Made) -> usize {
    // No write at all came before this.
    let tools = &made.manifest.tools;
    let before = made
        .observed
        .seen
        .iter()
        .filter(|seen| !is_read(&tools[seen.tool]) && is_success(seen.status))
        .map(|seen| seen.time)
        .min()
        .unwrap_or(usize::MAX);
    let (mut covered, mut wrong) = (0, Vec::new());
    for seen in made.observed.seen.iter().filter(|seen| covers(made, seen, before)) {
        covered += 1;
        // A recording that answers is no wrong answer of the state, unless the view said that it has one.
        let recorded = seen.body.as_deref();
        match answer(made, seen) {
            ReadAnswer::State { body, .. } if recorded.is_some_and(|recorded| recorded.same_as(&body)) => {}
            ReadAnswer::Recording { .. }
                if matches!(made.derived.views[seen.tool], View::Item(_) | View::Part(_) | View::Tree) =>
            {
                covered -= 1
            }
            other => wrong.push(format!("record {} of {}: {other:?}", seen.ordinal, tools[seen.tool].name)),
        }
    }
    assert!(wrong.is_empty(), "{} of {covered} are wrong\n{}", wrong.len(), wrong.join("\n"));
    covered
}

/// The state document of the world at the start loads to the same world, and is written as the same bytes.
pub fn what_is_held_loads_back(made: &Made) {
    let written = |world: &World| {
        let mut bytes = Vec::new();
        write_state_document(&made.derived, &made.manifest, world, "ev_1", &mut bytes);
        String::from_utf8(bytes).unwrap()
    };
    let document = written(&made.derived.world);
    let loaded = load_state(&made.derived, &made.manifest, "ev_1", parse(document.as_bytes()).unwrap());
    let loaded = loaded.unwrap_or_else(|problem| panic!("{problem}")).world;
    assert_eq!(written(&loaded), document);
    assert_eq!(format!("{loaded:?}"), format!("{:?}", made.derived.world));
}

/// A second derivation prints the same.
pub fn deriving_twice_is_the_same(made: &Made) {
    // The first time was on as many threads as there are here, this one is on one (or two where that was one).
    let others = if threads() == 1 { 2 } else { 1 };
    let again = derive_observed(&made.manifest, &observe(&made.capture, &made.manifest), others);
    let (one, other) = (format!("{:#?}", made.derived), format!("{again:#?}"));
    if let Some((one, other)) = one.lines().zip(other.lines()).find(|(one, other)| one != other) {
        panic!("{one}\n{other}");
    }
    assert_eq!(one.len(), other.len());
}
