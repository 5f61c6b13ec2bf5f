//! Served writes over a small recording: what is applied, what is answered, what is refused, and that a refusal changes
//! nothing.

use super::recording::{Made, made, value};
use crate::json::Value;
use crate::state::{World, Write, WriteRefusal, Written};
use proptest::prelude::*;
use rstest::rstest;

/// Two things at the start; two creates, an update and a delete, each read back.
fn recorded() -> Made {
    made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","size":3,"note":""},{"id":2,"name":"bell","size":5,"note":""}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","size":3,"note":""}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","size":5,"note":""}"#),
        ("GET /api/things/99", 404, r#"{"error":"no thing 99"}"#),
        (r#"POST{"name":"crate","size":7} /api/things"#, 201, r#"{"id":3,"name":"crate","size":7,"note":""}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"crate","size":7,"note":""}"#),
        (r#"POST{"name":"drum","size":8} /api/things"#, 201, r#"{"id":4,"name":"drum","size":8,"note":""}"#),
        ("GET /api/things/4", 200, r#"{"id":4,"name":"drum","size":8,"note":""}"#),
        (r#"PATCH{"name":"casket"} /api/things/3"#, 200, r#"{"id":3,"name":"casket","size":7,"note":""}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"casket","size":7,"note":""}"#),
        (r#"PATCH{"size":9} /api/things/4"#, 200, r#"{"id":4,"name":"drum","size":9,"note":""}"#),
        ("GET /api/things/4", 200, r#"{"id":4,"name":"drum","size":9,"note":""}"#),
        ("DELETE /api/things/4", 204, ""),
        ("GET /api/things/4", 404, r#"{"error":"no thing 4"}"#),
        ("DELETE /api/things/98", 404, r#"{"error":"no thing 98"}"#),
    ])
}

fn call(made: &Made, world: &World, method: &str, path: &str, body: Option<&Value>) -> Result<Written, WriteRefusal> {
    made.write(world, &format!("{method} {path}"), &body.map(Value::to_compact).unwrap_or_default())
}

fn shown(world: &World) -> Vec<String> {
    let things = world.collection(0, "/api/things").unwrap();
    things.iter().map(|entity| entity.fields.to_compact()).collect()
}

#[test]
fn a_created_thing_is_there_until_it_is_deleted() {
    let made = recorded();
    let start = made.derived.world.clone();
    let sent = value(r#"{"name":"easel","size":1}"#);
    let written = call(&made, &start, "POST", "/api/things", Some(&sent)).unwrap();
    assert_eq!(written.view, "create");
    let answer = written.body.unwrap();
    assert!(answer.same_as(&value(r#"{"id":3,"name":"easel","size":1,"note":""}"#)), "{}", answer.to_compact());
    let world = written.world.unwrap();
    assert_eq!(shown(&world).len(), 3);
    let sent = value(r#"{"size":2}"#);
    let written = call(&made, &world, "PATCH", "/api/things/3", Some(&sent)).unwrap();
    let world = written.world.unwrap();
    assert!(value(&shown(&world)[2]).same_as(&value(r#"{"id":3,"name":"easel","size":2,"note":""}"#)));
    let world = call(&made, &world, "DELETE", "/api/things/3", None).unwrap().world.unwrap();
    assert_eq!(shown(&world), shown(&start));
    // A number is not used twice.
    let sent = value(r#"{"name":"flute","size":1}"#);
    let again = call(&made, &world, "POST", "/api/things", Some(&sent)).unwrap().body.unwrap();
    assert_eq!(again.get("id").map(Value::to_compact).as_deref(), Some("4"));
    // A reset restarts the sequence.
    let reset = call(&made, &start, "POST", "/api/things", Some(&sent)).unwrap().body.unwrap();
    assert_eq!(reset.get("id").map(Value::to_compact).as_deref(), Some("3"));
}

#[rstest]
#[case::absent("DELETE", "/api/things/77", None, "no thing 77")]
#[case::absent_of_the_type("PATCH", "/api/things/77", Some(r#"{"size":1}"#), "no thing 77")]
fn an_absent_target_answers_as_recorded(
    #[case] method: &str,
    #[case] path: &str,
    #[case] body: Option<&str>,
    #[case] message: &str,
) {
    let made = recorded();
    let body = body.map(value);
    let written = call(&made, &made.derived.world, method, path, body.as_ref()).unwrap();
    assert!(written.world.is_none());
    assert_eq!(written.body.unwrap().get("error").and_then(Value::as_str), Some(message));
}

#[rstest]
#[case::no_object("POST", "/api/things", Some("[1]"), "must be an object")]
#[case::unknown_member("POST", "/api/things", Some(r#"{"name":"x","size":1,"weight":2}"#), "\"weight\"")]
#[case::another_type("POST", "/api/things", Some(r#"{"name":"x","size":"big"}"#), "never recorded as string")]
#[case::missing("POST", "/api/things", Some(r#"{"name":"x"}"#), "\"size\" is required")]
#[case::no_body("POST", "/api/things", None, "is required")]
#[case::an_update("PATCH", "/api/things/1", Some(r#"{"colour":1}"#), "accepted members: \"name\" (string)")]
fn what_the_recordings_do_not_cover_is_refused(
    #[case] method: &str,
    #[case] path: &str,
    #[case] body: Option<&str>,
    #[case] message: &str,
) {
    let made = recorded();
    let body = body.map(value);
    let refusal = call(&made, &made.derived.world, method, path, body.as_ref()).unwrap_err();
    assert!(refusal.message.contains(message), "{}", refusal.message);
    assert!(!refusal.hint.is_empty());
}

#[test]
fn a_query_that_was_not_recorded_is_refused() {
    let made = recorded();
    let tool = made.tool("DELETE", "/api/things/1");
    let parameters = ["1".to_owned()];
    for query in [vec![("force", "1")], vec![("a", "1"), ("a", "2")]] {
        let query: Vec<(String, String)> = query.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let write = Write { parameters: &parameters, path: "/api/things/1", query: &query, body: None };
        let plan = made.derived.plan(tool).unwrap();
        assert!(made.derived.write(&made.derived.world, plan, &write, ("ev", "tool")).is_err());
    }
}

proptest! {
    /// Any sequence of calls keeps identities unique, and the same calls give the same bytes after a reset.
    #[test]
    fn sequences_of_writes_are_deterministic(steps in proptest::collection::vec((0u8..3, 1u64..9, 0u64..5), 1..12)) {
        let made = recorded();
        let run = || {
            let mut world = made.derived.world.clone();
            let mut answers = Vec::new();
            for (kind, id, size) in &steps {
                let path = format!("/api/things/{id}");
                let sent = value(&format!(r#"{{"name":"n{size}","size":{size}}}"#));
                let answered = match kind {
                    0 => call(&made, &world, "POST", "/api/things", Some(&sent)),
                    1 => call(&made, &world, "PATCH", &path, Some(&sent)),
                    _ => call(&made, &world, "DELETE", &path, None),
                };
                let written = answered.unwrap();
                answers.push(written.body.map(|body| body.to_compact()));
                world = written.world.unwrap_or(world);
                let ids: Vec<String> = world.collection(0, "/api/things").unwrap().iter().map(|held| held.id.to_string()).collect();
                let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
                prop_assert_eq!(distinct.len(), ids.len());
            }
            Ok((answers, shown(&world)))
        };
        prop_assert_eq!(run()?, run()?);
    }
}

/// Notes under books: what a note shows of its book is looked up, whichever book it is.
#[test]
fn a_text_is_made_of_what_a_sent_value_names() {
    let made = made(&[
        (
            "GET /api/books",
            200,
            r#"[{"id":11,"name":"Red Sea"},{"id":12,"name":"Blue Bay"},{"id":13,"name":"Low Tide"}]"#,
        ),
        (
            "GET /api/notes",
            200,
            r#"[{"id":31,"book":11,"label":"Red Sea / 31","words":"one"},{"id":32,"book":12,"label":"Blue Bay / 32","words":"two"}]"#,
        ),
        (
            r#"POST{"book":13,"words":"three"} /api/notes"#,
            201,
            r#"{"id":33,"book":13,"label":"Low Tide / 33","words":"three"}"#,
        ),
        (
            "GET /api/notes",
            200,
            r#"[{"id":31,"book":11,"label":"Red Sea / 31","words":"one"},{"id":32,"book":12,"label":"Blue Bay / 32","words":"two"},{"id":33,"book":13,"label":"Low Tide / 33","words":"three"}]"#,
        ),
        (
            r#"POST{"book":13,"words":"four"} /api/notes"#,
            201,
            r#"{"id":34,"book":13,"label":"Low Tide / 34","words":"four"}"#,
        ),
    ]);
    let sent = value(r#"{"book":11,"words":"five"}"#);
    let written = call(&made, &made.derived.world, "POST", "/api/notes", Some(&sent)).unwrap();
    let answer = written.body.unwrap();
    assert!(
        answer.same_as(&value(r#"{"id":33,"book":11,"label":"Red Sea / 33","words":"five"}"#)),
        "{}",
        answer.to_compact()
    );
}

/// A number inside of a list counts on with every write.
#[test]
fn a_number_inside_of_a_list_follows_a_write() {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":11,"name":"anvil","links":[{"rel":"past","count":4}]},{"id":12,"name":"bell","links":[{"rel":"past","count":7}]}]"#,
        ),
        ("GET /api/things/11", 200, r#"{"id":11,"name":"anvil","links":[{"rel":"past","count":4}]}"#),
        (r#"PATCH{"name":"ant"} /api/things/11"#, 200, r#"{"id":11,"name":"ant","links":[{"rel":"past","count":5}]}"#),
        ("GET /api/things/11", 200, r#"{"id":11,"name":"ant","links":[{"rel":"past","count":5}]}"#),
        (r#"PATCH{"name":"bee"} /api/things/12"#, 200, r#"{"id":12,"name":"bee","links":[{"rel":"past","count":8}]}"#),
        ("GET /api/things/12", 200, r#"{"id":12,"name":"bee","links":[{"rel":"past","count":8}]}"#),
    ]);
    let sent = value(r#"{"name":"asp"}"#);
    let written = call(&made, &made.derived.world, "PATCH", "/api/things/11", Some(&sent)).unwrap();
    let answer = written.body.unwrap();
    let expected = value(r#"{"id":11,"name":"asp","links":[{"rel":"past","count":5}]}"#);
    assert!(answer.same_as(&expected), "{}", answer.to_compact());
}

#[test]
fn what_an_answer_does_not_name_is_what_reads_show_for_the_first_time() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil"},{"id":2,"name":"bell"}]"#),
        (r#"POST{"name":"crate"} /api/things"#, 201, ""),
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil"},{"id":2,"name":"bell"},{"id":3,"name":"crate"}]"#),
        (r#"POST{"name":"drum"} /api/things"#, 201, ""),
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil"},{"id":2,"name":"bell"},{"id":3,"name":"crate"},{"id":4,"name":"drum"}]"#,
        ),
    ]);
    let sent = value(r#"{"name":"easel"}"#);
    let world = call(&made, &made.derived.world, "POST", "/api/things", Some(&sent)).unwrap().world.unwrap();
    assert!(value(&shown(&world)[2]).same_as(&value(r#"{"id":3,"name":"easel"}"#)));
}

/// Shelves are addressed by a name that can be changed; books name their shelf.
#[test]
fn a_renamed_entity_keeps_its_place_and_those_that_name_it() {
    let made = made(&[
        ("GET /api/shelves", 200, r#"[{"name":"oak","city":"Lund"},{"name":"elm","city":"Porto"}]"#),
        ("GET /api/shelves/oak", 200, r#"{"name":"oak","city":"Lund"}"#),
        ("GET /api/shelves/elm", 200, r#"{"name":"elm","city":"Porto"}"#),
        ("GET /api/books", 200, r#"[{"id":1,"title":"Alpha","shelf":"oak"},{"id":2,"title":"Beta","shelf":"elm"}]"#),
        (r#"PATCH{"name":"ash"} /api/shelves/oak"#, 200, r#"{"name":"ash","city":"Lund"}"#),
        ("GET /api/shelves/ash", 200, r#"{"name":"ash","city":"Lund"}"#),
        ("GET /api/shelves", 200, r#"[{"name":"ash","city":"Lund"},{"name":"elm","city":"Porto"}]"#),
        ("GET /api/books", 200, r#"[{"id":1,"title":"Alpha","shelf":"ash"},{"id":2,"title":"Beta","shelf":"elm"}]"#),
    ]);
    let sent = value(r#"{"name":"yew"}"#);
    let tool = made.tool("PATCH", "/api/shelves/oak");
    let parameters = ["oak".to_owned()];
    let write = Write { parameters: &parameters, path: "/api/shelves/oak", query: &[], body: Some(&sent) };
    let plan = made.derived.plan(tool).unwrap();
    let world = made.derived.write(&made.derived.world, plan, &write, ("ev", "tool")).unwrap().world.unwrap();
    let members = |path: &str, member: &str| -> Vec<String> {
        let kind = made.derived.types.iter().position(|kind| kind.collection_template == path).unwrap();
        let held = world.collection(kind, path).unwrap();
        held.iter().filter_map(|entity| entity.fields.get(member)?.as_str().map(str::to_owned)).collect()
    };
    assert_eq!(members("/api/shelves", "name"), ["yew", "elm"]);
    assert_eq!(members("/api/books", "shelf"), ["yew", "elm"]);
}

#[test]
fn one_name_in_one_collection_is_no_companion_of_every_create() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil"},{"id":2,"name":"bell"}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil"}"#),
        ("GET /api/tags", 200, r#"[{"key":"heavy","of":"anvil"},{"key":"loud","of":"bell"}]"#),
        ("GET /api/tags/heavy", 200, r#"{"key":"heavy","of":"anvil"}"#),
        (r#"PATCH{"of":"bell"} /api/tags/loud"#, 200, r#"{"key":"loud","of":"bell"}"#),
        (r#"POST{"name":"crate"} /api/things"#, 201, r#"{"id":3,"name":"crate"}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"crate"}"#),
        (
            "GET /api/tags",
            200,
            r#"[{"key":"heavy","of":"anvil"},{"key":"loud","of":"bell"},{"key":"made of wood","of":"3"}]"#,
        ),
    ]);
    let sent = value(r#"{"name":"drum"}"#);
    let written = call(&made, &made.derived.world, "POST", "/api/things", Some(&sent)).unwrap();
    let world = written.world.unwrap();
    assert_eq!(world.collection(1, "/api/tags").unwrap().len(), 2);
}
