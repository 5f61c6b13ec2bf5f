//! Representations, order and the list of differences.

use super::fixture::{agrees, call, compared, differences, get, steps};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// One read, recorded and live.
fn read(recorded: &str, live: &str) -> crate::compare::Comparison {
    compared(&[get("/api/x", recorded)], &[get("/api/x", live)])
}

#[test]
fn json_compares_by_structure() {
    assert_eq!(agrees(&read(r#"{"a":1,"b":[2.0]}"#, "{ \"b\" : [2], \"a\" : 1 }")), [Some(true)]);
}

#[test]
fn differences_say_what_and_where() {
    let found = read(r#"{"a":1,"c":true,"x/y":null}"#, r#"{"a":2,"b":"new","x/y":"z"}"#);
    assert_eq!(
        differences(&steps(&found)[0]),
        ["value /a 2 1", r#"missing /b "new" -"#, r#"type /x~1y "z" null"#, "extra /c - true"]
    );
}

#[test]
fn at_most_twenty_differences_are_listed() {
    let list = |from: i32| format!("{:?}", (from..from + 30).collect::<Vec<_>>());
    let found = read(&list(0), &list(100));
    assert_eq!(steps(&found)[0].differences.len(), 20);
}

#[test]
fn an_answer_that_differs_only_in_order_is_told_apart() {
    let found = read(r#"[{"n":1,"t":[1,2]},{"n":2}]"#, r#"[{"n":2},{"n":1,"t":[2,1]}]"#);
    let verdict = steps(&found)[0].verdict.unwrap();
    assert!(!verdict.agrees && verdict.agrees_ignoring_order);
    let found = read(r#"[1,1,2]"#, r#"[1,2,2]"#);
    let verdict = steps(&found)[0].verdict.unwrap();
    assert!(!verdict.agrees_ignoring_order, "every item counts as often as it occurs");
}

#[test]
fn one_missing_item_is_one_difference() {
    let found =
        read(r#"[{"id":1,"n":"a"},{"id":3,"n":"c"}]"#, r#"[{"id":1,"n":"a"},{"id":2,"n":"b"},{"id":3,"n":"c"}]"#);
    assert_eq!(differences(&steps(&found)[0]), [r#"missing /1 {"id":2,"n":"b"} -"#]);
}

#[test]
fn statuses_must_be_equal() {
    let found = compared(&[get("/api/x", "{}")], &[call("GET", "/api/x", 201, "{}")]);
    assert_eq!(differences(&steps(&found)[0]), ["status - 201 200"]);
}

#[test]
fn text_compares_as_text() {
    let recorded = [get("/api/y", "{}"), get("/api/x", "plain  text").of_type("text/html")];
    let live = |text: &str| [get("/api/y", "{}"), get("/api/x", text).of_type("text/html")];
    assert_eq!(agrees(&compared(&recorded, &live("plain  text")))[1], Some(true));
    let found = compared(&recorded, &live("plain text"));
    assert_eq!(differences(&steps(&found)[1]), [r#"text  "plain text" "plain  text""#]);
}

#[test]
fn json_is_never_its_own_text() {
    let recorded = [get("/api/y", "{}"), get("/api/x", r#"{"a":1}"#)];
    let found = compared(&recorded, &[get("/api/y", "{}"), get("/api/x", r#"{"a":1}"#).of_type("text/html")]);
    assert_eq!(steps(&found)[1].differences[0].kind.word(), "text");
}

#[test]
fn bytes_compare_by_bytes() {
    let bytes = |bytes: &[u8]| get("/api/x?f=2", &STANDARD.encode(bytes)).of_type("image/png").in_base64();
    let with = |entry| [get("/api/x?f=1", "{}"), entry];
    let recorded = with(bytes(&[0xff, 0xfe, 1]));
    assert_eq!(agrees(&compared(&recorded, &with(bytes(&[0xff, 0xfe, 1]))))[1], Some(true));
    let found = compared(&recorded, &with(bytes(&[0xff, 0xfe, 2])));
    assert_eq!(steps(&found)[1].differences[0].kind.word(), "bytes");
    // A text of the same bytes is the same answer; its base64 spelling is not.
    let text = with(get("/api/x?f=2", "text").of_type("image/svg+xml"));
    assert_eq!(agrees(&compared(&text, &with(bytes(b"text"))))[1], Some(true));
    assert_eq!(agrees(&compared(&text, &with(get("/api/x?f=2", "dGV4dA==").of_type("image/svg+xml"))))[1], Some(false));
}

#[test]
fn numbers_keep_every_digit() {
    assert_eq!(agrees(&read(r#"{"a":9007199254740993}"#, r#"{"a":9007199254740993}"#)), [Some(true)]);
    assert_eq!(agrees(&read(r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#)), [Some(false)]);
}
