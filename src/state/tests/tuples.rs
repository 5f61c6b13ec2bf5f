//! Entities that several texts name together, none of them in the path: which they are, what reads and writes of them
//! answer, and how they are numbered.

use super::recording::{Call, Made, made};
use crate::state::{World, Written};

const ALL: &str =
    r#"[{"no":"1","box":"big","note":"a"},{"no":"2","box":"big","note":"b"},{"no":"1","box":"cold","note":"c"}]"#;

const LONE: &str =
    r#"[{"no":"1","box":"big","note":"a"},{"no":"2","box":"big","note":"b"},{"no":"3","box":"cold","note":"c"}]"#;

/// Parts of boxes: numbers count in each box, and are not given again.
fn parts() -> Made {
    let mut calls: Vec<Call> = vec![
        ("GET /api/parts/list", 200, ALL),
        ("GET /api/parts/get?box=big&no=1", 200, r#"{"no":"1","box":"big","note":"a"}"#),
        ("GET /api/parts/get?box=big&no=2", 200, r#"{"no":"2","box":"big","note":"b"}"#),
        ("GET /api/parts/get?box=cold&no=1", 200, r#"{"no":"1","box":"cold","note":"c"}"#),
        ("GET /api/parts/get?box=none&no=1", 404, r#"{"error":"no part (box=none, no=1)"}"#),
        ("GET /api/parts/get?box=big&no=7", 404, r#"{"error":"no part (box=big, no=7)"}"#),
        ("GET /api/parts/get", 400, r#"{"error":"say which"}"#),
    ];
    calls.extend([
        (r#"POST{"box":"big","note":"d"} /api/parts/create"#, 200, r#"{"no":"3","box":"big","note":"d"}"#),
        ("GET /api/parts/get?box=big&no=3", 200, r#"{"no":"3","box":"big","note":"d"}"#),
        (r#"POST{"box":"cold","note":"e"} /api/parts/create"#, 200, r#"{"no":"2","box":"cold","note":"e"}"#),
        ("GET /api/parts/get?box=cold&no=2", 200, r#"{"no":"2","box":"cold","note":"e"}"#),
        (r#"POST{"box":"big","no":"3"} /api/parts/delete"#, 200, "{}"),
        ("GET /api/parts/get?box=big&no=3", 404, r#"{"error":"no part (box=big, no=3)"}"#),
        (r#"POST{"box":"big","note":"f"} /api/parts/create"#, 200, r#"{"no":"4","box":"big","note":"f"}"#),
        ("GET /api/parts/get?box=big&no=4", 200, r#"{"no":"4","box":"big","note":"f"}"#),
        (r#"POST{"box":"cold","no":"2","note":"g"} /api/parts/update"#, 200, r#"{"no":"2","box":"cold","note":"g"}"#),
        ("GET /api/parts/get?box=cold&no=2", 200, r#"{"no":"2","box":"cold","note":"g"}"#),
        (r#"POST{"box":"none","no":"1","note":"g"} /api/parts/update"#, 404, r#"{"error":"no part (box=none, no=1)"}"#),
    ]);
    made(&calls)
}

fn write(made: &Made, world: &World, path: &str, body: &str) -> Written {
    made.write(world, &format!("POST {path}"), body).unwrap()
}

#[test]
fn what_repeats_is_told_apart_by_what_stands_before_it() {
    let made = parts();
    assert_eq!(made.types(), ["/api/parts/{sibling-variance}: no; /api/parts/get /api/parts/list"]);
    let paths: Vec<&str> = made.derived.world.collections(0).map(|(path, _)| path).collect();
    assert_eq!(paths, ["/api/parts/big", "/api/parts/cold"]);
    assert_eq!(made.answer("GET /api/parts/get?no=1&box=cold"), r#"{"no":"1","box":"cold","note":"c"}"#);
    assert_eq!(made.answer("GET /api/parts/list"), ALL);
}

#[test]
fn what_tells_entities_apart_alone_is_no_tuple() {
    let made = made(&[
        ("GET /api/parts/list", 200, LONE),
        ("GET /api/parts/get?box=big&no=1", 200, r#"{"no":"1","box":"big","note":"a"}"#),
        ("GET /api/parts/get?box=cold&no=3", 200, r#"{"no":"3","box":"cold","note":"c"}"#),
    ]);
    assert_eq!(made.types(), ["/api/parts/list: no; /api/parts/get /api/parts/list"]);
}

#[test]
fn an_error_names_every_text_that_was_asked_for() {
    let made = parts();
    assert_eq!(made.answer("GET /api/parts/get?box=cold&no=9"), r#"{"error":"no part (box=cold, no=9)"}"#);
    let world = &made.derived.world;
    let written = write(&made, world, "/api/parts/update", r#"{"box":"big","no":"8","note":"x"}"#);
    assert_eq!(written.body.unwrap().to_compact(), r#"{"error":"no part (box=big, no=8)"}"#);
}

#[test]
fn a_line_that_names_nothing_is_refused_as_it_was() {
    assert_eq!(parts().answer("GET /api/parts/get"), "<refused as in record 6>");
}

#[test]
fn numbers_count_in_each_collection_and_are_not_given_again() {
    let made = parts();
    let create = |world: &World, body: &str| {
        let written = write(&made, world, "/api/parts/create", body);
        (written.body.unwrap().to_compact(), written.world.unwrap())
    };
    let (answer, world) = create(&made.derived.world, r#"{"box":"cold","note":"x"}"#);
    assert_eq!(answer, r#"{"no":"2","box":"cold","note":"x"}"#);
    let (answer, world) = create(&world, r#"{"box":"big","note":"y"}"#);
    assert_eq!(answer, r#"{"no":"3","box":"big","note":"y"}"#);
    let world = write(&made, &world, "/api/parts/delete", r#"{"box":"big","no":"3"}"#).world.unwrap();
    assert!(world.collection(0, "/api/parts/cold").unwrap().get("2").is_some());
    let (answer, _) = create(&world, r#"{"box":"big","note":"z"}"#);
    assert_eq!(answer, r#"{"no":"4","box":"big","note":"z"}"#);
    let (answer, _) = create(&world, r#"{"box":"new","note":"z"}"#);
    assert_eq!(answer, r#"{"no":"1","box":"new","note":"z"}"#);
}

#[test]
fn an_old_name_that_is_absent_was_changed_not_deleted() {
    let made = made(&[
        ("GET /api/boxes", 200, r#"[{"name":"big","note":"a"},{"name":"cold","note":"b"},{"name":"old","note":"c"}]"#),
        ("GET /api/boxes/get?name=big", 200, r#"{"name":"big","note":"a"}"#),
        ("GET /api/boxes/get?name=cold", 200, r#"{"name":"cold","note":"b"}"#),
        (r#"POST{"name":"big","new_name":"vast"} /api/boxes/rename"#, 200, r#"{"name":"vast","note":"a"}"#),
        ("GET /api/boxes/get?name=vast", 200, r#"{"name":"vast","note":"a"}"#),
        ("GET /api/boxes/get?name=big", 404, r#"{"error":"no box big"}"#),
    ]);
    let world = &made.derived.world;
    let written = write(&made, world, "/api/boxes/rename", r#"{"name":"cold","new_name":"warm"}"#);
    let world = written.world.unwrap();
    let held = world.collection(0, "/api/boxes").unwrap();
    assert_eq!(held.iter().map(|entity| entity.id.as_ref()).collect::<Vec<_>>(), ["big", "warm", "old"]);
}

#[test]
fn what_a_tuple_tells_apart_is_none_of_what_has_a_part_of_it() {
    let made = made(&[
        ("GET /api/boxes/list", 200, r#"[{"name":"big","when":11},{"name":"cold","when":13}]"#),
        ("GET /api/boxes/get?name=big", 200, r#"{"name":"big","when":11}"#),
        ("GET /api/boxes/get?name=cold", 200, r#"{"name":"cold","when":13}"#),
        ("GET /api/parts/get?name=big&no=1", 200, r#"{"no":"1","name":"big","when":10,"note":"aa"}"#),
        ("GET /api/parts/get?name=big&no=2", 200, r#"{"no":"2","name":"big","when":11,"note":"bb"}"#),
        ("GET /api/parts/get?name=cold&no=1", 200, r#"{"no":"1","name":"cold","when":13,"note":"cc"}"#),
        (
            "GET /api/parts/newest",
            200,
            r#"[{"no":"2","name":"big","when":11,"note":"bb"},{"no":"1","name":"cold","when":13,"note":"cc"}]"#,
        ),
    ]);
    let types = made.types();
    assert_eq!(types[0], "/api/boxes/list: name; /api/boxes/get /api/boxes/list");
    assert!(types[1].ends_with(": no; /api/parts/get /api/parts/newest"), "{types:?}");
}
