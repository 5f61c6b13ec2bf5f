//! Writes whose answer has members that nothing gives: they change the state, and what is not known of the answer is as it
//! was recorded.

use super::recording::{Made, made, value};
use crate::json::Value;
use crate::state::Written;
use rstest::rstest;

/// Notes of which no read shows the hash: a delete answers with what was taken away, hash, owner and all.
fn notes() -> Made {
    made(&[
        ("GET /notes", 200, r#"[{"id":1,"text":"one"},{"id":2,"text":"two"},{"id":3,"text":"three"}]"#),
        ("GET /notes/3", 200, r#"{"id":3,"text":"three"}"#),
        (
            "DELETE /notes/1",
            200,
            r#"{"was":{"id":1,"text":"one","hash":"qwe rty","by":{"me":true},"at":"/notes/1/x"}}"#,
        ),
        ("GET /notes/1", 404, r#"{"error":"absent"}"#),
        ("GET /notes", 200, r#"[{"id":2,"text":"two"},{"id":3,"text":"three"}]"#),
        (
            "DELETE /notes/2",
            200,
            r#"{"was":{"id":2,"text":"two","hash":"uio pas","by":{"me":false},"at":"/notes/1/z"}}"#,
        ),
        ("GET /notes", 200, r#"[{"id":3,"text":"three"}]"#),
    ])
}

fn delete(made: &Made, id: &str) -> Written {
    made.write(&made.derived.world, &format!("DELETE /notes/{id}"), "").unwrap()
}

#[test]
fn what_nothing_gives_is_as_it_was_recorded() {
    let made = notes();
    let written = delete(&made, "3");
    // What speaks of the recorded entity is left out.
    let expected = r#"{"was":{"id":3,"text":"three","hash":"qwe rty","by":{"me":true}}}"#;
    assert_eq!(written.body.as_ref().map(Value::to_compact).as_deref(), Some(expected));
    assert_eq!(written.recorded, ["/was/hash", "/was/by/me", "/was/at"]);
    let world = written.world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /notes"), r#"[{"id":1,"text":"one"},{"id":2,"text":"two"}]"#);
}

#[rstest]
#[case::there(r#"{"a":1,"b":2}"#, r#"{"a":1,"b":3}"#, true)]
#[case::only_in_one(r#"{"a":1,"b":2}"#, r#"{"a":1}"#, true)]
#[case::another(r#"{"a":1,"b":2}"#, r#"{"a":2,"b":2}"#, false)]
#[case::one_more(r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2,"c":1}"#, false)]
fn bodies_are_the_same_but_for_a_place(#[case] one: &str, #[case] other: &str, #[case] same: bool) {
    let places = ["/b".to_owned()];
    assert_eq!(crate::state::write_answer::same_but(&value(one), &value(other), "", &places), same);
}

/// Names are kept in versions: the first update of a thing makes one whatever it sends, later ones where they send a name.
#[test]
fn what_is_made_once_is_made_again_by_what_made_it() {
    let thing = |id: u32, name: &str, tag: &str, versions: u32| -> &'static str {
        format!(r#"{{"id":{id},"name":"{name}","tag":"{tag}","links":{{"versions":[{{"count":{versions}}}]}}}}"#).leak()
    };
    let list: &str = format!("[{},{},{}]", thing(1, "a", "t", 0), thing(2, "b", "t", 0), thing(3, "c", "t", 0)).leak();
    let made = made(&[
        ("GET /things", 200, list),
        ("GET /things/1", 200, thing(1, "a", "t", 0)),
        ("GET /things/2", 200, thing(2, "b", "t", 0)),
        ("GET /things/3", 200, thing(3, "c", "t", 0)),
        (r#"PUT{"name":"ax"} /things/1"#, 200, thing(1, "ax", "t", 1)),
        ("GET /things/1", 200, thing(1, "ax", "t", 1)),
        (r#"PUT{"tag":"u"} /things/2"#, 200, thing(2, "b", "u", 1)),
        ("GET /things/2", 200, thing(2, "b", "u", 1)),
        (r#"PUT{"name":"ay"} /things/1"#, 200, thing(1, "ay", "t", 2)),
        ("GET /things/1", 200, thing(1, "ay", "t", 2)),
        (r#"PUT{"tag":"v"} /things/1"#, 200, thing(1, "ay", "v", 2)),
        ("GET /things/1", 200, thing(1, "ay", "v", 2)),
    ]);
    let mut world = made.derived.world.clone();
    for (sent, expected) in [
        (r#"{"tag":"w"}"#, thing(3, "c", "w", 1)),
        (r#"{"tag":"x"}"#, thing(3, "c", "x", 1)),
        (r#"{"name":"d"}"#, thing(3, "d", "x", 2)),
    ] {
        world = made.after(&world, "PUT /things/3", sent);
        assert_eq!(made.answer_in(&world, "GET /things/3"), expected);
    }
}

/// What a rename does to the code is not known; the switch of another thing is confirmed by the list that shows both.
#[test]
fn what_one_write_does_not_tell_is_no_reason_against_the_next() {
    let list = |name: &str, code: &str, on: bool, last: &str| -> &'static str {
        format!(
            r#"[{{"id":1,"name":"{name}","code":"{code}","on":false}},{{"id":2,"name":"b","code":"q","on":{on}}},{last}]"#
        )
        .leak()
    };
    let third = r#"{"id":3,"name":"c","code":"r","on":false}"#;
    let made = made(&[
        ("GET /things", 200, list("a", "p", false, third)),
        ("GET /things/3", 200, third),
        (r#"PUT{"name":"x"} /things/1"#, 204, ""),
        (r#"PATCH{"on":true} /things/2"#, 204, ""),
        ("GET /things", 200, list("x", "zorn", true, third)),
        (r#"PUT{"name":"y"} /things/3"#, 204, ""),
        ("GET /things", 200, list("x", "zorn", true, r#"{"id":3,"name":"y","code":"mulk","on":false}"#)),
    ]);
    assert!(made.derived.plan(made.tool("PATCH", "/things/2")).is_some());
    let world = made.after(&made.derived.world, "PUT /things/2", r#"{"name":"z"}"#);
    assert_eq!(made.answer_in(&world, "GET /things"), "<incomplete-entity>");
}
