//! Reads of one that answer it as absent though other reads still show it.

use super::recording::{Call, made};

const START: &str = r#"[{"id":1,"name":"alder","stage":"on"},{"id":2,"name":"birch","stage":"on"},{"id":3,"name":"cedar","stage":"on"}]"#;
const ABSENT: &str = r#"{"message":"no such tree"}"#;

/// A removal marks a tree, and the short view of it answers nothing from then on; another one that is marked likewise.
#[test]
fn one_view_leaves_out_what_another_shows() {
    let calls: [Call; 15] = [
        ("GET /trees", 200, START),
        ("GET /trees/2", 200, r#"{"id":2,"name":"birch","stage":"on"}"#),
        ("GET /short/trees/1", 200, r#"{"id":1,"name":"alder"}"#),
        ("GET /short/trees/2", 200, r#"{"id":2,"name":"birch"}"#),
        ("GET /short/trees/9", 404, ABSENT),
        ("DELETE /trees/2", 204, ""),
        ("GET /trees/2", 200, r#"{"id":2,"name":"birch","stage":"off"}"#),
        ("GET /short/trees/2", 404, ABSENT),
        ("GET /short/trees/1", 200, r#"{"id":1,"name":"alder"}"#),
        ("POST /trees/2/restore", 200, "{}"),
        ("GET /trees/2", 200, r#"{"id":2,"name":"birch","stage":"on"}"#),
        ("GET /short/trees/2", 200, r#"{"id":2,"name":"birch"}"#),
        ("DELETE /trees/2", 204, ""),
        ("GET /trees/2", 200, r#"{"id":2,"name":"birch","stage":"off"}"#),
        ("GET /short/trees/2", 404, ABSENT),
    ];
    let made = made(&calls);
    let written = made.write(&made.derived.world, "DELETE /trees/3", "").unwrap();
    let world = written.world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /trees/3"), r#"{"id":3,"name":"cedar","stage":"off"}"#);
    assert_eq!(made.answer_in(&world, "GET /short/trees/3"), ABSENT);
    assert_eq!(made.answer_in(&world, "GET /short/trees/1"), r#"{"id":1,"name":"alder"}"#);
    let restored = made.after(&world, "POST /trees/3/restore", "");
    assert_eq!(made.answer_in(&restored, "GET /short/trees/3"), r#"{"id":3,"name":"cedar"}"#);
}

/// What no other read shows after the write is gone from all of them.
#[test]
fn what_no_read_shows_is_gone() {
    let calls: [Call; 7] = [
        ("GET /trees", 200, START),
        ("GET /trees/2", 200, r#"{"id":2,"name":"birch","stage":"on"}"#),
        ("GET /short/trees/2", 200, r#"{"id":2,"name":"birch"}"#),
        ("GET /short/trees/9", 404, ABSENT),
        ("GET /trees/9", 404, ABSENT),
        ("DELETE /trees/2", 204, ""),
        ("GET /short/trees/2", 404, ABSENT),
    ];
    let made = made(&calls);
    let world = made.after(&made.derived.world, "DELETE /trees/3", "");
    assert_eq!(made.answer_in(&world, "GET /trees/3"), ABSENT);
}
