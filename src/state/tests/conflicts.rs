//! Refusals for what the state holds, each over a small recording that shows one.

use super::recording::{Made, made, timed, value};
use crate::json::Value;
use crate::state::{World, Write};

/// The world after a call, the ordinal of the record that it is answered with, and the body.
fn call(made: &Made, world: &World, line: &str, body: Option<&str>) -> (World, usize, Option<Value>) {
    let written = made.write(world, line, body.unwrap_or_default()).unwrap();
    (written.world.unwrap_or_else(|| world.clone()), written.record, written.body)
}

const THINGS: &str = r#"[{"id":1,"name":"anvil","tag":"a"},{"id":2,"name":"bell","tag":"a"}]"#;

#[test]
fn a_value_that_another_entity_has_is_refused_as_it_was_recorded() {
    let made = made(&[
        ("GET /api/things", 200, THINGS),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","tag":"a"}"#),
        (r#"POST{"name":"cog","tag":"a"} /api/things"#, 201, r#"{"id":3,"name":"cog","tag":"a"}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"cog","tag":"a"}"#),
        (r#"POST{"name":"dial","tag":"b"} /api/things"#, 201, r#"{"id":4,"name":"dial","tag":"b"}"#),
        ("GET /api/things/4", 200, r#"{"id":4,"name":"dial","tag":"b"}"#),
        (r#"POST{"name":"bell","tag":"b"} /api/things"#, 409, r#"{"error":"'bell' is taken","by":2}"#),
    ]);
    let world = &made.derived.world;
    let (_, record, body) = call(&made, world, "POST /api/things", Some(r#"{"name":"anvil","tag":"b"}"#));
    assert_eq!((record, body), (6, Some(value(r#"{"error":"'anvil' is taken","by":1}"#))));
    let (next, record, _) = call(&made, world, "POST /api/things", Some(r#"{"name":"new","tag":"a"}"#));
    assert_eq!(record, 2);
    let (_, record, _) = call(&made, &next, "POST /api/things", Some(r#"{"name":"new","tag":"b"}"#));
    assert_eq!(record, 6, "what was made here is taken, too");
}

#[test]
fn a_version_that_is_no_longer_held_is_refused() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","rev":1},{"id":2,"name":"bell","rev":5}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","rev":1}"#),
        (r#"PATCH{"name":"axe","rev":1} /api/things/1"#, 200, r#"{"id":1,"name":"axe","rev":2}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"axe","rev":2}"#),
        (r#"PATCH{"name":"awl","rev":1} /api/things/1"#, 409, r#"{"error":"old"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"axe","rev":2}"#),
        (r#"PATCH{"name":"gong","rev":5} /api/things/2"#, 200, r#"{"id":2,"name":"gong","rev":6}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"gong","rev":6}"#),
    ]);
    let world = &made.derived.world;
    let (next, record, _) = call(&made, world, "PATCH /api/things/2", Some(r#"{"name":"a","rev":5}"#));
    assert_ne!(record, 4);
    let (next, record, _) = call(&made, &next, "PATCH /api/things/2", Some(r#"{"name":"b","rev":5}"#));
    assert_eq!(record, 4);
    let (_, record, _) = call(&made, &next, "PATCH /api/things/2", Some(r#"{"name":"b","rev":6}"#));
    assert_ne!(record, 4);
}

#[test]
fn what_a_read_shows_that_was_answered_after_the_next_write_is_not_taken_for_what_was_before_it() {
    let both = r#"[{"id":1,"name":"axe","rev":2},{"id":2,"name":"gong","rev":6}]"#;
    let made = timed(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","rev":1},{"id":2,"name":"bell","rev":5}]"#, 0, 10),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","rev":1}"#, 100, 110),
        (r#"PATCH{"name":"axe","rev":1} /api/things/1"#, 200, r#"{"id":1,"name":"axe","rev":2}"#, 1000, 1010),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"axe","rev":2}"#, 1100, 1110),
        (r#"PATCH{"name":"awl","rev":1} /api/things/1"#, 409, r#"{"error":"old"}"#, 2000, 2010),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"axe","rev":2}"#, 2100, 2110),
        ("GET /api/things", 200, both, 3000, 3500),
        (r#"PATCH{"name":"gong","rev":5} /api/things/2"#, 200, r#"{"id":2,"name":"gong","rev":6}"#, 3010, 3020),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"gong","rev":6}"#, 4000, 4010),
    ]);
    let world = &made.derived.world;
    let (next, record, _) = call(&made, world, "PATCH /api/things/2", Some(r#"{"name":"a","rev":5}"#));
    assert_ne!(record, 4);
    let (_, record, _) = call(&made, &next, "PATCH /api/things/2", Some(r#"{"name":"b","rev":5}"#));
    assert_eq!(record, 4, "the version that was sent is the one before the write");
}

#[test]
fn what_others_refer_to_is_not_removed_where_a_refusal_shows_it() {
    let made = made(&[
        (
            "GET /api/shelves",
            200,
            r#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"},{"id":4,"name":"d"}]"#,
        ),
        ("GET /api/books", 200, r#"[{"id":11,"shelf_id":1},{"id":12,"shelf_id":2}]"#),
        ("GET /api/shelves/1", 200, r#"{"id":1,"name":"a"}"#),
        ("GET /api/books/11", 200, r#"{"id":11,"shelf_id":1}"#),
        ("DELETE /api/shelves/1", 409, r#"{"error":"in use"}"#),
        ("GET /api/shelves/1", 200, r#"{"id":1,"name":"a"}"#),
        ("DELETE /api/shelves/3", 200, r#"{}"#),
        ("GET /api/shelves", 200, r#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":4,"name":"d"}]"#),
        ("DELETE /api/books/12", 200, r#"{}"#),
        ("GET /api/books", 200, r#"[{"id":11,"shelf_id":1}]"#),
    ]);
    let world = &made.derived.world;
    let (_, record, _) = call(&made, world, "DELETE /api/shelves/2", None);
    assert_eq!(record, 4);
    let (next, _, _) = call(&made, world, "DELETE /api/books/12", None);
    let (_, record, _) = call(&made, &next, "DELETE /api/shelves/2", None);
    assert_eq!(record, 6, "nothing refers to it any more");
}

/// The name that was taken is free once the other has another one: the recorded refusal is no longer the answer, for the
/// recorded target and for the made one in its place.
#[test]
fn what_a_rule_refuses_is_not_refused_once_nothing_forbids_it() {
    let made = made(&[
        ("GET /api/things", 200, THINGS),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","tag":"a"}"#),
        (r#"POST{"name":"cog","tag":"a"} /api/things"#, 201, r#"{"id":3,"name":"cog","tag":"a"}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"cog","tag":"a"}"#),
        (r#"PATCH{"name":"dial"} /api/things/3"#, 200, r#"{"id":3,"name":"dial","tag":"a"}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"dial","tag":"a"}"#),
        (r#"PATCH{"name":"bell"} /api/things/3"#, 409, r#"{"error":"name 'bell' is taken"}"#),
        (r#"PATCH{"name":"axe"} /api/things/1"#, 200, r#"{"id":1,"name":"axe","tag":"a"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"axe","tag":"a"}"#),
    ]);
    let world = &made.derived.world;
    let (world, ..) = call(&made, world, "POST /api/things", Some(r#"{"name":"new","tag":"a"}"#));
    let rename = |world: &World| call(&made, world, "PATCH /api/things/3", Some(r#"{"name":"bell"}"#)).1;
    let body = value(r#"{"name":"bell"}"#);
    let by_record = |world: &World, always: bool| {
        let write = Write { parameters: &["3".to_owned()], path: "/api/things/3", query: &[], body: Some(&body) };
        made.derived.recorded_refusal(made.tool("PATCH", "/api/things/3"), &write, always, world)
    };
    assert_eq!(rename(&world), 6);
    let (world, ..) = call(&made, &world, "PATCH /api/things/2", Some(r#"{"name":"gong"}"#));
    assert_eq!(by_record(&world, true), None);
    assert_ne!(rename(&world), 6);
}
