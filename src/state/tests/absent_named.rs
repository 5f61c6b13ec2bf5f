//! Lists that are asked by a filter for what belongs to an entity that is not there.

use super::recording::{Call, made};
use rstest::rstest;

const REFUSED: &str = r#"{"id":"9d41f0aa-1111-4222-8333-444455556666","project":["15 is not one of the choices"]}"#;

fn calls(after: &'static str, status: u16) -> Vec<Call> {
    vec![
        ("GET /projects", 200, r#"[{"id":11,"n":"a"},{"id":15,"n":"b"},{"id":17,"n":"c"}]"#),
        ("GET /projects/15", 200, r#"{"id":15,"n":"b"}"#),
        ("GET /tasks", 200, r#"[{"id":21,"project":11},{"id":22,"project":11},{"id":23,"project":17}]"#),
        ("GET /tasks/21", 200, r#"{"id":21,"project":11}"#),
        ("GET /tasks?project=11", 200, r#"[{"id":21,"project":11},{"id":22,"project":11}]"#),
        ("GET /tasks?project=17", 200, r#"[{"id":23,"project":17}]"#),
        ("DELETE /projects/15", 204, ""),
        ("GET /projects/15", 404, r#"{"error":"none"}"#),
        ("GET /projects", 200, r#"[{"id":11,"n":"a"},{"id":17,"n":"c"}]"#),
        ("GET /tasks?project=15", status, after),
    ]
}

#[rstest]
#[case::refused(
    REFUSED,
    400,
    r#"{"id":"9d41f0aa-1111-4222-8333-444455556666","project":["99 is not one of the choices"]}"#,
    "<refused as in record 9>"
)]
#[case::answered("[]", 200, "[]", "[]")]
fn a_line_that_names_nothing(
    #[case] after: &'static str,
    #[case] status: u16,
    #[case] expected: &str,
    #[case] recorded: &str,
) {
    let made = made(&calls(after, status));
    let start = &made.derived.world;
    assert_eq!(made.answer_in(start, "GET /tasks?project=15"), "[]", "it is there at the start");
    assert_eq!(made.answer_in(start, "GET /tasks?project=99"), expected);
    let world = made.after(start, "DELETE /projects/15", "");
    assert_eq!(made.answer_in(&world, "GET /tasks?project=15"), recorded);
    assert_eq!(made.answer_in(&world, "GET /tasks?project=17"), r#"[{"id":23,"project":17}]"#);
}
