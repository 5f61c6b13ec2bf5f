//! Writes about other entities: members of what a sent value names, deletes of what others refer to.

use super::recording::{Made, made, value};
use crate::json::Value;
use crate::state::{World, Written};
use rstest::rstest;

/// One write by its plan.
fn call(made: &Made, world: &World, method: &str, path: &str, body: Option<&Value>) -> Written {
    made.write(world, &format!("{method} {path}"), &body.map(Value::to_compact).unwrap_or_default()).unwrap()
}

#[test]
fn what_a_sent_value_names_may_not_have_been_read_yet() {
    let made = made(&[
        ("GET /people", 200, r#"[{"id":1,"name":"ann"},{"id":2,"name":"bob"}]"#),
        ("GET /people/2", 200, r#"{"id":2,"name":"bob"}"#),
        ("GET /tasks", 200, r#"[{"id":11,"title":"t1","who":[{"id":1,"name":"ann"}]}]"#),
        ("GET /tasks/11", 200, r#"{"id":11,"title":"t1","who":[{"id":1,"name":"ann"}]}"#),
        // The answer shows the number alone, and what names it comes before any read.
        (r#"POST{"name":"cleo"} /people"#, 201, "3"),
        (r#"POST{"title":"t2","for":[3,1]} /tasks"#, 201, "12"),
        ("GET /tasks/12", 200, r#"{"id":12,"title":"t2","who":[{"id":3,"name":"cleo"},{"id":1,"name":"ann"}]}"#),
        (r#"POST{"title":"t3","for":[2]} /tasks"#, 201, "13"),
        ("GET /tasks/13", 200, r#"{"id":13,"title":"t3","who":[{"id":2,"name":"bob"}]}"#),
        (r#"PUT{"name":"dora"} /people/3"#, 200, r#"{"id":3,"name":"dora"}"#),
        ("GET /people/3", 200, r#"{"id":3,"name":"dora"}"#),
    ]);
    let sent = value(r#"{"title":"t4","for":[2,1]}"#);
    let world = call(&made, &made.derived.world, "POST", "/tasks", Some(&sent)).world.unwrap();
    let created = world.named(made.derived.plan(made.tool("POST", "/tasks")).unwrap().target.entity_type, "12");
    let fields: Vec<String> = created.map(|entity| entity.fields.to_compact()).collect();
    let expected = r#"{"id":12,"title":"t4","who":[{"id":2,"name":"bob"},{"id":1,"name":"ann"}]}"#;
    assert!(value(&fields[0]).same_as(&value(expected)), "{fields:?}");
}

/// Comments that no list ever showed in full: only of those that were there and went is it known that they are absent.
fn comments() -> Made {
    let comment = |id: u32, text: &str| -> &'static str { format!(r#"{{"id":{id},"text":"{text}"}}"#).leak() };
    made(&[
        ("GET /comments/1", 200, comment(1, "one")),
        ("GET /comments/2", 200, comment(2, "two")),
        ("GET /comments/99", 404, r#"{"error":"no comment 99"}"#),
        (r#"POST{"text":"three"} /comments"#, 201, comment(3, "three")),
        ("GET /comments/3", 200, comment(3, "three")),
        (r#"POST{"text":"four"} /comments"#, 201, comment(4, "four")),
        ("GET /comments/4", 200, comment(4, "four")),
        ("DELETE /comments/3", 204, ""),
        ("GET /comments/3", 404, r#"{"error":"no comment 3"}"#),
    ])
}

#[test]
fn what_was_taken_away_is_known_to_be_absent() {
    let made = comments();
    assert_eq!(made.answer("GET /comments/7"), "<unknown-partition>");
    let start = made.derived.world.clone();
    let world = call(&made, &start, "DELETE", "/comments/2", None).world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /comments/2"), r#"{"error":"no comment 2"}"#);
    assert_eq!(made.answer_in(&world, "GET /comments/7"), "<unknown-partition>");
    // What a write made and another took away is known, too, and stays so in a state that is loaded.
    let sent = value(r#"{"text":"five"}"#);
    let world = call(&made, &world, "POST", "/comments", Some(&sent)).world.unwrap();
    let world = call(&made, &world, "DELETE", "/comments/3", None).world.unwrap();
    let mut bytes = Vec::new();
    crate::state::write_state_document(&made.derived, &made.manifest, &world, "ev", &mut bytes);
    let document = value(&String::from_utf8(bytes).unwrap());
    let loaded = crate::state::load_state(&made.derived, &made.manifest, "ev", document).unwrap().world;
    for world in [world, loaded] {
        assert_eq!(made.answer_in(&world, "GET /comments/3"), r#"{"error":"no comment 3"}"#);
        assert_eq!(made.answer_in(&world, "GET /comments/2"), r#"{"error":"no comment 2"}"#);
        assert_eq!(made.answer_in(&world, "GET /comments/7"), "<unknown-partition>");
    }
}

/// Where the first recorded number leaves some out, the sequence of the application stood there at the start; not where a
/// write of which nothing is known may have taken them.
#[rstest]
#[case::nothing_before("PATCH{\"name\":\"ann\"} /people/1", "7")]
#[case::unknown_before("POST{\"rows\":4} /imports", "3")]
fn a_sequence_stands_where_the_first_create_shows_it(#[case] before: &'static str, #[case] next: &str) {
    let made = made(&[
        ("GET /people", 200, r#"[{"id":1,"name":"amy"},{"id":2,"name":"bob"}]"#),
        ("GET /people/1", 200, r#"{"id":1,"name":"amy"}"#),
        (before, 200, "{}"),
        (r#"POST{"name":"cleo"} /people"#, 201, r#"{"id":7,"name":"cleo"}"#),
        ("GET /people/7", 200, r#"{"id":7,"name":"cleo"}"#),
        (r#"POST{"name":"dora"} /people"#, 201, r#"{"id":8,"name":"dora"}"#),
        ("GET /people/8", 200, r#"{"id":8,"name":"dora"}"#),
    ]);
    let sent = value(r#"{"name":"eve"}"#);
    let body = call(&made, &made.derived.world, "POST", "/people", Some(&sent)).body.unwrap();
    assert_eq!(body.get("id").map(Value::to_compact).as_deref(), Some(next));
}

/// A delete that switches off what something refers to, and takes the rest away.
#[test]
fn what_others_refer_to_is_changed_and_the_rest_removed() {
    let made = made(&[
        (
            "GET /shelves",
            200,
            r#"[{"id":"s1","on":true},{"id":"s2","on":true},{"id":"s3","on":true},{"id":"s4","on":true},{"id":"s5","on":true}]"#,
        ),
        ("GET /shelves/s5", 200, r#"{"id":"s5","on":true}"#),
        ("GET /shelves/none", 404, r#"{"error":"no shelf none"}"#),
        (
            "GET /books",
            200,
            r#"[{"id":11,"title":"t1","shelf":"s1"},{"id":12,"title":"t2","shelf":"s2"},{"id":13,"title":"t3","shelf":"s3"}]"#,
        ),
        ("GET /books/11", 200, r#"{"id":11,"title":"t1","shelf":"s1"}"#),
        ("DELETE /shelves/s1", 200, "\"OK\""),
        ("GET /shelves/s1", 200, r#"{"id":"s1","on":false}"#),
        ("DELETE /shelves/s4", 200, "\"OK\""),
        ("GET /shelves/s4", 404, r#"{"error":"no shelf s4"}"#),
    ]);
    let start = &made.derived.world;
    let used = call(&made, start, "DELETE", "/shelves/s2", None).world.unwrap();
    assert_eq!(made.answer_in(&used, "GET /shelves/s2"), r#"{"id":"s2","on":false}"#);
    let unused = call(&made, start, "DELETE", "/shelves/s5", None).world.unwrap();
    assert_eq!(made.answer_in(&unused, "GET /shelves/s5"), r#"{"error":"no shelf s5"}"#);
}

/// A reference that is sent as it is, as an object with the identity, or as one with the name.
#[rstest]
#[case::identity(r#"{"shelf":3}"#)]
#[case::object(r#"{"shelf":{"id":3}}"#)]
#[case::name(r#"{"shelf":{"name":"crypt"}}"#)]
fn a_reference_is_sent_in_several_forms(#[case] sent: &str) {
    let made = made(&[
        ("GET /shelves", 200, r#"[{"id":1,"name":"attic"},{"id":2,"name":"barn"},{"id":3,"name":"crypt"}]"#),
        ("GET /shelves/1", 200, r#"{"id":1,"name":"attic"}"#),
        ("GET /books", 200, r#"[{"id":11,"shelf":1}]"#),
        ("GET /books/11", 200, r#"{"id":11,"shelf":1}"#),
        (r#"POST{"shelf":2} /books"#, 201, r#"{"id":12,"shelf":2}"#),
        ("GET /books/12", 200, r#"{"id":12,"shelf":2}"#),
        (r#"POST{"shelf":{"id":1}} /books"#, 201, r#"{"id":13,"shelf":1}"#),
        ("GET /books/13", 200, r#"{"id":13,"shelf":1}"#),
        (r#"POST{"shelf":{"name":"barn"}} /books"#, 201, r#"{"id":14,"shelf":2}"#),
        ("GET /books/14", 200, r#"{"id":14,"shelf":2}"#),
        (r#"POST{"shelf":{"name":"attic"}} /books"#, 201, r#"{"id":15,"shelf":1}"#),
        ("GET /books/15", 200, r#"{"id":15,"shelf":1}"#),
    ]);
    let body = call(&made, &made.derived.world, "POST", "/books", Some(&value(sent))).body.unwrap();
    assert_eq!(body.get("shelf"), Some(&value("3")));
}

/// Where the name identifies, a copy has it twice: as the reference it is, and as what it shows.
#[test]
fn copies_of_what_is_renamed_go_by_the_new_name() {
    let made = made(&[
        ("GET /tags", 200, r#"[{"name":"wood"},{"name":"iron"},{"name":"glass"}]"#),
        ("GET /tags/wood", 200, r#"{"name":"wood"}"#),
        (
            "GET /books",
            200,
            r#"[{"id":11,"title":"t1","tags":[{"id":"wood","name":"wood"},{"id":"iron","name":"iron"}]},{"id":12,"title":"t2","tags":[{"id":"glass","name":"glass"}]}]"#,
        ),
        (
            "GET /books/11",
            200,
            r#"{"id":11,"title":"t1","tags":[{"id":"wood","name":"wood"},{"id":"iron","name":"iron"}]}"#,
        ),
        (r#"PATCH{"name":"oak"} /tags/wood"#, 200, r#"{"name":"oak"}"#),
        ("GET /tags/oak", 200, r#"{"name":"oak"}"#),
        ("GET /tags", 200, r#"[{"name":"oak"},{"name":"iron"},{"name":"glass"}]"#),
        (
            "GET /books",
            200,
            r#"[{"id":11,"title":"t1","tags":[{"id":"oak","name":"oak"},{"id":"iron","name":"iron"}]},{"id":12,"title":"t2","tags":[{"id":"glass","name":"glass"}]}]"#,
        ),
        (
            "GET /books/11",
            200,
            r#"{"id":11,"title":"t1","tags":[{"id":"oak","name":"oak"},{"id":"iron","name":"iron"}]}"#,
        ),
    ]);
    let written = made.write(&made.derived.world, "PATCH /tags/glass", r#"{"name":"clay"}"#).unwrap();
    let expected = r#"{"id":12,"title":"t2","tags":[{"id":"clay","name":"clay"}]}"#;
    assert_eq!(made.answer_in(&written.world.unwrap(), "GET /books/12"), expected);
}
