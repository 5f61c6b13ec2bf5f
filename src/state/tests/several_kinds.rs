//! Entities of several kinds under one route (Kinto's records): members that only one kind has, shown late, by some views
//! alone, and kept by updates of the others.

use super::recording::{Made, made, value};
use rstest::rstest;

/// Records of two collections; a third gets its first one by a write. The item route is asked for posts first.
fn recorded() -> Made {
    made(&[
        ("GET /shelves/1/records", 200, r#"{"data":[{"id":1,"title":"ash","at":1},{"id":2,"title":"birch","at":2}]}"#),
        ("GET /shelves/2/records", 200, r#"{"data":[{"id":3,"label":"red","at":3}]}"#),
        ("GET /shelves/3/records", 200, r#"{"data":[]}"#),
        ("GET /shelves/1/records/1", 200, r#"{"data":{"id":1,"title":"ash","at":1}}"#),
        ("GET /shelves/1/records/2", 200, r#"{"data":{"id":2,"title":"birch","at":2}}"#),
        (r#"PATCH{"title":"elm"} /shelves/1/records/1"#, 200, r#"{"data":{"id":1,"title":"elm","at":1}}"#),
        ("GET /shelves/1/records/1", 200, r#"{"data":{"id":1,"title":"elm","at":1}}"#),
        (r#"PATCH{"label":"rouge"} /shelves/2/records/3"#, 200, r#"{"data":{"id":3,"label":"rouge","at":3}}"#),
        ("GET /shelves/2/records/3", 200, r#"{"data":{"id":3,"label":"rouge","at":3}}"#),
        (r#"POST{"note":"one"} /shelves/3/records"#, 201, r#"{"data":{"id":4,"note":"one","at":0}}"#),
        ("GET /shelves/3/records", 200, r#"{"data":[{"id":4,"note":"one","at":0}]}"#),
        (r#"POST{"note":"two"} /shelves/3/records"#, 201, r#"{"data":{"id":5,"note":"two","at":0}}"#),
        ("GET /shelves/3/records", 200, r#"{"data":[{"id":4,"note":"one","at":0},{"id":5,"note":"two","at":0}]}"#),
    ])
}

#[rstest]
#[case::an_update_keeps_what_the_recorded_ones_did_not_find(
    r#"PATCH /shelves/1/records/2"#,
    r#"{"title":"fir"}"#,
    "GET /shelves/1/records/2",
    r#"{"data":{"id":2,"title":"fir","at":2}}"#
)]
#[case::and_what_the_others_have(
    r#"PATCH /shelves/2/records/3"#,
    r#"{"label":"rot"}"#,
    "GET /shelves/2/records/3",
    r#"{"data":{"id":3,"label":"rot","at":3}}"#
)]
#[case::a_member_of_one_that_was_made_late_is_stored(
    "POST /shelves/3/records",
    r#"{"note":"seven"}"#,
    "GET /shelves/3/records",
    r#"{"data":[{"id":4,"note":"seven","at":0}]}"#
)]
#[case::a_view_that_was_never_asked_for_it_shows_it(
    "POST /shelves/3/records",
    r#"{"note":"seven"}"#,
    "GET /shelves/3/records/4",
    r#"{"data":{"id":4,"note":"seven","at":0}}"#
)]
fn members_of_each_kind_are_stored_and_shown(
    #[case] write: &str,
    #[case] sent: &str,
    #[case] read: &str,
    #[case] expected: &str,
) {
    let made = recorded();
    let world = made.after(&made.derived.world, write, sent);
    let shown = made.answer_in(&world, read);
    assert!(value(&shown).same_as(&value(expected)), "{shown}");
}
