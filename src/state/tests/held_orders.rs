//! Arrays that reads show sorted: in which order the state holds them is told by what was sent and by what writes answer,
//! and where nothing tells it an answer says that it does not know.

use super::recording::{Call, Made, made};
use crate::state::World;

const NOTES: &[Call] = &[
    (
        "GET /notes",
        200,
        r#"[{"id":1,"n":1,"tags":["c","z"]},{"id":2,"n":1,"tags":["a","y"]},{"id":3,"n":1,"tags":["b"]}]"#,
    ),
    ("GET /notes/1", 200, r#"{"id":1,"n":1,"tags":["c","z"]}"#),
    (r#"POST{"n":1,"tags":["w","d"]} /notes"#, 201, r#"{"id":4,"n":1,"tags":["w","d"]}"#),
    ("GET /notes/4", 200, r#"{"id":4,"n":1,"tags":["d","w"]}"#),
    (r#"PATCH{"n":5} /notes/4"#, 200, r#"{"id":4,"n":5,"tags":["w","d"]}"#),
    ("GET /notes/4", 200, r#"{"id":4,"n":5,"tags":["d","w"]}"#),
    (r#"PATCH{"n":6} /notes/1"#, 200, r#"{"id":1,"n":6,"tags":["z","c"]}"#),
    ("GET /notes/1", 200, r#"{"id":1,"n":6,"tags":["c","z"]}"#),
    (r#"PATCH{"tags":["x","v"]} /notes/4"#, 200, r#"{"id":4,"n":5,"tags":["x","v"]}"#),
    ("GET /notes/4", 200, r#"{"id":4,"n":5,"tags":["v","x"]}"#),
];

/// The answer of an update and what it does not know, and the world after it.
fn update(made: &Made, world: &World, line: &str, body: &str) -> (String, Vec<String>, World) {
    let written = made.write(world, line, body).unwrap();
    (written.body.unwrap().to_compact(), written.recorded, written.world.unwrap())
}

#[test]
fn the_answer_of_a_write_tells_the_order_that_was_held_at_the_start() {
    let made = made(NOTES);
    let start = &made.derived.world;
    let (body, unknown, _) = update(&made, start, "PATCH /notes/1", r#"{"n":9}"#);
    assert_eq!((body.as_str(), unknown), (r#"{"id":1,"n":9,"tags":["z","c"]}"#, Vec::new()));
    assert_eq!(made.answer("GET /notes/1"), r#"{"id":1,"n":1,"tags":["c","z"]}"#);
}

#[test]
fn an_order_that_nothing_tells_is_not_known() {
    let made = made(NOTES);
    let start = &made.derived.world;
    let (body, unknown, world) = update(&made, start, "PATCH /notes/2", r#"{"n":9}"#);
    assert_eq!((body.as_str(), unknown), (r#"{"id":2,"n":9,"tags":["a","y"]}"#, vec!["/tags".to_owned()]));
    // One tag has one order, and what is sent tells its own.
    assert!(update(&made, start, "PATCH /notes/3", r#"{"n":9}"#).1.is_empty());
    for tags in [r#"["s","r"]"#, r#"["a","y"]"#] {
        let (body, unknown, _) = update(&made, &world, "PATCH /notes/2", &format!(r#"{{"tags":{tags}}}"#));
        assert_eq!((body, unknown), (format!(r#"{{"id":2,"n":9,"tags":{tags}}}"#), Vec::new()));
    }
}

#[test]
fn what_was_made_is_held_as_it_was_sent() {
    let made = made(NOTES);
    let created = made.write(&made.derived.world, "POST /notes", r#"{"n":1,"tags":["e","f"]}"#).unwrap();
    let (body, unknown, _) = update(&made, &created.world.unwrap(), "PATCH /notes/4", r#"{"n":9}"#);
    assert_eq!((body.as_str(), unknown), (r#"{"id":4,"n":9,"tags":["e","f"]}"#, Vec::new()));
}
