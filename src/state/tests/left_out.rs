//! What answers leave out: an item that is not there and is answered with nothing, and a member that no update has found.

use super::recording::{Made, made, value};
use crate::json::Value;
use crate::state::World;

fn call(made: &Made, world: &World, line: &str, body: &str) -> (Value, World) {
    let written = made.write(world, line, body).expect("a served write");
    (written.body.unwrap_or(Value::Null), written.world.unwrap_or_else(|| world.clone()))
}

/// Deletes by POST, after which the item is answered with nothing, as one is that never was.
fn emptied() -> Made {
    made(&[
        ("GET /api/things/list", 200, r#"[{"id":1,"name":"anvil"},{"id":2,"name":"bell"},{"id":3,"name":"crate"}]"#),
        ("GET /api/things/get?thing_id=1", 200, r#"{"id":1,"name":"anvil"}"#),
        ("GET /api/things/get?thing_id=2", 200, r#"{"id":2,"name":"bell"}"#),
        ("GET /api/things/get?thing_id=3", 200, r#"{"id":3,"name":"crate"}"#),
        ("GET /api/things/get?thing_id=99", 204, ""),
        (r#"POST{"thing_id":2} /api/things/delete"#, 200, r#"{"id":2,"name":"bell"}"#),
        ("GET /api/things/get?thing_id=2", 204, ""),
        ("GET /api/things/list", 200, r#"[{"id":1,"name":"anvil"},{"id":3,"name":"crate"}]"#),
        (r#"POST{"thing_id":3} /api/things/delete"#, 200, r#"{"id":3,"name":"crate"}"#),
        ("GET /api/things/get?thing_id=3", 204, ""),
        ("GET /api/things/list", 200, r#"[{"id":1,"name":"anvil"}]"#),
    ])
}

#[test]
fn an_item_that_is_answered_with_nothing_after_a_write_was_removed_by_it() {
    let made = emptied();
    let start = made.derived.world.clone();
    let (body, world) = call(&made, &start, "POST /api/things/delete", r#"{"thing_id":1}"#);
    assert!(body.same_as(&value(r#"{"id":1,"name":"anvil"}"#)), "{}", body.to_compact());
    let held = |world: &World| world.collections(0).flat_map(|(_, things)| things.iter()).count();
    assert_eq!((held(&start), held(&world)), (3, 2));
}

/// Things that leave a note out which they do not have: the updates that did not send one never found one.
fn noted() -> Made {
    made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","note":"old"},{"id":2,"name":"bell"}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","note":"old"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell"}"#),
        (r#"POST{"name":"casket"} /api/things/2"#, 200, r#"{"id":2,"name":"casket"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"casket"}"#),
        (r#"POST{"name":"drum"} /api/things/2"#, 200, r#"{"id":2,"name":"drum"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"drum"}"#),
        (r#"POST{"note":"lent"} /api/things/2"#, 200, r#"{"id":2,"name":"drum","note":"lent"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"drum","note":"lent"}"#),
        (r#"POST{"note":null} /api/things/2"#, 200, r#"{"id":2,"name":"drum"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"drum"}"#),
    ])
}

#[test]
fn a_member_that_no_update_found_or_sent_is_kept_where_one_is_held() {
    let made = noted();
    let (body, world) = call(&made, &made.derived.world, "POST /api/things/1", r#"{"name":"easel"}"#);
    assert!(body.same_as(&value(r#"{"id":1,"name":"easel","note":"old"}"#)), "{}", body.to_compact());
    let (body, _) = call(&made, &world, "POST /api/things/1", r#"{"note":null}"#);
    assert!(body.same_as(&value(r#"{"id":1,"name":"easel"}"#)), "{}", body.to_compact());
}
