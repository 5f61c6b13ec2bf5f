//! What writes are about, over small recordings: several entities by one call, and places that no read has.

use super::recording::{Call, Made, made, value};
use crate::json::Value;
use crate::state::{Entity, World, WriteRefusal, Written};
use rstest::rstest;

fn call(made: &Made, world: &World, call: (&str, &str), body: Option<&str>) -> Result<Written, WriteRefusal> {
    let (method, path) = call;
    made.write(world, &format!("{method} {path}"), body.unwrap_or_default())
}

fn shown(world: &World, collection: &str) -> Vec<String> {
    let held = world.collection(0, collection).unwrap();
    held.iter().map(|entity| entity.fields.to_compact()).collect()
}

const TWO: &str = r#"[{"id":1,"name":"anvil","read":false},{"id":2,"name":"bell","read":false}]"#;
const BOTH_READ: &str = r#"[{"id":1,"name":"anvil","read":true},{"id":2,"name":"bell","read":true}]"#;

/// Both are marked by their ids, then one; one is deleted by its id.
const BY_IDS: &[Call] = &[
    ("GET /api/things", 200, TWO),
    ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","read":false}"#),
    (r#"PUT{"ids":[1,2],"read":true} /api/things"#, 200, r#"{"changed":2}"#),
    ("GET /api/things", 200, BOTH_READ),
    (r#"PUT{"ids":[2],"read":false} /api/things"#, 200, r#"{"changed":1}"#),
    ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","read":true},{"id":2,"name":"bell","read":false}]"#),
    (r#"DELETE{"ids":[2]} /api/things"#, 204, ""),
    ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","read":true}]"#),
];

/// Two are made by one call, then changed by one call.
const BY_ITEMS: &[Call] = &[
    ("GET /api/things", 200, TWO),
    ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","read":false}"#),
    (
        r#"POST[{"name":"crate"},{"name":"drum"}] /api/things"#,
        201,
        r#"[{"id":3,"name":"crate","read":false},{"id":4,"name":"drum","read":false}]"#,
    ),
    ("GET /api/things/3", 200, r#"{"id":3,"name":"crate","read":false}"#),
    ("GET /api/things/4", 200, r#"{"id":4,"name":"drum","read":false}"#),
    (
        r#"PATCH[{"id":3,"read":true},{"id":4,"read":true}] /api/things"#,
        200,
        r#"[{"id":3,"name":"crate","read":true},{"id":4,"name":"drum","read":true}]"#,
    ),
    ("GET /api/things/3", 200, r#"{"id":3,"name":"crate","read":true}"#),
    ("GET /api/things/4", 200, r#"{"id":4,"name":"drum","read":true}"#),
];

#[test]
fn each_of_the_ids_is_written() {
    let made = made(BY_IDS);
    let start = &made.derived.world;
    let written = call(&made, start, ("PUT", "/api/things"), Some(r#"{"ids":[2,1],"read":true}"#)).unwrap();
    assert_eq!(written.body.unwrap().to_compact(), r#"{"changed":2}"#);
    assert_eq!(written.ids, ["2", "1"]);
    let world = written.world.unwrap();
    assert_eq!(value(&format!("[{}]", shown(&world, "/api/things").join(","))).to_compact(), BOTH_READ);
    assert_eq!(world.made().writes, 1);
    let gone = call(&made, &world, ("DELETE", "/api/things"), Some(r#"{"ids":[1,2]}"#)).unwrap();
    assert_eq!(shown(&gone.world.unwrap(), "/api/things"), [""; 0]);
}

#[test]
fn each_of_the_items_is_written() {
    let made = made(BY_ITEMS);
    let start = &made.derived.world;
    let sent = r#"[{"name":"easel"},{"name":"flute"},{"name":"gong"}]"#;
    let written = call(&made, start, ("POST", "/api/things"), Some(sent)).unwrap();
    let answer = written.body.unwrap();
    let names =
        |answer: &Value| -> Vec<String> { answer.as_array().unwrap().iter().map(|item| item.to_compact()).collect() };
    assert_eq!(names(&answer).len(), 3);
    assert!(answer.as_array().unwrap()[2].same_as(&value(r#"{"id":5,"name":"gong","read":false}"#)), "{answer:?}");
    let sent = r#"[{"id":4,"read":true},{"id":1,"read":true}]"#;
    let written = call(&made, &written.world.unwrap(), ("PATCH", "/api/things"), Some(sent)).unwrap();
    assert_eq!(written.ids, ["4", "1"]);
    let flute = &shown(&written.world.unwrap(), "/api/things")[3];
    assert!(value(flute).same_as(&value(r#"{"id":4,"name":"flute","read":true}"#)), "{flute}");
}

#[rstest]
#[case::one_is_absent(BY_IDS, ("PUT", "/api/things"), r#"{"ids":[1,77],"read":true}"#)]
#[case::none(BY_IDS, ("PUT", "/api/things"), r#"{"ids":[],"read":true}"#)]
#[case::one_item_is_absent(BY_ITEMS, ("PATCH", "/api/things"), r#"[{"id":1,"read":true},{"id":77,"read":true}]"#)]
#[case::one_item_has_another_type(BY_ITEMS, ("POST", "/api/things"), r#"[{"name":"x"},{"name":1}]"#)]
fn all_are_written_or_none(#[case] recorded: &[Call], #[case] write: (&str, &str), #[case] body: &str) {
    let made = made(recorded);
    assert!(call(&made, &made.derived.world, write, Some(body)).is_err());
}

/// Users are made, disabled and deleted under a path of their own; the answer names the id otherwise.
const ELSEWHERE: &[Call] = &[
    ("GET /api/users", 200, r#"[{"id":1,"name":"ann","off":false},{"id":2,"name":"bob","off":false}]"#),
    ("GET /api/users/1", 200, r#"{"id":1,"name":"ann","off":false}"#),
    (r#"POST{"name":"cleo"} /api/admin/users"#, 200, r#"{"message":"made","userId":3}"#),
    ("GET /api/users/3", 200, r#"{"id":3,"name":"cleo","off":false}"#),
    (r#"POST{"name":"dora"} /api/admin/users"#, 200, r#"{"message":"made","userId":4}"#),
    ("GET /api/users/4", 200, r#"{"id":4,"name":"dora","off":false}"#),
    ("POST /api/admin/users/3/disable", 200, r#"{"message":"off"}"#),
    ("GET /api/users/3", 200, r#"{"id":3,"name":"cleo","off":true}"#),
    ("POST /api/admin/users/4/disable", 200, r#"{"message":"off"}"#),
    ("GET /api/users/4", 200, r#"{"id":4,"name":"dora","off":true}"#),
    ("DELETE /api/admin/users/4", 200, r#"{"message":"gone"}"#),
    ("GET /api/users/4", 404, r#"{"message":"no user"}"#),
];

#[test]
fn places_of_their_own_are_about_what_they_name() {
    let made = made(ELSEWHERE);
    let start = &made.derived.world;
    let written = call(&made, start, ("POST", "/api/admin/users"), Some(r#"{"name":"eve"}"#)).unwrap();
    assert_eq!(written.body.unwrap().to_compact(), r#"{"message":"made","userId":3}"#);
    let world = written.world.unwrap();
    let world = call(&made, &world, ("POST", "/api/admin/users/3/disable"), None).unwrap().world.unwrap();
    let held = shown(&world, "/api/users");
    assert!(value(&held[2]).same_as(&value(r#"{"id":3,"name":"eve","off":true}"#)), "{}", held[2]);
    let world = call(&made, &world, ("DELETE", "/api/admin/users/1"), None).unwrap().world.unwrap();
    assert_eq!(shown(&world, "/api/users").len(), 2);
}

/// A POST that says what it removes, and a member that holds texts and numbers though only texts were sent.
const REMOVED: &[Call] = &[
    ("GET /api/words", 200, r#"[{"id":1,"value":"a"},{"id":2,"value":7},{"id":3,"value":"c"}]"#),
    ("GET /api/words/1", 200, r#"{"id":1,"value":"a"}"#),
    (r#"PATCH{"value":"z"} /api/words/1"#, 204, ""),
    ("GET /api/words/1", 200, r#"{"id":1,"value":"z"}"#),
    ("POST /api/words/1/remove", 200, r#"{"ok":true}"#),
    ("GET /api/words/1", 404, r#"{"message":"no word"}"#),
    ("POST /api/words/3/remove", 200, r#"{"ok":true}"#),
    ("GET /api/words/3", 404, r#"{"message":"no word"}"#),
];

#[test]
fn a_post_after_which_the_entity_is_absent_removes_it() {
    let made = made(REMOVED);
    let written = call(&made, &made.derived.world, ("POST", "/api/words/2/remove"), None).unwrap();
    assert_eq!(written.view, "delete");
    assert_eq!(shown(&written.world.unwrap(), "/api/words").len(), 2);
}

#[rstest]
#[case::as_others_hold(r#"{"value":8}"#, true)]
#[case::as_none_holds(r#"{"value":true}"#, false)]
fn a_stored_member_may_be_what_others_hold_there(#[case] body: &str, #[case] accepted: bool) {
    let made = made(REMOVED);
    let written = call(&made, &made.derived.world, ("PATCH", "/api/words/1"), Some(body));
    assert_eq!(written.is_ok(), accepted);
}

/// A name that is there already: the create answers the one there is, and nothing more is listed.
const FOUND: &[Call] = &[
    ("GET /api/things", 200, r#"[{"id":"8a1f0c52","name":"anvil"},{"id":"b27d94e3","name":"bell"}]"#),
    (r#"POST{"name":"crate"} /api/things"#, 201, r#"{"id":"5c80d1f6"}"#),
    (
        "GET /api/things",
        200,
        r#"[{"id":"8a1f0c52","name":"anvil"},{"id":"b27d94e3","name":"bell"},{"id":"5c80d1f6","name":"crate"}]"#,
    ),
    ("GET /api/things/5c80d1f6", 200, r#"{"id":"5c80d1f6","name":"crate"}"#),
    (r#"POST{"name":"crate"} /api/things"#, 201, r#"{"id":"5c80d1f6"}"#),
    (
        "GET /api/things",
        200,
        r#"[{"id":"8a1f0c52","name":"anvil"},{"id":"b27d94e3","name":"bell"},{"id":"5c80d1f6","name":"crate"}]"#,
    ),
];

#[test]
fn a_create_that_changes_nothing_answers_the_one_there_is() {
    let made = made(FOUND);
    let start = &made.derived.world;
    let found = call(&made, start, ("POST", "/api/things"), Some(r#"{"name":"bell"}"#)).unwrap();
    assert_eq!(found.body.unwrap().to_compact(), r#"{"id":"b27d94e3"}"#);
    assert_eq!(shown(&found.world.unwrap(), "/api/things").len(), 2);
    let new = call(&made, start, ("POST", "/api/things"), Some(r#"{"name":"drum"}"#)).unwrap();
    assert_eq!(shown(&new.world.unwrap(), "/api/things").len(), 3);
}

/// Without a list after it nothing says that the second call made no other one.
#[test]
fn a_create_that_no_list_follows_makes_another_one() {
    let made = made(&FOUND[..5]);
    let start = &made.derived.world;
    let new = call(&made, start, ("POST", "/api/things"), Some(r#"{"name":"bell"}"#)).unwrap();
    assert_eq!(shown(&new.world.unwrap(), "/api/things").len(), 3);
}

const NAMED: &str =
    r#"[{"id":1,"name":"anvil","note":"a"},{"id":2,"name":"bell","note":"b"},{"id":3,"name":"crate","note":"c"}]"#;
const SAME_NAMES: &str =
    r#"[{"id":1,"name":"anvil","note":"a"},{"id":2,"name":"bell","note":"b"},{"id":3,"name":"bell","note":"c"}]"#;

/// A path that says a member and its value addresses the one that has it, though no read does so.
#[rstest]
#[case::of_different_names(NAMED, true)]
#[case::of_the_same_name(SAME_NAMES, false)]
fn a_write_addresses_by_a_member_that_its_path_says(#[case] things: &'static str, #[case] told: bool) {
    let made = made(&[
        ("GET /api/things", 200, things),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","note":"a"}"#),
        (r#"PATCH{"note":"x"} /api/things/name/anvil"#, 200, r#"{"id":1,"name":"anvil","note":"x"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","note":"x"}"#),
        (r#"PATCH{"note":"y"} /api/things/name/bell"#, 200, r#"{"id":2,"name":"bell","note":"y"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","note":"y"}"#),
    ]);
    let tool = made.tool("PATCH", "/api/things/name/anvil");
    assert_eq!(made.derived.plan(tool).is_some(), told);
    if told {
        let world = &made.derived.world;
        let written = call(&made, world, ("PATCH", "/api/things/name/crate"), Some(r#"{"note":"z"}"#)).unwrap();
        assert_eq!(written.body.unwrap().to_compact(), r#"{"id":3,"name":"crate","note":"z"}"#);
        let mut two = world.clone();
        let kind = made.derived.type_of_tool(tool).unwrap();
        two.set_entity(kind, Entity::new("/api/things", "9", value(r#"{"id":9,"name":"crate","note":"a"}"#)));
        let refused = call(&made, &two, ("PATCH", "/api/things/name/crate"), Some(r#"{"note":"z"}"#)).unwrap_err();
        assert!(refused.message.contains("more than one"), "{}", refused.message);
        assert!(call(&made, &two, ("PATCH", "/api/things/name/bell"), Some(r#"{"note":"z"}"#)).is_ok());
    }
}
