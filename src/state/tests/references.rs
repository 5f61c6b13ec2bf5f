//! Members that show another entity in full: filled for entities that were never read that way, where every case agrees.

use super::recording::made;
use rstest::rstest;

#[rstest]
#[case::filled("beta", r#"{"id":13,"title":"t3","board":{"id":71,"name":"alpha"}}"#)]
#[case::one_case_shows_something_else("other", "<incomplete-entity>")]
fn another_entity_in_full(#[case] second: &str, #[case] expected: &str) {
    let item: &'static str = format!(r#"{{"id":12,"title":"t2","board":{{"id":72,"name":"{second}"}}}}"#).leak();
    let made = made(&[
        ("GET /boards", 200, r#"[{"id":71,"name":"alpha","size":4},{"id":72,"name":"beta","size":9}]"#),
        (
            "GET /tasks",
            200,
            r#"[{"id":11,"title":"t1","board":71},{"id":12,"title":"t2","board":72},{"id":13,"title":"t3","board":71}]"#,
        ),
        ("GET /tasks/11", 200, r#"{"id":11,"title":"t1","board":{"id":71,"name":"alpha"}}"#),
        ("GET /tasks/12", 200, item),
    ]);
    assert_eq!(made.answer("GET /tasks/13"), expected);
}

#[test]
fn the_identity_may_be_held_under_another_name() {
    let made = made(&[
        ("GET /users", 200, r#"[{"id":"u-71","name":"ann"},{"id":"u-72","name":"bob"}]"#),
        (
            "GET /tasks",
            200,
            r#"[{"id":11,"title":"t1","ownerId":"u-71"},{"id":12,"title":"t2","ownerId":"u-72"},{"id":13,"title":"t3","ownerId":"u-72"}]"#,
        ),
        ("GET /tasks/11", 200, r#"{"id":11,"title":"t1","ownerId":"u-71","owner":{"id":"u-71","name":"ann"}}"#),
        ("GET /tasks/12", 200, r#"{"id":12,"title":"t2","ownerId":"u-72","owner":{"id":"u-72","name":"bob"}}"#),
    ]);
    let expected = r#"{"id":13,"title":"t3","ownerId":"u-72","owner":{"id":"u-72","name":"bob"}}"#;
    assert_eq!(made.answer("GET /tasks/13"), expected);
}

#[test]
fn a_member_may_be_called_otherwise_where_it_is_shown() {
    let made = made(&[
        ("GET /boards", 200, r#"[{"id":71,"name":"alpha","size":4},{"id":72,"name":"beta","size":9}]"#),
        (
            "GET /tasks",
            200,
            r#"[{"id":11,"title":"t1","board":71},{"id":12,"title":"t2","board":72},{"id":13,"title":"t3","board":71}]"#,
        ),
        ("GET /tasks/11", 200, r#"{"id":11,"title":"t1","board":{"id":71,"label":"alpha"}}"#),
        ("GET /tasks/12", 200, r#"{"id":12,"title":"t2","board":{"id":72,"label":"beta"}}"#),
    ]);
    assert_eq!(made.answer("GET /tasks/13"), r#"{"id":13,"title":"t3","board":{"id":71,"label":"alpha"}}"#);
}
