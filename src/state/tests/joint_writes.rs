//! Writes to one entity with no read between them: each is told by what it sent.

use super::recording::{Call, made};

/// A name and a note are set one after the other before the entity is read, twice: both are served, and each does its own.
#[test]
fn each_of_two_writes_before_a_read_does_its_own() {
    let things = r#"[{"id":1,"name":"a","notes":[]},{"id":2,"name":"b","notes":[]}]"#;
    let calls: [Call; 9] = [
        ("GET /things", 200, things),
        ("GET /things/1", 200, r#"{"id":1,"name":"a","notes":[]}"#),
        ("GET /things/2", 200, r#"{"id":2,"name":"b","notes":[]}"#),
        (r#"POST{"name":"apple"} /things/1/rename"#, 200, "{}"),
        (r#"POST{"key":"x","text":"one"} /things/1/note"#, 200, "{}"),
        ("GET /things/1", 200, r#"{"id":1,"name":"apple","notes":[{"key":"x","text":"one"}]}"#),
        (r#"POST{"name":"berry"} /things/2/rename"#, 200, "{}"),
        (r#"POST{"key":"y","text":"two"} /things/2/note"#, 200, "{}"),
        ("GET /things/2", 200, r#"{"id":2,"name":"berry","notes":[{"key":"y","text":"two"}]}"#),
    ];
    let made = made(&calls);
    let mut world = made.derived.world.clone();
    for (path, body) in
        [("/things/1/note", r#"{"key":"z","text":"three"}"#), ("/things/1/rename", r#"{"name":"cedar"}"#)]
    {
        world = made.after(&world, &format!("POST {path}"), body);
        if path.ends_with("note") {
            let noted = r#"{"id":1,"name":"a","notes":[{"key":"z","text":"three"}]}"#;
            assert_eq!(made.answer_in(&world, "GET /things/1"), noted);
        }
    }
    let both = r#"{"id":1,"name":"cedar","notes":[{"key":"z","text":"three"}]}"#;
    assert_eq!(made.answer_in(&world, "GET /things/1"), both);
}
