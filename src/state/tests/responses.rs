//! What answers hold beside the world: members that each response makes anew, refusals, clocks in another spelling, parts of
//! an entity under a path of their own.

use super::recording::{Call, Made, made};
use crate::state::{MadeAnew, ReadAnswer};
use rstest::rstest;

const A: &str =
    r#"{"tasks":[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}],"trace":"0b2f41de-1111-4aaa-8bbb-000000000001"}"#;
const B: &str =
    r#"{"tasks":[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}],"trace":"9c3e52cf-2222-4ccc-9ddd-000000000002"}"#;

fn anew(made: &Made, call: &str) -> Vec<MadeAnew> {
    match made.read(call) {
        ReadAnswer::State { per_response, .. } => per_response,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_member_that_each_response_makes_anew_keeps_what_was_recorded() {
    let made = made(&[
        ("GET /tasks", 200, A),
        ("GET /tasks", 200, B),
        ("GET /tasks/11", 200, r#"{"task":{"id":11,"name":"delta"},"trace":"1b2f41de-1111-4aaa-8bbb-000000000003"}"#),
        ("GET /tasks/12", 200, r#"{"task":{"id":12,"name":"alpha"},"trace":"2b2f41de-1111-4aaa-8bbb-000000000004"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks"), A);
    assert_eq!(anew(&made, "GET /tasks"), [("/trace".to_owned(), "uuid")]);
    // The same member of another tool, though no line of it was asked twice.
    assert_eq!(anew(&made, "GET /tasks/12"), [("/trace".to_owned(), "uuid")]);
    assert!(made.answer("GET /tasks/12").starts_with(r#"{"task":{"id":12,"name":"alpha"}"#));
}

/// Texts that vary and yet are no response's own.
#[rstest]
#[case::nothing_was_asked_twice(&[("GET /a", 200, r#"{"x":"token-0001"}"#), ("GET /a?b=1", 200, r#"{"x":"token-0002"}"#)])]
#[case::more_differs(&[("GET /a", 200, r#"{"x":"token-0001","n":1}"#), ("GET /a", 200, r#"{"x":"token-0002","n":2}"#)])]
#[case::written_in_between(&[("GET /a", 200, r#"{"x":"token-0001"}"#), ("POST /a", 200, "{}"), ("GET /a", 200, r#"{"x":"token-0002"}"#)])]
#[case::one_came_back(&[("GET /a", 200, r#"{"x":"token-0001"}"#), ("GET /a", 200, r#"{"x":"token-0002"}"#), ("GET /a", 200, r#"{"x":"token-0001"}"#)])]
#[case::no_identifier(&[("GET /a", 200, r#"{"x":"all is well"}"#), ("GET /a", 200, r#"{"x":"all is not well"}"#)])]
#[case::another_form(&[("GET /a", 200, r#"{"x":"token-0001"}"#), ("GET /a", 200, r#"{"x":"token-10001"}"#)])]
#[case::a_call_names_it(&[("GET /a", 200, r#"{"x":"token-0001"}"#), ("GET /a", 200, r#"{"x":"token-0002"}"#), ("GET /b?at=token-0002", 200, "{}")])]
fn what_no_response_makes_anew(#[case] calls: &[Call]) {
    let made = made(calls);
    assert_eq!(made.derived.per_response(made.tool("GET", "/a")), []);
}

#[test]
fn an_absence_makes_the_id_of_its_error_anew() {
    let made = made(&[
        ("GET /tasks", 200, r#"[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}]"#),
        ("GET /tasks/11", 200, r#"{"id":11,"name":"delta"}"#),
        ("GET /tasks/98", 404, r#"{"error":"no task 98","id":"0b2f41de-1111-4aaa-8bbb-000000000001"}"#),
        ("GET /tasks/99", 404, r#"{"error":"no task 99","id":"9c3e52cf-2222-4ccc-9ddd-000000000002"}"#),
    ]);
    assert_eq!(anew(&made, "GET /tasks/77"), [("/id".to_owned(), "uuid")]);
    assert!(made.answer("GET /tasks/77").starts_with(r#"{"error":"no task 77""#));
}

/// The id of an error may stand in the only item of a list of errors.
#[test]
fn an_absence_makes_the_id_of_its_only_error_anew() {
    let made = made(&[
        ("GET /tasks", 200, r#"[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}]"#),
        ("GET /tasks/11", 200, r#"{"id":11,"name":"delta"}"#),
        ("GET /tasks/98", 404, r#"{"errors":[{"text":"no task","id":"0b2f41de-1111-4aaa-8bbb-000000000001"}]}"#),
        ("GET /tasks/99", 404, r#"{"errors":[{"text":"no task","id":"9c3e52cf-2222-4ccc-9ddd-000000000002"}]}"#),
    ]);
    assert_eq!(anew(&made, "GET /tasks/77"), [("/errors/0/id".to_owned(), "uuid")]);
}

const LIST: &str = r#"[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}]"#;

#[test]
fn a_line_that_is_always_refused_is_refused() {
    let made = made(&[
        ("GET /tasks", 200, LIST),
        ("GET /tasks?limit=1", 200, r#"[{"id":11,"name":"delta"}]"#),
        ("GET /tasks?limit=2", 200, LIST),
        ("GET /tasks?limit=500", 400, r#"{"error":"too many"}"#),
        ("GET /tasks/11", 200, r#"{"id":11,"name":"delta"}"#),
        ("GET /tasks/11?full=x", 422, r#"{"error":"full"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks?limit=500"), "<refused as in record 3>");
    assert_eq!(made.answer("GET /tasks?limit=2"), LIST);
    assert_eq!(made.answer("GET /tasks/11?full=x"), "<refused as in record 5>");
}

#[rstest]
#[case::answered_before(200, "400")]
#[case::another_caller(401, "401")]
fn a_line_that_was_answered_too_is_not_refused(#[case] first: u16, #[case] second: &str) {
    let made = made(&[
        ("GET /tasks", 200, LIST),
        ("GET /tasks", second.parse().unwrap(), r#"{"error":"no"}"#),
        ("GET /tasks", first, if first == 200 { LIST } else { r#"{"error":"no"}"# }),
    ]);
    assert_eq!(made.answer("GET /tasks"), LIST);
}

const NOTES: [Call; 6] = [
    ("GET /tasks", 200, LIST),
    ("GET /tasks/11", 200, r#"{"id":11,"name":"delta"}"#),
    ("GET /tasks/12", 200, r#"{"id":12,"name":"alpha"}"#),
    ("GET /tasks/11/notes", 200, r#"[{"id":1,"task":11,"text":"one"},{"id":2,"task":11,"text":"two"}]"#),
    ("GET /tasks/12/notes", 200, "[]"),
    ("GET /tasks/98/notes", 404, r#"{"error":"no task 98"}"#),
];

#[test]
fn a_list_under_what_is_not_there_is_absent() {
    let made = made(&NOTES);
    assert_eq!(made.answer("GET /tasks/98/notes"), r#"{"error":"no task 98"}"#);
    assert_eq!(made.answer("GET /tasks/97/notes"), r#"{"error":"no task 97"}"#);
    assert_eq!(made.answer("GET /tasks/12/notes"), "[]");
}

#[test]
fn a_list_that_is_empty_under_what_is_not_there_is_no_absence() {
    let mut calls = NOTES.to_vec();
    calls.push(("GET /tasks/97/notes", 200, "[]"));
    assert_ne!(made(&calls).answer("GET /tasks/96/notes"), r#"{"error":"no task 96"}"#);
}

/// A list that spells a clock in another way than the items.
#[rstest]
#[case::zone("2026-03-01T10:00:00.120Z", "2026-03-01T10:00:00.120+00:00")]
#[case::space("2026-03-01T10:00:00Z", "2026-03-01 10:00:00")]
fn a_clock_is_spelled_as_the_view_spells_it(#[case] item: &'static str, #[case] list: &'static str) {
    let text = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let at = |clock: &str, minute: &str| clock.replace("10:00:00", &format!("10:{minute}:00"));
    let one = |id: u64, clock: String| format!(r#"{{"id":{id},"name":"task {id}","made":"{clock}","seen":null}}"#);
    let listed: Vec<String> = (11..14).map(|id| one(id, at(list, &id.to_string()))).collect();
    let made = made(&[
        ("GET /tasks", 200, text(format!("[{}]", listed.join(",")))),
        ("GET /tasks/11", 200, text(one(11, at(item, "11")))),
        ("GET /tasks/12", 200, text(one(12, at(item, "12")))),
    ]);
    assert_eq!(made.answer("GET /tasks/13"), one(13, at(item, "13")));
}

#[test]
fn a_member_is_read_under_a_path_of_its_own() {
    let list = r#"[{"id":11,"tags":["a"]},{"id":12,"tags":["b","c"]},{"id":13,"tags":["d"]}]"#;
    let calls: Vec<Call> = vec![
        ("GET /tasks", 200, list),
        ("GET /tasks/11", 200, r#"{"id":11,"tags":["a"]}"#),
        ("GET /tasks/12", 200, r#"{"id":12,"tags":["b","c"]}"#),
        ("GET /tasks/11/tags", 200, r#"["a"]"#),
        ("GET /tasks/12/tags", 200, r#"["b","c"]"#),
    ];
    let both = made(&calls);
    assert_eq!(both.answer("GET /tasks/13/tags"), r#"["d"]"#);
    assert_eq!(both.answer("GET /tasks/13/tags?x=1"), "<unrecorded-request>");
    // One answer says too little.
    assert_eq!(made(&calls[..4]).answer("GET /tasks/13/tags"), "<unrecorded-request>");
}

/// Only one refusal of a read was recorded: what writes are refused with shows that the id of an error is made anew, and
/// that a code which comes again, or a text that names what was asked for, is not.
#[test]
fn refusals_of_other_tools_show_what_the_only_one_makes_anew() {
    const PATCHED: &str = r#"{"id":11,"name":"gamma"}"#;
    let made = made(&[
        ("GET /tasks", 200, r#"[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}]"#),
        ("GET /tasks/11", 200, r#"{"id":11,"name":"delta"}"#),
        ("GET /tasks/98", 404, r#"{"at":"task-id-98","code":"error-404","id":"0b2f41de-1111-4aaa-8bbb-000000000001"}"#),
        (
            r#"PATCH{"name":""} /tasks/11"#,
            400,
            r#"{"at":"task-id-11","code":"error-404","id":"9c3e52cf-2222-4ccc-9ddd-000000000002"}"#,
        ),
        (r#"PATCH{"name":"gamma"} /tasks/11"#, 200, PATCHED),
        ("GET /tasks/11", 200, PATCHED),
    ]);
    assert_eq!(anew(&made, "GET /tasks/77"), [("/id".to_owned(), "uuid")]);
}
