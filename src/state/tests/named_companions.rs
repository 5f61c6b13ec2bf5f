//! What a create makes beside its own and names by an identity that it made, and what a removal takes along.

use super::recording::{Call, made};
use crate::json::Value;

const SESSIONS: &str = r#"[{"id":1,"name":"anvil","process":{"id":"5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a","state":"idle"}},{"id":2,"name":"bell","process":{"id":"6c2e1b63-a4d5-4e1f-9b68-1a2b3c4d5e6f","state":"idle"}}]"#;
const PROCESSES: &str = r#"[{"id":"5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a","state":"idle"},{"id":"6c2e1b63-a4d5-4e1f-9b68-1a2b3c4d5e6f","state":"idle"}]"#;
const NEW: &str = r#"{"id":3,"name":"crate","process":{"id":"7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70","state":"idle"}}"#;

/// A session starts a process, shows it, and ends it.
#[test]
fn a_create_makes_what_it_names_and_a_removal_takes_it() {
    let calls: [Call; 10] = [
        ("GET /sessions", 200, SESSIONS),
        (
            "GET /sessions/1",
            200,
            r#"{"id":1,"name":"anvil","process":{"id":"5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a","state":"idle"}}"#,
        ),
        ("GET /processes", 200, PROCESSES),
        (r#"POST{"name":"crate"} /sessions"#, 201, NEW),
        ("GET /sessions/3", 200, NEW),
        (
            "GET /processes/7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70",
            200,
            r#"{"id":"7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70","state":"idle"}"#,
        ),
        (
            "GET /processes",
            200,
            r#"[{"id":"5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a","state":"idle"},{"id":"6c2e1b63-a4d5-4e1f-9b68-1a2b3c4d5e6f","state":"idle"},{"id":"7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70","state":"idle"}]"#,
        ),
        ("DELETE /sessions/3", 204, ""),
        ("GET /sessions", 200, SESSIONS),
        ("GET /processes", 200, PROCESSES),
    ];
    let made = made(&calls);
    assert_eq!(made.answer_in(&made.derived.world, "GET /processes"), PROCESSES);
    let held = |world: &crate::state::World| -> Vec<String> {
        let listed = crate::json::parse(made.answer_in(world, "GET /processes").as_bytes()).unwrap();
        let ids = listed.as_array().unwrap().iter();
        ids.map(|process| process.get("id").and_then(Value::as_str).unwrap().to_owned()).collect()
    };
    let written = made.write(&made.derived.world, "POST /sessions", r#"{"name":"drum"}"#).unwrap();
    let named = written.body.as_ref().and_then(|body| body.get("process")?.get("id")?.as_str()).unwrap().to_owned();
    let world = written.world.clone().unwrap();
    let mut expected = held(&made.derived.world);
    expected.push(named);
    assert_eq!(held(&world), expected);
    let world = made.write(&world, "DELETE /sessions/1", "").unwrap().world.unwrap();
    assert_eq!(held(&world), expected[1..]);
}
