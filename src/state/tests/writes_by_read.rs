//! Lines of read tools that change what they address.

use super::recording::{Made, made};
use crate::manifest::decode_once;
use crate::state::{Line, Read, World, Written};
use rstest::rstest;

const LIST: &str = r#"[{"id":1,"name":"red fox","off":false,"n":4},{"id":2,"name":"blue owl","off":false,"n":5},{"id":3,"name":"grey cat","off":false,"n":6}]"#;

/// Watches that a parameter of their own path turns off and on. Another write comes first: what is read before the first
/// write is what the state starts with.
fn watches(after_on: &'static str) -> Made {
    made(&[
        ("GET /watches", 200, LIST),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":false,"n":4}"#),
        ("GET /watches/3", 200, r#"{"id":3,"name":"grey cat","off":false,"n":6}"#),
        (r#"PATCH{"n":7} /watches/2"#, 200, r#"{"id":2,"name":"blue owl","off":false,"n":7}"#),
        ("GET /watches/2", 200, r#"{"id":2,"name":"blue owl","off":false,"n":7}"#),
        ("GET /watches/1?turn=off", 200, r#""OK""#),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":true,"n":4}"#),
        ("GET /watches/1?turn=on", 200, r#""OK""#),
        ("GET /watches/1", 200, after_on),
    ])
}

fn turn(made: &Made, world: &World, id: &str, query: &str) -> Option<Written> {
    let path = format!("/watches/{id}");
    let tool = made.tool("GET", &path);
    let query: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let line = Line::new(&query, None);
    let parameters = [decode_once(id).into_owned()];
    let read = Read { tool, parameters: &parameters, path: &path, line: line.as_ref() };
    made.derived.write_by_read(world, read, ("ev", "tool"))
}

#[test]
fn a_line_that_turns_a_flag_does_so_for_any_entity() {
    let made = watches(r#"{"id":1,"name":"red fox","off":false,"n":4}"#);
    let start = &made.derived.world;
    let written = turn(&made, start, "3", "turn=off").unwrap();
    assert_eq!((written.record, written.view, &written.body), (5, "update", &None));
    let world = written.world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /watches/3"), r#"{"id":3,"name":"grey cat","off":true,"n":6}"#);
    assert!(made.answer_in(&world, "GET /watches").contains(r#"{"id":3,"name":"grey cat","off":true,"n":6}"#));
    let world = turn(&made, &world, "3", "turn=on").unwrap().world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /watches"), LIST);
    assert_eq!(
        made.answer("GET /watches/3"),
        r#"{"id":3,"name":"grey cat","off":false,"n":6}"#,
        "the world before is as it was"
    );
}

#[rstest]
#[case::of_nothing("9", "turn=off")]
#[case::without_it("3", "")]
#[case::with_another_value("3", "turn=round")]
#[case::with_another_parameter("3", "turn=off&n=1")]
fn other_lines_write_nothing(#[case] id: &str, #[case] query: &str) {
    let made = watches(r#"{"id":1,"name":"red fox","off":false,"n":4}"#);
    assert!(turn(&made, &made.derived.world, id, query).is_none());
}

#[test]
fn what_changes_beside_words_and_flags_is_not_known_afterwards() {
    let made = watches(r#"{"id":1,"name":"red fox","off":false,"n":9}"#);
    let world = turn(&made, &made.derived.world, "3", "turn=on").unwrap().world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /watches/3"), "<incomplete-entity>");
}

#[test]
fn a_line_that_leaves_all_as_it_was_only_reads() {
    let made = made(&[
        ("GET /watches", 200, LIST),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":false,"n":4}"#),
        ("GET /watches/1?turn=off", 200, r#""OK""#),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":false,"n":4}"#),
    ]);
    assert!(made.derived.by_reads.is_empty());
}

/// What this value never turned stays as it is, whatever another value turns.
#[test]
fn each_value_changes_what_it_changed() {
    let made = made(&[
        ("GET /watches", 200, LIST),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":false,"n":4}"#),
        (r#"PATCH{"n":7} /watches/2"#, 200, r#"{"id":2,"name":"blue owl","off":false,"n":7}"#),
        ("GET /watches/2", 200, r#"{"id":2,"name":"blue owl","off":false,"n":7}"#),
        ("GET /watches/1?turn=off", 200, r#""OK""#),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":true,"n":4}"#),
        ("GET /watches/1?turn=round", 200, r#""OK""#),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":true,"n":4}"#),
    ]);
    assert!(turn(&made, &made.derived.world, "3", "turn=off").is_some());
    assert!(turn(&made, &made.derived.world, "3", "turn=round").is_none());
}

/// A write to all of them stands between: which of the two turned it is not told.
#[test]
fn what_another_write_may_have_changed_is_no_sample() {
    let made = made(&[
        ("GET /watches", 200, LIST),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":false,"n":4}"#),
        ("POST /watches/pause", 204, ""),
        ("GET /watches/1?form=plain", 200, r#""red fox""#),
        ("GET /watches/1", 200, r#"{"id":1,"name":"red fox","off":true,"n":4}"#),
    ]);
    assert!(made.derived.by_reads.is_empty());
}
