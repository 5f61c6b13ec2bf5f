//! Document writes over small recordings: what the sent members leave in the document, what is answered, what is refused.

use super::recording::{Call, Made, made};
use crate::state::{World, WriteRefusal, Written};
use rstest::rstest;

fn call(made: &Made, world: &World, call: (&str, &str), body: Option<&str>) -> Result<Written, WriteRefusal> {
    let (method, path) = call;
    made.write(world, &format!("{method} {path}"), body.unwrap_or_default())
}

/// The only document at a path.
fn held(world: &World, path: &str) -> Option<String> {
    world.documents().find(|(_, key, _)| *key == path).map(|(_, _, document)| document.value.to_compact())
}

fn after(recorded: &[Call], write: (&str, &str), body: Option<&str>) -> Result<String, String> {
    let made = made(recorded);
    let written = call(&made, &made.derived.world, write, body).map_err(|refusal| refusal.message)?;
    assert_eq!(written.view, "document-write");
    Ok(held(&written.world.unwrap(), write.1).unwrap())
}

/// Members merged in; two different ones; every one was held.
const MERGED: &[Call] = &[
    ("GET /api/settings", 200, r#"{"title":"a","days":3,"open":true}"#),
    (r#"PATCH{"title":"b"} /api/settings"#, 200, r#"{"title":"b","days":3,"open":true}"#),
    ("GET /api/settings", 200, r#"{"title":"b","days":3,"open":true}"#),
    (r#"PATCH{"days":5} /api/settings"#, 200, r#"{"title":"b","days":5,"open":true}"#),
    ("GET /api/settings", 200, r#"{"title":"b","days":5,"open":true}"#),
];

/// A list that POST adds to, DELETE takes from and PUT replaces.
const LIST: &[Call] = &[
    ("GET /api/hooks", 200, r#"{"urls":["a","b"]}"#),
    (r#"POST{"urls":["c"]} /api/hooks"#, 201, r#"{"urls":["c"]}"#),
    ("GET /api/hooks", 200, r#"{"urls":["a","b","c"]}"#),
    (r#"DELETE{"urls":["a"]} /api/hooks"#, 204, ""),
    ("GET /api/hooks", 200, r#"{"urls":["b","c"]}"#),
    (r#"PUT{"urls":["d","b"]} /api/hooks"#, 200, r#"{"urls":["d","b"]}"#),
    ("GET /api/hooks", 200, r#"{"urls":["d","b"]}"#),
];

/// One document a section: PATCH merges within objects and removes what is null, PUT replaces.
const SECTIONS: &[Call] = &[
    ("GET /api/config/11", 200, r#"{"cell":{"save":true}}"#),
    ("GET /api/config/12", 200, r#"{"sort":"name"}"#),
    (r#"PATCH{"cell":{"lines":true}} /api/config/11"#, 200, r#"{"cell":{"save":true,"lines":true}}"#),
    ("GET /api/config/11", 200, r#"{"cell":{"save":true,"lines":true}}"#),
    (r#"PATCH{"sort":null,"hidden":false} /api/config/12"#, 200, r#"{"hidden":false}"#),
    ("GET /api/config/12", 200, r#"{"hidden":false}"#),
    (r#"PUT{"sort":"date","hidden":true} /api/config/12"#, 204, ""),
    ("GET /api/config/12", 200, r#"{"sort":"date","hidden":true}"#),
];

/// Settings in a list, told apart by their key; the sent ones are inside of the same member.
const KEYED: &[Call] = &[
    (
        "GET /api/options",
        200,
        r#"{"options":{"rows":[{"key":"x","value":1},{"key":"y","value":2}],"columns":[{"key":"c"}]}}"#,
    ),
    (r#"PUT{"options":{"rows":[{"key":"y","value":3}]}} /api/options"#, 200, r#"{"ok":true}"#),
    (
        "GET /api/options",
        200,
        r#"{"options":{"rows":[{"key":"x","value":1},{"key":"y","value":3}],"columns":[{"key":"c"}]}}"#,
    ),
];

/// A version that counts, inside an envelope that the body does not have.
const STAMPED: &[Call] = &[
    ("GET /api/profile", 200, r#"{"data":{"name":"a","mail":"m","version":1}}"#),
    (r#"PATCH{"name":"b"} /api/profile"#, 200, r#"{"message":"saved"}"#),
    ("GET /api/profile", 200, r#"{"data":{"name":"b","mail":"m","version":2}}"#),
    (r#"PATCH{"mail":"n"} /api/profile"#, 200, r#"{"message":"saved"}"#),
    ("GET /api/profile", 200, r#"{"data":{"name":"b","mail":"n","version":3}}"#),
];

#[rstest]
#[case::merged(MERGED, ("PATCH", "/api/settings"), r#"{"title":"z"}"#, r#"{"title":"z","days":3,"open":true}"#)]
#[case::a_held_member_like_others(
    MERGED, ("PATCH", "/api/settings"), r#"{"open":false}"#, r#"{"title":"a","days":3,"open":false}"#
)]
#[case::added(LIST, ("POST", "/api/hooks"), r#"{"urls":["x","y"]}"#, r#"{"urls":["a","b","x","y"]}"#)]
#[case::taken(LIST, ("DELETE", "/api/hooks"), r#"{"urls":["a"]}"#, r#"{"urls":["b"]}"#)]
#[case::replaced(LIST, ("PUT", "/api/hooks"), r#"{"urls":["x"]}"#, r#"{"urls":["x"]}"#)]
#[case::within(
    SECTIONS, ("PATCH", "/api/config/11"), r#"{"cell":{"save":null}}"#, r#"{"cell":{}}"#
)]
#[case::whole(SECTIONS, ("PUT", "/api/config/12"), r#"{"hidden":true}"#, r#"{"hidden":true}"#)]
#[case::keyed(
    KEYED,
    ("PUT", "/api/options"),
    r#"{"options":{"rows":[{"key":"x","value":9}]}}"#,
    r#"{"options":{"rows":[{"key":"x","value":9},{"key":"y","value":2}],"columns":[{"key":"c"}]}}"#
)]
#[case::stamped(
    STAMPED, ("PATCH", "/api/profile"), r#"{"name":"z"}"#, r#"{"data":{"name":"z","mail":"m","version":2}}"#
)]
fn what_is_sent_meets_what_is_held(
    #[case] recorded: &[Call],
    #[case] write: (&str, &str),
    #[case] body: &str,
    #[case] expected: &str,
) {
    assert_eq!(after(recorded, write, Some(body)).as_deref(), Ok(expected));
}

#[rstest]
#[case::unknown_member(MERGED, ("PATCH", "/api/settings"), Some(r#"{"colour":1}"#), "\"colour\"")]
#[case::another_type(MERGED, ("PATCH", "/api/settings"), Some(r#"{"title":1}"#), "never recorded as number")]
#[case::held_as_another_type(MERGED, ("PATCH", "/api/settings"), Some(r#"{"open":"no"}"#), "never recorded as string")]
#[case::no_body(MERGED, ("PATCH", "/api/settings"), None, "must be an object")]
#[case::no_object(MERGED, ("PATCH", "/api/settings"), Some("[1]"), "must be an object")]
#[case::twice_in_a_list(LIST, ("POST", "/api/hooks"), Some(r#"{"urls":["a"]}"#), "replaces what is held or joins it")]
#[case::never_read(SECTIONS, ("PUT", "/api/config/99"), Some(r#"{"hidden":true}"#), "does not hold")]
#[case::no_such_key(
    KEYED, ("PUT", "/api/options"), Some(r#"{"options":{"rows":[{"key":"q","value":9}]}}"#), "joins it"
)]
fn what_the_recordings_do_not_tell_is_refused(
    #[case] recorded: &[Call],
    #[case] write: (&str, &str),
    #[case] body: Option<&str>,
    #[case] message: &str,
) {
    let refused = after(recorded, write, body).unwrap_err();
    assert!(refused.contains(message), "{refused}");
}

/// A PUT of every member says nothing about one that leaves some out, unless another method merges.
#[rstest]
#[case::alone(&[], None)]
#[case::beside_a_patch(
    &[
        (r#"PATCH{"a":5} /api/settings"#, 200, r#"{"a":5,"b":4}"#),
        ("GET /api/settings", 200, r#"{"a":5,"b":4}"#),
    ],
    Some(r#"{"a":9}"#)
)]
fn a_put_of_some_members(#[case] more: &[Call], #[case] expected: Option<&str>) {
    let mut recorded: Vec<Call> = vec![
        ("GET /api/settings", 200, r#"{"a":1,"b":2}"#),
        (r#"PUT{"a":3,"b":4} /api/settings"#, 204, ""),
        ("GET /api/settings", 200, r#"{"a":3,"b":4}"#),
    ];
    recorded.extend(more);
    assert_eq!(after(&recorded, ("PUT", "/api/settings"), Some(r#"{"a":9}"#)).ok().as_deref(), expected);
}

#[test]
fn answers_are_made_as_recorded() {
    let made = made(LIST);
    let start = &made.derived.world;
    let answer = |method: &str, body: &str| {
        let written = call(&made, start, (method, "/api/hooks"), Some(body)).unwrap();
        written.body.map(|body| body.to_compact())
    };
    assert_eq!(answer("POST", r#"{"urls":["x"]}"#).as_deref(), Some(r#"{"urls":["x"]}"#));
    assert_eq!(answer("PUT", r#"{"urls":["x"]}"#).as_deref(), Some(r#"{"urls":["x"]}"#));
    assert_eq!(answer("DELETE", r#"{"urls":["a"]}"#), None);
}

#[test]
fn a_write_that_no_read_shows_is_withheld() {
    let made = made(&[
        ("GET /api/settings", 200, r#"{"a":1}"#),
        (r#"PUT{"a":2} /api/settings"#, 200, r#"{"a":2}"#),
        ("GET /api/other", 200, r#"{"a":1}"#),
    ]);
    assert!(made.derived.plan(made.tool("PUT", "/api/settings")).is_none());
}

/// One PATCH and one PUT of the same document.
const BOTH: &[Call] = &[
    ("GET /api/profile", 200, r#"{"name":"a","theme":"dark"}"#),
    (r#"PATCH{"theme":"light"} /api/profile"#, 200, r#"{"name":"a","theme":"light"}"#),
    ("GET /api/profile", 200, r#"{"name":"a","theme":"light"}"#),
    (r#"PUT{"name":"b","theme":"light"} /api/profile"#, 200, r#"{"name":"b","theme":"light"}"#),
    ("GET /api/profile", 200, r#"{"name":"b","theme":"light"}"#),
];

#[test]
fn one_way_to_write_a_document_takes_what_another_stores() {
    let sent = Some(r#"{"name":"c"}"#);
    assert_eq!(after(BOTH, ("PATCH", "/api/profile"), sent).as_deref(), Ok(r#"{"name":"c","theme":"dark"}"#));
    let refused = after(&BOTH[..3], ("PATCH", "/api/profile"), sent).unwrap_err();
    assert!(refused.contains("accepted members: \"theme\" (string)"), "{refused}");
}
