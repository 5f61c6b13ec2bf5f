//! Documents that load and documents that do not: each member's demands, and laws over documents that were tampered with.

use super::recording::{Made, made};
use crate::json::{Value as Document, parse};
use crate::state::{LoadProblem, Loaded, MAX_STATE_DOCUMENT_BYTES, load_state, write_state_document};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// Users of two teams, shown in full by item reads, and a document.
static RECORDED: LazyLock<Made> = LazyLock::new(|| {
    made(&[
        ("GET /api/teams/1/users", 200, r#"[{"id":1,"name":"ada"},{"id":2,"name":"bob"}]"#),
        ("GET /api/teams/2/users", 200, r#"[{"id":3,"name":"cid"},{"id":4,"name":"dan"}]"#),
        ("GET /api/teams/1/users/1", 200, r#"{"id":1,"name":"ada","email":"ada@app.test"}"#),
        ("GET /api/teams/1/users/2", 200, r#"{"id":2,"name":"bob","email":null}"#),
        ("GET /api/settings", 200, r#"{"theme":"dark","limits":{"files":3}}"#),
    ])
});

fn load(document: &str) -> Result<Loaded, LoadProblem> {
    load_state(&RECORDED.derived, &RECORDED.manifest, "ev_1", parse(document.as_bytes()).unwrap())
}

fn written(loaded: &Loaded) -> String {
    let mut bytes = Vec::new();
    write_state_document(&RECORDED.derived, &RECORDED.manifest, &loaded.world, "ev_1", &mut bytes);
    assert_eq!(bytes.len(), loaded.bytes);
    String::from_utf8(bytes).unwrap()
}

/// The document of the state at the start.
fn start() -> Value {
    let mut bytes = Vec::new();
    write_state_document(&RECORDED.derived, &RECORDED.manifest, &RECORDED.derived.world, "ev_1", &mut bytes);
    serde_json::from_slice(&bytes).unwrap()
}

/// The first document with `value` at `pointer` (`null` removes), whose last member need not exist.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = start();
    let (above, member) = pointer.rsplit_once('/').unwrap();
    let above = document.pointer_mut(above).unwrap();
    match above {
        Value::Object(object) if value.is_null() => drop(object.remove(member)),
        Value::Object(object) => drop(object.insert(member.to_owned(), value)),
        other => *other.get_mut(member.parse::<usize>().unwrap()).unwrap() = value,
    }
    document
}

#[rstest]
#[case("/rea_state", json!([]), "/rea_state")]
#[case("/rea_state", json!(null), "")]
#[case("/other", json!(1), "")]
#[case("/rea_state/other", json!(1), "/rea_state")]
#[case("/rea_state/version", json!(2), "/rea_state/version")]
#[case("/rea_state/version", json!("1"), "/rea_state/version")]
#[case("/rea_state/version", json!(null), "/rea_state/version")]
#[case("/rea_state/state_evidence_id", json!("ev_2"), "/rea_state/state_evidence_id")]
#[case("/rea_state/types", json!([]), "/rea_state/types")]
#[case("/rea_state/types/0/secret", json!(1), "/rea_state/types")]
#[case("/rea_state/entities", json!({}), "/rea_state/entities")]
#[case("/rea_state/documents", json!(null), "/rea_state/documents")]
#[case("/rea_state/entities/1", json!(5), "/rea_state/entities/1")]
#[case("/rea_state/entities/1/secret", json!(5), "/rea_state/entities/1")]
#[case("/rea_state/entities/1/type", json!("/api/teams/1/users"), "/rea_state/entities/1/type")]
#[case("/rea_state/entities/1/collection", json!("/api/teams/1/groups"), "/rea_state/entities/1/collection")]
#[case("/rea_state/entities/1/collection", json!("/api/teams//users"), "/rea_state/entities/1/collection")]
#[case("/rea_state/entities/1/collection", json!("/api//teams/1/users"), "/rea_state/entities/1/collection")]
#[case("/rea_state/entities/1/collection", json!("api/teams/1/users"), "/rea_state/entities/1/collection")]
#[case("/rea_state/entities/1/id", json!(2), "/rea_state/entities/1/id")]
#[case("/rea_state/entities/1/id", json!("9"), "/rea_state/entities/1/id")]
#[case("/rea_state/entities/1/id", json!("1"), "/rea_state/entities/1/id")]
#[case("/rea_state/entities/1/fields", json!([]), "/rea_state/entities/1/fields")]
#[case("/rea_state/entities/1/fields", json!({"name": "eve"}), "/rea_state/entities/1/fields")]
#[case("/rea_state/entities/1/fields/id", json!("secret"), "/rea_state/entities/1/id")]
#[case("/rea_state/entities/1/view_fields", json!({"secret": {}}), "/rea_state/entities/1/view_fields")]
#[case("/rea_state/entities/1/view_fields", json!({"get_teams_users_by_team_id": {"id": 9}}), "/rea_state/entities/1/view_fields")]
#[case("/rea_state/entities/1/shown_in", json!(["secret"]), "/rea_state/entities/1/shown_in")]
#[case("/rea_state/entities/1/shown_in", json!(["get_settings"]), "/rea_state/entities/1/shown_in")]
#[case("/rea_state/entities/1/record_ordinals", json!([4]), "/rea_state/entities/1/record_ordinals")]
#[case("/rea_state/entities/1/record_ordinals", json!(0), "/rea_state/entities/1/record_ordinals")]
#[case("/rea_state/entities/1/made", json!("secret"), "/rea_state/entities/1/made")]
#[case("/rea_state/collections", json!({}), "/rea_state/collections")]
#[case("/rea_state/collections", json!([{"type": "secret"}]), "/rea_state/collections/0/type")]
#[case("/rea_state/collections", json!([{"type": "/api/teams/{numeric}/users", "collection": "/secret"}]),
    "/rea_state/collections/0/collection")]
#[case("/rea_state/collections", json!([{"type": "/api/teams/{numeric}/users", "collection": "/api/teams/9/users",
    "from": "/secret"}]), "/rea_state/collections/0/from")]
#[case("/rea_state/documents/0/view", json!("get_teams"), "/rea_state/documents/0/view")]
#[case("/rea_state/documents/0/path", json!("/api/other"), "/rea_state/documents/0/path")]
#[case("/rea_state/documents/0/value", json!(null), "/rea_state/documents/0/value")]
#[case("/rea_state/documents/0/record_ordinal", json!(1), "/rea_state/documents/0/record_ordinal")]
#[case("/rea_state/documents", json!([{"view": "get_settings", "path": "/api/settings", "value": 1},
    {"view": "get_settings", "path": "/api/settings", "value": 2}]), "/rea_state/documents/1/path")]
fn a_problem_is_named_by_the_format_s_own_member(#[case] at: &str, #[case] value: Value, #[case] pointer: &str) {
    let problem = load(&with(at, value).to_string()).unwrap_err();
    assert_eq!(problem.pointer, pointer, "{problem}");
    assert!(!problem.to_string().contains("secret"), "{problem}");
}

#[rstest]
#[case::citations("/rea_state/entities/1/record_ordinals", json!(null))]
#[case::empty_citations("/rea_state/entities/1/record_ordinals", json!([]))]
#[case::spelled_otherwise("/rea_state/entities/1/record_ordinals", json!([0.0, 3.0]))]
#[case::shown_in("/rea_state/entities/1/shown_in", json!(null))]
#[case::record_ordinal("/rea_state/documents/0/record_ordinal", json!(null))]
#[case::types("/rea_state/types", json!(null))]
#[case::evidence_id("/rea_state/state_evidence_id", json!(null))]
#[case::version("/rea_state/version", json!(1.0))]
#[case::trailing_slash("/rea_state/entities/1/collection", json!("/api/teams/1/users/"))]
fn what_may_be_left_out_is_written_back(#[case] at: &str, #[case] value: Value) {
    let loaded = load(&with(at, value).to_string()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written(&loaded)).unwrap(), start());
}

#[test]
fn a_document_may_be_left_out_and_a_collection_may_be_new() {
    let mut document = with("/rea_state/documents", json!([]));
    let moved = document.pointer_mut("/rea_state/entities/0").unwrap();
    moved["collection"] = json!("/api/teams/any one/users");
    moved["record_ordinals"] = json!([]);
    let loaded = load(&document.to_string()).unwrap();
    let read: Value = serde_json::from_str(&written(&loaded)).unwrap();
    assert_eq!(read["rea_state"]["documents"], json!([]));
    assert_eq!(read["rea_state"]["entities"].as_array().unwrap().len(), 4);
    assert!(loaded.world.collection(0, "/api/teams/1/users").is_some_and(|held| held.len() == 1));
}

#[test]
fn a_new_entity_has_no_member_that_it_was_not_given() {
    let mut document = start();
    let entity = json!({"type": document["rea_state"]["entities"][0]["type"], "collection": "/api/teams/1/users", "id": "7",
        "fields": {"id": 7}});
    document["rea_state"]["entities"].as_array_mut().unwrap().push(entity);
    let loaded = load(&document.to_string()).unwrap();
    let held = loaded.world.collection(0, "/api/teams/1/users").unwrap().get("7").unwrap().clone();
    assert_eq!(*held.shown_in, *RECORDED.derived.types[0].representations);
    assert!(held.record_ordinals.is_empty());
    let again = load(&written(&loaded)).unwrap();
    assert_eq!(written(&again), written(&loaded));
}

#[test]
fn values_that_are_the_evidence_s_in_another_order_keep_their_order_and_its_citations() {
    // serde_json orders members by name; the application does not.
    let loaded = load(&start().to_string()).unwrap();
    let first = loaded.world.collection(0, "/api/teams/1/users").unwrap().iter().next().unwrap().clone();
    assert_eq!(first.fields.as_object().unwrap().iter().next().unwrap().0, "email");
    assert!(!first.record_ordinals.is_empty());
}

#[test]
fn what_would_be_written_back_too_large_is_refused() {
    let mut document = start();
    let first = document["rea_state"]["entities"][0].clone();
    let mut entities = Vec::new();
    let text = "x".repeat(MAX_STATE_DOCUMENT_BYTES / 8);
    for id in 0..8 {
        // Without shown_in, citations and the head: the document itself is within the limit.
        let fields = json!({"id": id, "name": &text[..text.len() - 160]});
        entities.push(
            json!({"type": first["type"], "collection": first["collection"], "id": id.to_string(), "fields": fields}),
        );
    }
    let head = document["rea_state"].as_object_mut().unwrap();
    head.insert("entities".to_owned(), entities.into());
    head.retain(|name, _| matches!(name.as_str(), "version" | "entities" | "documents"));
    let text = document.to_string();
    assert!(text.len() <= MAX_STATE_DOCUMENT_BYTES, "{}", text.len());
    let problem = load(&text).unwrap_err();
    assert_eq!(problem.pointer, "/rea_state");
    assert!(problem.problem.contains("33554432"), "{problem}");
}

/// Something that a caller may have done to a document.
#[derive(Clone, Debug)]
enum Tampering {
    Remove,
    Put(Value),
    Rename(&'static str),
    Repeat,
}

fn tampering() -> impl Strategy<Value = Tampering> {
    let value = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!({"SECRET": [1]})),
        Just(json!([])),
        (0i64..6).prop_map(|number| json!(number)),
        "[1-4]|/api/teams/[12]/users|SECRET".prop_map(Value::from),
    ];
    prop_oneof![
        Just(Tampering::Remove),
        value.prop_map(Tampering::Put),
        prop_oneof![Just("SECRET"), Just("id"), Just("fields"), Just("name")].prop_map(Tampering::Rename),
        Just(Tampering::Repeat),
    ]
}

/// Every place of a document, as pointers.
fn places(value: &Value, at: String, found: &mut Vec<String>) {
    found.push(at.clone());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, format!("{at}/{index}"), found));
        }
        Value::Object(members) => members.iter().for_each(|(name, inner)| places(inner, format!("{at}/{name}"), found)),
        _ => {}
    }
}

fn tamper(document: &mut Value, place: usize, tampering: &Tampering) {
    let mut found = Vec::new();
    places(document, String::new(), &mut found);
    let pointer = found[place % found.len()].clone();
    let Some((above, last)) = pointer.rsplit_once('/') else { return };
    match (document.pointer_mut(above), tampering) {
        (Some(Value::Object(members)), Tampering::Remove) => drop(members.remove(last)),
        (Some(Value::Object(members)), Tampering::Rename(name)) => {
            // In its place, so that the order of members is tampered with as little as possible.
            *members = std::mem::take(members)
                .into_iter()
                .map(|(held, value)| if held == last { ((*name).to_owned(), value) } else { (held, value) })
                .collect::<Map<_, _>>();
        }
        (Some(Value::Object(members)), Tampering::Put(value)) => drop(members.insert(last.to_owned(), value.clone())),
        (Some(Value::Array(items)), tampering) => {
            let Some(at) = last.parse::<usize>().ok().filter(|at| *at < items.len()) else { return };
            match tampering {
                Tampering::Remove => drop(items.remove(at)),
                Tampering::Put(value) => items[at] = value.clone(),
                Tampering::Repeat => items.push(items[at].clone()),
                Tampering::Rename(_) => items.swap(at, 0),
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever was done to it, a document is refused at a member of the format or loaded whole, and what was loaded is
    /// written as a document that loads to the same bytes.
    #[test]
    fn any_document_is_refused_with_a_pointer_or_loaded_whole(
        changes in proptest::collection::vec((any::<usize>(), tampering()), 0..4),
    ) {
        let mut document = start();
        for (place, tampering) in &changes {
            tamper(&mut document, *place, tampering);
        }
        match load(&document.to_string()) {
            Err(problem) => {
                prop_assert!(problem.pointer.is_empty() || problem.pointer.starts_with("/rea_state"), "{}", problem);
                prop_assert!(!problem.to_string().contains("SECRET"), "{}", problem);
                prop_assert_eq!(crate::state::format_pointer(&problem.pointer).len() + missing(&problem), problem.pointer.len());
            }
            Ok(loaded) => {
                let text = written(&loaded);
                let entities = document["rea_state"]["entities"].as_array().unwrap();
                prop_assert_eq!(text.matches(r#"{"type":"/api"#).count(), entities.len());
                let again = load(&text).unwrap();
                prop_assert_eq!(written(&again), text);
            }
        }
    }
}

/// Characters of a pointer that `format_pointer` leaves out although they are the format's: the head's own members.
fn missing(problem: &LoadProblem) -> usize {
    ["/version", "/state_evidence_id", "/record_ordinal"]
        .iter()
        .filter(|member| problem.pointer.ends_with(**member))
        .map(|member| member.len())
        .sum()
}

#[rstest]
#[case("", "")]
#[case("/rea_state/entities/0/fields/secret/x", "/rea_state/entities/0/fields")]
#[case("/rea_state/entities/0/secret", "/rea_state/entities/0")]
#[case("/rea_state/entities/secret", "/rea_state/entities")]
#[case("/rea_state/types/0/x", "/rea_state/types")]
#[case("/rea_state/secret", "/rea_state")]
#[case("/secret/entities/0", "")]
#[case("/rea_state/documents/12/value/0", "/rea_state/documents/12/value")]
fn a_pointer_ends_where_the_caller_s_names_begin(#[case] pointer: &str, #[case] kept: &str) {
    assert_eq!(crate::state::format_pointer(pointer), kept);
}

#[test]
fn names_of_any_kind_and_numbers_of_any_size_are_kept() {
    let document = start().to_string().replacen(
        r#""theme":"dark""#,
        r#""__proto__":{"constructor":1e400},"":0,"n":123456789012345678901234567890.50"#,
        1,
    );
    let loaded = load(&document).unwrap();
    let text = written(&loaded);
    assert!(text.contains(r#""__proto__":{"constructor":1e400},"":0,"n":123456789012345678901234567890.50"#), "{text}");
    assert_eq!(written(&load(&text).unwrap()), text);
    let value: Document = parse(text.as_bytes()).unwrap();
    assert!(value.get("rea_state").is_some());
}
