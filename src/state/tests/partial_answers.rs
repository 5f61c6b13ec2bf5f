//! Writes whose answer has members that nothing gives: they change the state, and what is not known of the answer is as it
//! was recorded.

use super::recording::{Made, made, value};
use crate::json::Value;
use crate::state::{Write, Written};
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
    let parameters = [id.to_owned()];
    let path = format!("/notes/{id}");
    let call = Write { parameters: &parameters, path: &path, query: &[], body: None };
    let plan = made.derived.plan(made.tool("DELETE", "/notes/1")).unwrap();
    made.derived.write(&made.derived.world, plan, &call, ("ev", "tool")).unwrap()
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
