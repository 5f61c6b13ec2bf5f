//! What the writes of one type have in common: members that one of them stores the others take, too; one call that is about
//! several entities, in the form of the application's single calls (Directus).

use super::recording::{Made, made, value};
use crate::json::Value;
use rstest::rstest;

/// Notes under `data`: one and two created, one changed, two removed, all of one user.
fn recorded() -> Made {
    made(&[
        (
            "GET /api/notes",
            200,
            r#"{"data":[{"id":1,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"ash","size":0,"kind":null},{"id":2,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"birch","size":4,"kind":"tree"}]}"#,
        ),
        (
            "GET /api/notes/1",
            200,
            r#"{"data":{"id":1,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"ash","size":0,"kind":null}}"#,
        ),
        (
            r#"POST{"text":"cedar","kind":"tree"} /api/notes"#,
            200,
            r#"{"data":{"id":3,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"cedar","size":0,"kind":"tree"}}"#,
        ),
        (
            "GET /api/notes/3",
            200,
            r#"{"data":{"id":3,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"cedar","size":0,"kind":"tree"}}"#,
        ),
        (
            r#"PATCH{"size":7,"kind":"shrub"} /api/notes/1"#,
            200,
            r#"{"data":{"id":1,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"ash","size":7,"kind":"shrub"}}"#,
        ),
        (
            "GET /api/notes/1",
            200,
            r#"{"data":{"id":1,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"ash","size":7,"kind":"shrub"}}"#,
        ),
        (
            r#"POST[{"text":"elm"},{"text":"fir"}] /api/notes"#,
            200,
            r#"{"data":[{"id":4,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"elm","size":0,"kind":null},{"id":5,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"fir","size":0,"kind":null}]}"#,
        ),
        (
            "GET /api/notes/4",
            200,
            r#"{"data":{"id":4,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"elm","size":0,"kind":null}}"#,
        ),
        (
            "GET /api/notes/5",
            200,
            r#"{"data":{"id":5,"by":"93418a28-d4b3-4dfb-ac6b-a77d7f4c351d","text":"fir","size":0,"kind":null}}"#,
        ),
        ("DELETE[4,5] /api/notes", 204, ""),
        ("GET /api/notes/4", 404, r#"{"error":"none"}"#),
        ("GET /api/notes/5", 404, r#"{"error":"none"}"#),
    ])
}

fn answered(made: &Made, line: &str, body: &str) -> Value {
    made.write(&made.derived.world, line, body).unwrap().body.unwrap()
}

const BY: &str = "93418a28-d4b3-4dfb-ac6b-a77d7f4c351d";

#[rstest]
#[case::a_create_takes_what_updates_store(
    "POST /api/notes",
    r#"{"text":"gum","size":2}"#,
    r#"{"id":3,"by":"BY","text":"gum","size":2,"kind":null}"#
)]
#[case::and_leaves_what_creates_leave(
    "POST /api/notes",
    r#"{"text":"gum"}"#,
    r#"{"id":3,"by":"BY","text":"gum","size":0,"kind":null}"#
)]
#[case::an_update_takes_what_creates_store(
    "PATCH /api/notes/2",
    r#"{"text":"beech"}"#,
    r#"{"id":2,"by":"BY","text":"beech","size":4,"kind":"tree"}"#
)]
#[case::and_keeps_what_is_not_sent(
    "PATCH /api/notes/2",
    r#"{"size":1}"#,
    r#"{"id":2,"by":"BY","text":"birch","size":1,"kind":"tree"}"#
)]
fn members_of_one_type_are_taken_by_all_its_writes(#[case] line: &str, #[case] body: &str, #[case] expected: &str) {
    let expected = value(&format!(r#"{{"data":{}}}"#, expected.replace("BY", BY)));
    let answer = answered(&recorded(), line, body);
    assert!(answer.same_as(&expected), "{}", answer.to_compact());
}

#[rstest]
#[case::the_identity("PATCH /api/notes/2", r#"{"id":9}"#)]
#[case::what_no_write_stores("PATCH /api/notes/2", r#"{"by":"x"}"#)]
#[case::another_type_than_any_write_stored("POST /api/notes", r#"{"text":"gum","size":"two"}"#)]
fn what_no_write_of_the_type_stores_is_refused(#[case] line: &str, #[case] body: &str) {
    let made = recorded();
    let refused = made.write(&made.derived.world, line, body).unwrap_err();
    assert!(refused.message.contains("accepted members"), "{}", refused.message);
}

#[test]
fn several_are_created_in_the_form_of_one() {
    let answer = answered(&recorded(), "POST /api/notes", r#"[{"text":"oak"},{"text":"yew","kind":"tree"}]"#);
    let expected = r#"{"data":[{"id":3,"by":"BY","text":"oak","size":0,"kind":null},{"id":4,"by":"BY","text":"yew","size":0,"kind":"tree"}]}"#;
    assert!(answer.same_as(&value(&expected.replace("BY", BY))), "{}", answer.to_compact());
}

#[test]
fn several_are_removed_by_their_identities_alone() {
    let made = recorded();
    let start = made.derived.world.clone();
    let world = made.after(&start, "DELETE /api/notes", "[2,1]");
    assert!(world.collection(0, "/api/notes").is_none_or(|notes| notes.is_empty()));
    // All of them, or none.
    let refused = made.write(&start, "DELETE /api/notes", "[2,77]").unwrap_err();
    assert!(refused.message.contains("the state does not hold"), "{}", refused.message);
}
