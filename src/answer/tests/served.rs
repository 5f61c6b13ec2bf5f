//! Engines that serve from a state, and those that cannot.

use super::applications::own_call;
use super::fixture::{capture, manifest, record, tool};
use crate::answer::{
    Call, DISCOVERY_RESERVATION_BYTES, Engine, EngineOptions, Reply, ReplyBody, StateProvenance, StateStatus, load_pair,
};
use crate::capture::{Body, Capture, InspectOptions, Record};
use crate::json::parse;
use crate::manifest::{Manifest, QueryParameter, Tool, ViewKind, ViewRequest};
use crate::state::{View, inspect_environment_view};
use rstest::rstest;
use std::path::Path;
use std::sync::Arc;

fn pair(application: &str) -> (Capture, Manifest) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(application).join("capture.har");
    load_pair(&path, None, &InspectOptions { label: Some("capture.har".into()), ..InspectOptions::default() }).unwrap()
}

fn served(application: &str) -> Engine {
    let (capture, manifest) = pair(application);
    Engine::new(capture, manifest, &EngineOptions::default()).unwrap()
}

fn names(engine: &Engine) -> Vec<&str> {
    engine.catalog.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn answered(engine: &Engine, call: &Call) -> Reply {
    engine.answer(&engine.initial_world(), call).reply.unwrap()
}

#[test]
fn a_state_serves_reads_and_names_itself_as_the_view_does() {
    let engine = served("readme");
    assert_eq!(names(&engine), ["get_books", "get_books_by_id", "post_books"], "a confirmed write is listed");
    let rules = engine.manifest.template_rules.clone();
    let request = ViewRequest { kind: ViewKind::State, rules, capture: engine.capture.clone() };
    let evidence_id = inspect_environment_view(&request).unwrap().evidence_id;
    assert_eq!(engine.state, StateStatus::Served { evidence_id });
    for tool in engine.catalog.tools.iter().filter(|tool| tool.name.starts_with("get_")) {
        assert!(tool.description.contains("answers from the live state"), "{}", tool.description);
        assert!(tool.description.contains("otherwise replays retained records ["), "{}", tool.description);
    }
}

#[test]
fn replay_only_derives_nothing_and_serves_every_tool() {
    let (capture, manifest) = pair("readme");
    let engine = Engine::new(capture, manifest, &EngineOptions { replay_only: true, name: None }).unwrap();
    assert_eq!(engine.state, StateStatus::ReplayOnly);
    assert!(engine.derived.is_none());
    assert_eq!(engine.catalog.tools.len(), engine.manifest.tools.len());
    assert!(engine.catalog.tools.iter().all(|tool| !tool.description.contains("live state")));
}

#[test]
fn a_browser_scenario_without_bodies_replays_and_says_why() {
    let (mut capture, manifest) = pair("readme");
    Arc::make_mut(&mut capture.evidence).operation = "capture_browser_scenario".to_owned();
    let records = capture.records.iter().cloned().map(|mut record| {
        record.bodies_unselected = true;
        if let Some(answer) = &mut record.answer {
            answer.body = Body::Unrecorded;
        }
        record
    });
    capture.records = records.collect();
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).unwrap();
    let StateStatus::Unavailable { code, message } = &engine.state else { panic!("{:?}", engine.state) };
    assert_eq!(*code, "unsupported_target");
    assert!(message.contains("no response bodies"), "{message}");
    assert!(engine.derived.is_none() && engine.catalog.tools.len() == engine.manifest.tools.len());
}

#[test]
fn removed_values_leave_no_state() {
    let (mut capture, manifest) = pair("readme");
    Arc::make_mut(&mut capture.evidence).parameters.set("sensitive_value_count", 2_u64);
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).unwrap();
    let state = engine.state.to_object();
    assert_eq!(state.get("reason").and_then(|reason| reason.as_str()), Some("unavailable"));
    assert_eq!(state.get("code").and_then(|code| code.as_str()), Some("unsupported_target"));
}

#[test]
fn a_catalog_that_only_replay_fits_replays() {
    let query =
        |name: String| QueryParameter { argument: name.clone(), name, observed: vec!["x".to_owned()], repeated: false };
    let wide =
        || Tool { query: (0..1000).map(|at| query(format!("q{at}"))).collect(), ..tool("GET", "/s", &[], None, 1) };
    let engine = |name: Option<String>| {
        let capture = capture(vec![record("GET", "/s")]);
        let manifest = manifest(&capture, vec![wide()]);
        Engine::new(capture, manifest, &EngineOptions { replay_only: false, name }).unwrap()
    };
    assert!(matches!(engine(None).state, StateStatus::Served { .. }));
    // The served name takes what the descriptions of a state would need.
    let capture = capture(vec![record("GET", "/s")]);
    let manifest = manifest(&capture, vec![wide()]);
    let replay = Engine::new(capture, manifest, &EngineOptions { replay_only: true, name: None }).unwrap();
    let room = DISCOVERY_RESERVATION_BYTES - replay.catalog.reservation("");
    let engine = engine(Some("n".repeat(room / 6 - 1)));
    let StateStatus::Unavailable { code, message } = &engine.state else { panic!("{:?}", engine.state) };
    assert_eq!(*code, "resource_constraint");
    assert!(message.contains("1048576"), "{message}");
    assert_eq!(engine.catalog.tools.len(), 1);
}

/// What a view keeps, it reproduces: every line it checked is answered from the state with the recorded body.
#[rstest]
#[case("changedetection")]
#[case("ghost")]
#[case("ihatemoney")]
#[case("jupyter-server")]
#[case("label-studio")]
#[case("mlflow")]
#[case("n8n")]
#[case("nautobot")]
#[case("prefect")]
#[case("rabbitmq")]
#[case("readme")]
#[case("strapi")]
#[case("wordpress")]
fn every_checked_line_is_answered_as_it_was_recorded(#[case] application: &str) {
    let engine = served(application);
    let derived = engine.derived.as_ref().unwrap();
    let mut checked = 0;
    for (tool, view) in derived.views.iter().enumerate() {
        let records: Vec<usize> = match view {
            View::List(view) => view.checked_bodies.iter().map(|(_, _, record)| *record).collect(),
            View::Document(view) => view.lines.iter().map(|(_, _, record)| *record).collect(),
            _ => continue,
        };
        for record in records {
            let record = &engine.capture.records[record];
            let reply = answered(&engine, &own_call(&engine, tool, record));
            let line = &record.request.as_ref().unwrap().path;
            let moving: Vec<String> = derived.moving(tool).iter().map(|place| crate::state::pointer(place)).collect();
            match &reply.state {
                Some(StateProvenance::State { .. }) => assert!(moving.is_empty(), "{line}"),
                Some(StateProvenance::Applied { reason: "document-varies", view: "document", recorded, .. }) => {
                    assert!(!moving.is_empty() && *recorded == moving, "{line}");
                }
                other => panic!("{line}: {other:?}"),
            }
            let ReplyBody::Json(body) = &reply.body else { panic!("{line}: {:?}", reply.body) };
            let recorded = record.answer.as_ref().and_then(|answer| answer.body.text()).unwrap();
            assert!(parse(recorded.as_bytes()).unwrap().same_as(body), "{} {line}", record.ordinal);
            checked += 1;
        }
    }
    assert!(checked > 0);
}

#[test]
fn a_post_that_answers_what_a_get_had_answered_stays_served() {
    let account = r#"{"id":7,"name":"Mira","mail":"mira@example.org"}"#;
    let asked = |method: &str, line: &str| record(method, line).answered(200, "application/json", account);
    let named = |name: &str, tool: Tool, record: usize| Tool { name: name.into(), records: vec![record], ..tool };
    let records = vec![
        asked("GET", "/account"),
        asked("POST", "/account/resolve"),
        asked("POST", "/account"),
        record("POST", "/account/disable").answered(200, "application/json", r#"{"disabled":true,"at":"2026-01-01"}"#),
        record("POST", "/session/refresh").answered_with(Body::Unrecorded),
    ];
    let capture = capture(records);
    let tools = vec![
        named("get", tool("GET", "/account", &[], None, 1), 0),
        named("resolve", tool("POST", "/account/resolve", &[], None, 1), 1),
        named("change", tool("POST", "/account", &[], None, 1), 2),
        named("disable", tool("POST", "/account/disable", &[], None, 1), 3),
        named("refresh", tool("POST", "/session/refresh", &[], None, 1), 4),
    ];
    let manifest = manifest(&capture, tools);
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).unwrap();
    assert_eq!(names(&engine), ["get", "resolve", "refresh"]);
    let call = Call { tool: 1, path: Vec::new(), query: Vec::new(), raw_query: None, body: None };
    assert_eq!(answered(&engine, &call).state, Some(StateProvenance::Recording { reason: "query-body" }));
}

#[test]
fn a_line_that_repeats_a_parameter_replays() {
    let records = vec![record("GET", "/report?part=a&part=b").answered(
        200,
        "application/json",
        r#"{"rows":3,"title":"a and b"}"#,
    )];
    let capture = capture(records);
    let manifest = manifest(&capture, vec![tool("GET", "/report", &["part"], None, 1)]);
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).unwrap();
    let query = [("part", "c"), ("part", "b")].map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let call = Call { tool: 0, path: Vec::new(), query, raw_query: None, body: None };
    assert!(matches!(answered(&engine, &call).state, Some(StateProvenance::Recording { .. })));
}

#[test]
fn an_answer_that_has_grown_too_large_is_refused() {
    let item = |id: usize| format!(r#"{{"id":{id},"text":"{}"}}"#, "x".repeat(2000));
    let page = |page: usize| {
        let items: Vec<String> = (1 + page * 50..=50 + page * 50).map(item).collect();
        record("GET", &format!("/notes?offset={}&limit=50", page * 50)).answered(
            200,
            "application/json",
            &format!(r#"{{"items":[{}],"total":200}}"#, items.join(",")),
        )
    };
    let records: Vec<_> = (0..4)
        .map(page)
        .chain([record("GET", "/notes?offset=0&limit=2").answered(
            200,
            "application/json",
            &format!(r#"{{"items":[{},{}],"total":200}}"#, item(1), item(2)),
        )])
        .collect();
    let count = records.len();
    let capture = capture(records);
    let manifest = manifest(&capture, vec![tool("GET", "/notes", &["offset", "limit"], None, count)]);
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).unwrap();
    let call = |limit: &str| {
        let query = [("offset", "0"), ("limit", limit)].map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Call { tool: 0, path: Vec::new(), query, raw_query: None, body: None }
    };
    assert!(matches!(answered(&engine, &call("40")).state, Some(StateProvenance::State { .. })));
    let refusal = engine.answer(&engine.initial_world(), &call("200")).reply.unwrap_err();
    assert_eq!((refusal.code, refusal.retryable), ("resource_constraint", false));
    assert!(refusal.message.contains("262144"), "{}", refusal.message);
}

/// Refusals that no state changes: recorded with a status that is about what was sent, where no equal call succeeded.
#[rstest]
#[case::strapi("strapi")]
#[case::nautobot("nautobot")]
#[case::prefect("prefect")]
#[case::wordpress("wordpress")]
fn a_recorded_refusal_is_answered_again_and_changes_nothing(#[case] application: &str) {
    let engine = served(application);
    let world = engine.initial_world();
    let derived = engine.derived.as_ref().unwrap();
    let line = |record: &Record| {
        let request = record.request.as_ref().unwrap();
        (request.path.clone(), request.query.clone(), request.body.text().map(str::to_owned))
    };
    let mut refused = 0;
    for (index, tool) in engine.manifest.tools.iter().enumerate().filter(|(index, _)| derived.plan(*index).is_some()) {
        let records: Vec<&Record> = tool.records.iter().map(|record| &engine.capture.records[*record]).collect();
        let status = |record: &Record| record.answer.as_ref().map_or(0, |answer| answer.status);
        for record in records.iter().filter(|record| matches!(status(record), 400 | 409 | 422)) {
            if records.iter().any(|other| status(other) < 400 && line(other) == line(record)) {
                continue;
            }
            let answered = engine.answer(&world, &own_call(&engine, index, record));
            assert!(answered.world.is_none());
            let reply = answered.reply.unwrap();
            // Where the capture shows the rule behind it, the rule answers: what a recorded call made is absent yet.
            let by_rule = matches!(&reply.state, Some(StateProvenance::State { .. }));
            if by_rule && reply.status == Some(404) {
                let path = &record.request.as_ref().unwrap().path;
                let id = path.rsplit('/').find(|segment| !segment.is_empty()).unwrap();
                let made = |other: &&Record| {
                    let answer = other.answer.as_ref().filter(|answer| answer.status == 201);
                    other.ordinal < record.ordinal
                        && answer.and_then(|answer| answer.body.text()).is_some_and(|body| body.contains(id))
                };
                assert!(engine.capture.records.iter().any(|other| made(&other)), "{} {}", tool.name, record.ordinal);
                continue;
            }
            assert_eq!(reply.status, Some(status(record)), "{} {}", tool.name, record.ordinal);
            assert!(by_rule || reply.state == Some(StateProvenance::Recording { reason: "recorded-refusal" }));
            refused += 1;
        }
    }
    assert!(refused > 0);
}
