//! The order of a type over all its collections, and what is known of collections that no read showed: those under an
//! entity that was made or renamed since.

use super::recording::{Call, Made, made};
use crate::json::parse;
use crate::state::{World, load_state, write_state_document};

/// Books lie on shelves by name; one list shows the books of all shelves, in the order in which they were made.
const SHELVES: &[Call] = &[
    ("GET /shelves", 200, r#"[{"name":"oak"},{"name":"elm"},{"name":"ash"}]"#),
    ("GET /shelves/oak", 200, r#"{"name":"oak"}"#),
    ("GET /books", 200, r#"[{"shelf":"oak","name":"a"},{"shelf":"elm","name":"a"},{"shelf":"oak","name":"b"}]"#),
    ("GET /books/oak", 200, r#"[{"shelf":"oak","name":"a"},{"shelf":"oak","name":"b"}]"#),
    ("GET /books/elm", 200, r#"[{"shelf":"elm","name":"a"}]"#),
    ("GET /books/ash", 200, "[]"),
    ("GET /books/oak/a", 200, r#"{"shelf":"oak","name":"a"}"#),
    (r#"POST{"name":"fir"} /shelves"#, 201, r#"{"name":"fir"}"#),
    ("GET /shelves/fir", 200, r#"{"name":"fir"}"#),
    (r#"POST{"shelf":"elm","name":"c"} /books"#, 201, r#"{"shelf":"elm","name":"c"}"#),
    ("GET /books/elm/c", 200, r#"{"shelf":"elm","name":"c"}"#),
    (r#"PATCH{"name":"bay"} /shelves/elm"#, 200, r#"{"name":"bay"}"#),
    ("GET /shelves/bay", 200, r#"{"name":"bay"}"#),
    ("GET /books/bay/a", 200, r#"{"shelf":"bay","name":"a"}"#),
    ("GET /books/bay/c", 200, r#"{"shelf":"bay","name":"c"}"#),
];

/// A book on the first shelf, a shelf that is new, and the second shelf by another name.
fn changed(made: &Made) -> World {
    let calls = [
        ("POST /books", r#"{"shelf":"oak","name":"d"}"#),
        ("POST /books", r#"{"shelf":"elm","name":"e"}"#),
        ("POST /shelves", r#"{"name":"yew"}"#),
        ("PATCH /shelves/elm", r#"{"name":"box"}"#),
        ("PATCH /shelves/ash", r#"{"name":"may"}"#),
    ];
    let write = |world: World, (line, body): (&str, &str)| made.after(&world, line, body);
    calls.into_iter().fold(made.derived.world.clone(), write)
}

/// The world that the state document of another describes; its own document is the same.
fn loaded(made: &Made, world: &World) -> World {
    let written = |world: &World| {
        let mut bytes = Vec::new();
        write_state_document(&made.derived, &made.manifest, world, "ev_1", &mut bytes);
        String::from_utf8(bytes).unwrap()
    };
    let document = written(world);
    let loaded = load_state(&made.derived, &made.manifest, "ev_1", parse(document.as_bytes()).unwrap()).unwrap().world;
    assert_eq!(written(&loaded), document);
    loaded
}

/// Shelves and names of the books that a line lists.
fn listed(made: &Made, world: &World, line: &str) -> String {
    let body = made.answer_in(world, line);
    let Ok(value) = parse(body.as_bytes()) else { return body };
    let shown = value.as_array().unwrap().iter();
    let texts = shown.map(|book| format!("{}/{}", text(book.get("shelf")), text(book.get("name"))));
    texts.collect::<Vec<_>>().join(" ")
}

fn text(value: Option<&crate::json::Value>) -> &str {
    value.and_then(crate::json::Value::as_str).unwrap_or_default()
}

#[test]
fn a_list_of_all_shows_them_as_they_came_and_a_renamed_parent_moves_none() {
    let made = made(SHELVES);
    let world = changed(&made);
    assert_eq!(listed(&made, &world, "GET /books"), "oak/a box/a oak/b oak/d box/e");
    assert_eq!(listed(&made, &world, "GET /books/box"), "box/a box/e");
}

#[test]
fn what_is_loaded_has_the_same_order() {
    let made = made(SHELVES);
    let world = changed(&made);
    let loaded = loaded(&made, &world);
    assert_eq!(listed(&made, &loaded, "GET /books"), "oak/a box/a oak/b oak/d box/e");
    let written = made.after(&loaded, "POST /books", r#"{"shelf":"oak","name":"f"}"#);
    assert_eq!(listed(&made, &written, "GET /books"), "oak/a box/a oak/b oak/d box/e oak/f");
}

#[test]
fn nothing_lies_under_what_is_new_or_renamed_where_all_of_the_type_is_known() {
    let made = made(SHELVES);
    let start = &made.derived.world;
    let world = changed(&made);
    for shelf in ["yew", "may"] {
        let line = format!("GET /books/{shelf}");
        assert_eq!(made.answer_in(&world, &line), "[]", "{shelf}");
        assert_eq!(made.answer_in(start, &line), "<unknown-partition>", "{shelf}: there is none yet");
    }
}

#[test]
fn what_is_answered_under_a_former_name_is_not_known() {
    let made = made(SHELVES);
    let world = changed(&made);
    for shelf in ["elm", "ash"] {
        assert_eq!(made.answer_in(&world, &format!("GET /books/{shelf}")), "<unknown-partition>", "{shelf}");
    }
    assert_eq!(made.answer_in(&made.derived.world, "GET /books/ash"), "[]");
}

#[test]
fn where_not_all_of_the_type_is_known_nothing_is_said_of_a_new_collection() {
    let calls: Vec<Call> = SHELVES.iter().filter(|(line, ..)| *line != "GET /books").copied().collect();
    let made = made(&calls);
    let world = made.after(&made.derived.world, "POST /shelves", r#"{"name":"yew"}"#);
    assert_eq!(made.answer_in(&world, "GET /books/yew"), "<unknown-partition>");
}

/// Books under their shelf only: the list of a shelf that has another name is read before any book is written.
const NESTED: &[Call] = &[
    ("GET /shelves", 200, r#"[{"name":"oak"},{"name":"elm"},{"name":"ash"}]"#),
    ("GET /shelves/oak", 200, r#"{"name":"oak"}"#),
    ("GET /shelves/oak/books", 200, r#"[{"name":"a","n":1},{"name":"b","n":2}]"#),
    ("GET /shelves/elm/books", 200, r#"[{"name":"a","n":3},{"name":"c","n":4}]"#),
    ("GET /shelves/ash/books", 200, "[]"),
    ("GET /shelves/oak/books/a", 200, r#"{"name":"a","n":1}"#),
    (r#"PATCH{"name":"bay"} /shelves/elm"#, 200, r#"{"name":"bay"}"#),
    ("GET /shelves/bay", 200, r#"{"name":"bay"}"#),
    ("GET /shelves/bay/books", 200, r#"[{"name":"a","n":3},{"name":"c","n":4}]"#),
    ("GET /shelves/bay/books/a", 200, r#"{"name":"a","n":3}"#),
    (r#"PATCH{"n":7} /shelves/oak/books/b"#, 200, r#"{"name":"b","n":7}"#),
    ("GET /shelves/oak/books/b", 200, r#"{"name":"b","n":7}"#),
];

#[test]
fn what_was_first_shown_under_a_new_name_was_not_there_at_the_start_and_moves_with_it() {
    let made = made(NESTED);
    let start = &made.derived.world;
    assert_eq!(made.answer_in(start, "GET /shelves/bay/books"), "<unknown-partition>");
    let world = made.after(start, "PATCH /shelves/oak", r#"{"name":"fir"}"#);
    assert_eq!(made.answer_in(&world, "GET /shelves/fir/books"), r#"[{"name":"a","n":1},{"name":"b","n":2}]"#);
    // A list that was known is known under the next name, too, though nothing is in it.
    let world = made.after(&world, "PATCH /shelves/ash", r#"{"name":"may"}"#);
    let world = made.after(&world, "PATCH /shelves/may", r#"{"name":"box"}"#);
    assert_eq!(made.answer_in(&world, "GET /shelves/box/books"), "[]");
    assert_eq!(made.answer_in(&world, "GET /shelves/yew/books"), "<unknown-partition>");
}

#[test]
fn what_is_loaded_is_known_under_its_next_name() {
    let made = made(NESTED);
    let world = made.after(&made.derived.world, "PATCH /shelves/oak", r#"{"name":"fir"}"#);
    let world = made.after(&world, "PATCH /shelves/ash", r#"{"name":"may"}"#);
    let loaded = loaded(&made, &world);
    for (shelf, books) in [("fir", r#"[{"name":"a","n":1},{"name":"b","n":2}]"#), ("may", "[]")] {
        let line = format!("GET /shelves/{shelf}/books");
        assert_eq!(made.answer_in(&world, &line), books, "{shelf}");
        assert_eq!(made.answer_in(&loaded, &line), books, "{shelf}, loaded");
    }
    // And under the one after that: two names may change places.
    let world = ["may box", "fir may", "box fir"].iter().fold(loaded.clone(), |world, names| {
        let (from, to) = names.split_once(' ').unwrap();
        made.after(&world, &format!("PATCH /shelves/{from}"), &format!(r#"{{"name":"{to}"}}"#))
    });
    for world in [self::loaded(&made, &world), world] {
        assert_eq!(made.answer_in(&world, "GET /shelves/may/books"), r#"[{"name":"a","n":1},{"name":"b","n":2}]"#);
        assert_eq!(made.answer_in(&world, "GET /shelves/fir/books"), "[]");
    }
}

#[test]
fn a_loaded_collection_that_was_emptied_is_known() {
    let made = made(SHELVES);
    let mut world = made.after(&made.derived.world, "POST /books", r#"{"shelf":"yew","name":"a"}"#);
    let book =
        world.named(1, "a").find(|book| book.fields.get("shelf").is_some_and(|shelf| text(Some(shelf)) == "yew"));
    let book = book.cloned().unwrap();
    world.drop_entity(1, &book.collection, &book.id);
    let line = "GET /books/yew";
    assert_eq!(made.answer_in(&loaded(&made, &world), line), made.answer_in(&world, line));
    assert_ne!(made.answer_in(&world, line), made.answer_in(&made.derived.world, line));
}

/// Boards by name, and cards that are asked for by their board.
const BOARDS: &[Call] = &[
    ("GET /boards", 200, r#"[{"name":"one"},{"name":"two"}]"#),
    ("GET /boards/one", 200, r#"{"name":"one"}"#),
    ("GET /cards?board=one", 200, r#"[{"id":"a1","board":"one","text":"x"},{"id":"a2","board":"one","text":"y"}]"#),
    ("GET /cards?board=two", 200, r#"[{"id":"b1","board":"two","text":"z"}]"#),
    (r#"POST{"name":"three"} /boards"#, 201, r#"{"name":"three"}"#),
    ("GET /boards/three", 200, r#"{"name":"three"}"#),
    ("GET /cards?board=three", 200, "[]"),
    (r#"PATCH{"name":"uno"} /boards/one"#, 200, r#"{"name":"uno"}"#),
    ("GET /boards/uno", 200, r#"{"name":"uno"}"#),
    ("GET /boards", 200, r#"[{"name":"uno"},{"name":"two"},{"name":"three"}]"#),
];

#[test]
fn what_has_another_name_since_is_not_new_when_it_is_loaded() {
    let made = made(BOARDS);
    let world = made.after(&made.derived.world, "PATCH /boards/two", r#"{"name":"duo"}"#);
    let world = made.after(&world, "POST /boards", r#"{"name":"four"}"#);
    for world in [loaded(&made, &world), world] {
        assert_eq!(made.answer_in(&world, "GET /cards?board=four"), "[]");
        assert_eq!(made.answer_in(&world, "GET /cards?board=duo"), "<unknown-partition>");
    }
}
