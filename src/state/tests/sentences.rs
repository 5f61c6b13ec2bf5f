//! Sentences of the reference that are easily skipped, each as a case: what establishes that a list is whole, what an empty
//! page may not do, and what takes the proof of a sorted array back.

use super::recording::{Call, made};
use crate::json::Value;
use rstest::rstest;

const PAGE: &str = r#"[{"id":13,"name":"beta"},{"id":14,"name":"gamma"}]"#;

/// "A line establishes whole-collection membership only from the beginning: offset, start, _start and page must be zero when
/// present."
#[rstest]
#[case::offset("GET /tasks?offset=2", false)]
#[case::start("GET /tasks?start=2", false)]
#[case::under_start("GET /tasks?_start=2", false)]
#[case::page("GET /tasks?page=2", false)]
#[case::malformed("GET /tasks?offset=-x", false)]
#[case::from_the_beginning("GET /tasks?offset=0", true)]
#[case::without("GET /tasks", true)]
fn only_a_line_from_the_beginning_says_what_is_not_there(#[case] line: &'static str, #[case] whole: bool) {
    let made = made(&[
        (line, 200, PAGE),
        ("GET /tasks/13", 200, r#"{"id":13,"name":"beta"}"#),
        ("GET /tasks/99", 404, r#"{"error":"task 99 not found"}"#),
    ]);
    assert_eq!(made.answer(line), PAGE);
    assert_eq!(made.answer("GET /tasks/14"), r#"{"id":14,"name":"gamma"}"#);
    let missing = made.answer("GET /tasks/98");
    assert_eq!(missing.starts_with("<absent") || missing.contains("task 98 not found"), whole, "{missing}");
}

/// "An empty later page cannot start returning earlier entities merely because it was empty in the capture."
#[rstest]
#[case::without_a_list(&[("GET /tasks?page=7", 200, "[]"), ("GET /tasks/13", 200, r#"{"id":13,"name":"beta"}"#)], "GET /tasks?page=7")]
#[case::beside_a_list(&[("GET /tasks", 200, PAGE), ("GET /tasks?page=7", 200, "[]")], "GET /tasks?page=7")]
#[case::by_offset(&[("GET /tasks", 200, PAGE), ("GET /tasks?offset=7", 200, "[]")], "GET /tasks?offset=7")]
#[case::of_a_size(
    &[("GET /tasks?limit=5", 200, PAGE), ("GET /tasks?limit=5&page=2", 200, "[]")],
    "GET /tasks?limit=5&page=2"
)]
fn an_empty_later_page_stays_empty(#[case] calls: &[Call], #[case] line: &str) {
    assert_eq!(made(calls).answer(line), "[]");
}

/// "If a later counted read contradicts that ordering, the view stays recorded and its earlier reads no longer confirm served
/// writes."
#[rstest]
#[case::shown_sorted(r#"["a","b"]"#, true)]
#[case::taken_back(r#"["b","a"]"#, false)]
fn a_read_out_of_order_takes_a_sorted_array_back(#[case] last: &str, #[case] known: bool) {
    let item = |tags: &str| -> &'static str { format!(r#"{{"id":11,"tags":{tags}}}"#).leak() };
    let made = made(&[
        ("GET /tasks", 200, r#"[{"id":11,"tags":["a","b"]}]"#),
        ("GET /tasks/11", 200, item(r#"["a","b"]"#)),
        (r#"PUT{"tags":["c","a"]} /tasks/11"#, 200, item(r#"["c","a"]"#)),
        ("GET /tasks/11", 200, item(r#"["a","c"]"#)),
        (r#"PUT{"tags":["d","b"]} /tasks/11"#, 200, item(r#"["d","b"]"#)),
        ("GET /tasks/11", 200, item(r#"["b","d"]"#)),
        (r#"PUT{"tags":["b","a"]} /tasks/11"#, 200, item(r#"["b","a"]"#)),
        ("GET /tasks/11", 200, item(last)),
    ]);
    let written = made.write(&made.derived.world, "PUT /tasks/11", r#"{"tags":["z","y"]}"#).unwrap();
    let world = written.world.unwrap();
    // What reads then show of an array that was never recorded is not known where the order is not.
    let held = world.collection(0, "/tasks").unwrap().iter().next().unwrap().fields.get("tags").map(Value::to_compact);
    assert_eq!(held.is_some(), known, "{held:?}");
}
