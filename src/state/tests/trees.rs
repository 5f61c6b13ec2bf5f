//! Trees over a small recording: reads by paths and parameters that nobody recorded together, what writes leave in items
//! and folders, and what keeps them from it.

use super::recording::{Call, Made, made};
use crate::state::tree::Known;
use crate::state::{ReadAnswer, World, Write, Written};
use rstest::rstest;

/// A file as a read by its path shows it.
macro_rules! file {
    ($path:literal, $name:literal, $text:literal, $size:literal) => {
        concat!(
            r#"{"name":""#,
            $name,
            r#"","path":""#,
            $path,
            r#"","content":""#,
            $text,
            r#"","size":"#,
            $size,
            r#","type":"file"}"#
        )
    };
}

/// A file without its text, as folders, answers of writes and `content=0` show it.
macro_rules! entry {
    ($path:literal, $name:literal, $size:literal) => {
        concat!(
            r#"{"name":""#,
            $name,
            r#"","path":""#,
            $path,
            r#"","content":null,"size":"#,
            $size,
            r#","type":"file"}"#
        )
    };
}

/// A folder with what is in it.
macro_rules! folder {
    ($path:literal, $name:literal, $($items:expr),*) => {
        concat!(
            r#"{"name":""#, $name, r#"","path":""#, $path, r#"","content":["#, $($items,)*
            r#"],"size":null,"type":"directory"}"#
        )
    };
}

pub(super) use {entry, file, folder};

pub(super) const RECORDED: &[Call] = &[
    (
        "GET /files",
        200,
        folder!(
            "",
            "",
            entry!("a.txt", "a.txt", "3"),
            r#",{"name":"b","path":"b","content":null,"size":null,"type":"directory"}"#
        ),
    ),
    ("GET /files/a.txt", 200, file!("a.txt", "a.txt", "one", "3")),
    ("GET /files/b", 200, folder!("b", "b", entry!("b/c.txt", "c.txt", "4"), ",", entry!("b/d.txt", "d.txt", "5"))),
    ("GET /files/b/c.txt", 200, file!("b/c.txt", "c.txt", "four", "4")),
    ("GET /files/a.txt?content=0", 200, entry!("a.txt", "a.txt", "3")),
    ("GET /files/b/c.txt?content=0", 200, entry!("b/c.txt", "c.txt", "4")),
    ("GET /files/b/c.txt?format=base64", 200, file!("b/c.txt", "c.txt", "Zm91cg==\\n", "4")),
    ("GET /files/a.txt?format=base64", 200, file!("a.txt", "a.txt", "b25l\\n", "3")),
    ("GET /files/no.txt", 404, r#"{"message":"no no.txt here"}"#),
    (r#"PUT{"type":"file","content":"new"} /files/b/e.txt"#, 201, entry!("b/e.txt", "e.txt", "3")),
    ("GET /files/b/e.txt", 200, file!("b/e.txt", "e.txt", "new", "3")),
    (
        "GET /files/b",
        200,
        folder!(
            "b",
            "b",
            entry!("b/c.txt", "c.txt", "4"),
            ",",
            entry!("b/d.txt", "d.txt", "5"),
            ",",
            entry!("b/e.txt", "e.txt", "3")
        ),
    ),
    (r#"PUT{"type":"file","content":"other"} /files/b/c.txt"#, 200, entry!("b/c.txt", "c.txt", "5")),
    ("GET /files/b/c.txt", 200, file!("b/c.txt", "c.txt", "other", "5")),
    (r#"POST{"type":"file"} /files/b"#, 201, entry!("b/new.txt", "new.txt", "0")),
    ("GET /files/b/new.txt", 200, file!("b/new.txt", "new.txt", "", "0")),
    (r#"POST{"type":"file"} /files/b"#, 201, entry!("b/new2.txt", "new2.txt", "0")),
    ("GET /files/b/new2.txt", 200, file!("b/new2.txt", "new2.txt", "", "0")),
    (r#"PATCH{"path":"b/z.txt"} /files/b/e.txt"#, 200, entry!("b/z.txt", "z.txt", "3")),
    ("GET /files/b/z.txt", 200, file!("b/z.txt", "z.txt", "new", "3")),
    (r#"PATCH{"path":"a.txt"} /files/b/z.txt"#, 409, r#"{"message":"a.txt is taken"}"#),
    ("DELETE /files/b/z.txt", 204, ""),
    (
        "GET /files/b",
        200,
        folder!(
            "b",
            "b",
            entry!("b/c.txt", "c.txt", "5"),
            ",",
            entry!("b/d.txt", "d.txt", "5"),
            ",",
            entry!("b/new.txt", "new.txt", "0"),
            ",",
            entry!("b/new2.txt", "new2.txt", "0")
        ),
    ),
    ("DELETE /files/b/z.txt", 404, r#"{"message":"b/z.txt was not there"}"#),
];

pub(super) fn shown(made: &Made, world: &World, call: &str) -> Option<String> {
    match made.read_in(world, call) {
        ReadAnswer::State { body, .. } => Some(body.to_compact()),
        _ => None,
    }
}

pub(super) fn write(made: &Made, world: &World, method: &str, path: &str, body: Option<&str>) -> Option<Written> {
    made.derived.plan(made.tool(method, path))?;
    made.write(world, &format!("{method} {path}"), body.unwrap_or_default()).ok()
}

#[rstest]
#[case::an_item("GET /files/a.txt", Some(file!("a.txt", "a.txt", "one", "3")))]
#[case::a_parameter_of_another_item("GET /files/b/d.txt?content=0", Some(entry!("b/d.txt", "d.txt", "5")))]
#[case::a_folder_without_its_children("GET /files/b?content=0", None)]
#[case::what_only_its_folder_shows("GET /files/b/d.txt", None)]
#[case::absent_in_a_folder_that_was_read("GET /files/b/nothing.txt", Some(r#"{"message":"no b/nothing.txt here"}"#))]
fn reads_are_of_any_path(#[case] call: &str, #[case] expected: Option<&str>) {
    let made = made(RECORDED);
    assert_eq!(shown(&made, &made.derived.world, call).as_deref(), expected);
}

#[test]
fn what_is_saved_is_read_by_its_path_and_in_its_folder() {
    let made = made(RECORDED);
    let body = r#"{"type":"file","content":"seven"}"#;
    let written = write(&made, &made.derived.world, "PUT", "/files/b/f.txt", Some(body)).unwrap();
    assert_eq!(written.body.unwrap().to_compact(), entry!("b/f.txt", "f.txt", "5"));
    let world = written.world.unwrap();
    assert_eq!(shown(&made, &world, "GET /files/b/f.txt").unwrap(), file!("b/f.txt", "f.txt", "seven", "5"));
    assert_eq!(
        shown(&made, &world, "GET /files/b/f.txt?format=base64").unwrap(),
        file!("b/f.txt", "f.txt", "c2V2ZW4=\\n", "5")
    );
    let listed = shown(&made, &world, "GET /files/b").unwrap();
    assert!(listed.contains(entry!("b/f.txt", "f.txt", "5")), "{listed}");
    assert!(write(&made, &world, "PUT", "/files/b/f.txt", Some(r#"{"content":"seven"}"#)).is_none());
}

#[test]
fn a_folder_names_what_is_made_in_it() {
    let made = made(RECORDED);
    let mut world = made.derived.world.clone();
    for expected in ["b/new.txt", "b/new2.txt", "b/new3.txt"] {
        let written = write(&made, &world, "POST", "/files/b", Some(r#"{"type":"file"}"#)).unwrap();
        assert_eq!(written.body.unwrap().get("path").unwrap().as_str(), Some(expected));
        world = written.world.unwrap();
    }
}

#[test]
fn a_moved_item_takes_its_text_along_and_what_is_removed_is_absent() {
    let made = made(RECORDED);
    let world = &made.derived.world;
    let taken = write(&made, world, "PATCH", "/files/b/c.txt", Some(r#"{"path":"b/d.txt"}"#)).unwrap();
    assert_eq!(taken.body.unwrap().to_compact(), r#"{"message":"b/d.txt is taken"}"#);
    assert!(taken.world.is_none());
    let moved = write(&made, world, "PATCH", "/files/b/c.txt", Some(r#"{"path":"b/y.txt"}"#)).unwrap();
    let world = moved.world.unwrap();
    assert_eq!(shown(&made, &world, "GET /files/b/y.txt").unwrap(), file!("b/y.txt", "y.txt", "four", "4"));
    assert_eq!(shown(&made, &world, "GET /files/b/c.txt").unwrap(), r#"{"message":"no b/c.txt here"}"#);
    let world = write(&made, &world, "DELETE", "/files/b/y.txt", None).unwrap().world.unwrap();
    assert_eq!(shown(&made, &world, "GET /files/b/y.txt").unwrap(), r#"{"message":"no b/y.txt here"}"#);
    let again = write(&made, &world, "DELETE", "/files/b/y.txt", None).unwrap();
    assert_eq!(again.body.unwrap().to_compact(), r#"{"message":"b/y.txt was not there"}"#);
}

/// A copy kept, listed, given back and forgotten.
pub(super) const COPIED: &[Call] = &[
    ("POST /files/b/c.txt/copies", 201, r#"{"id":"only","size":5}"#),
    ("GET /files/b/c.txt/copies", 200, r#"[{"id":"only","size":5}]"#),
    (r#"PUT{"type":"file","content":"much more"} /files/b/c.txt"#, 200, entry!("b/c.txt", "c.txt", "9")),
    ("GET /files/b/c.txt", 200, file!("b/c.txt", "c.txt", "much more", "9")),
    ("POST /files/b/c.txt/copies/only", 204, ""),
    ("GET /files/b/c.txt", 200, file!("b/c.txt", "c.txt", "other", "5")),
    ("DELETE /files/b/c.txt/copies/only", 204, ""),
    ("GET /files/b/c.txt/copies", 200, "[]"),
    ("POST /files/b/d.txt/copies", 201, r#"{"id":"only","size":5}"#),
    ("GET /files/b/d.txt/copies", 200, r#"[{"id":"only","size":5}]"#),
    ("POST /files/b/d.txt/copies/only", 204, ""),
    ("DELETE /files/b/d.txt/copies/only", 204, ""),
];

#[test]
fn a_kept_copy_gives_the_item_back() {
    let made = made(&[RECORDED, COPIED].concat());
    let body = |text: &str| format!(r#"{{"type":"file","content":"{text}"}}"#);
    let saved = write(&made, &made.derived.world, "PUT", "/files/b/f.txt", Some(&body("first"))).unwrap();
    let world = saved.world.unwrap();
    assert_eq!(shown(&made, &world, "GET /files/b/f.txt/copies").as_deref(), Some("[]"));
    let kept = write(&made, &world, "POST", "/files/b/f.txt/copies", None).unwrap();
    assert_eq!(kept.body.unwrap().to_compact(), r#"{"id":"only","size":5}"#);
    let world =
        write(&made, &kept.world.unwrap(), "PUT", "/files/b/f.txt", Some(&body("second"))).unwrap().world.unwrap();
    let world = write(&made, &world, "POST", "/files/b/f.txt/copies/only", None).unwrap().world.unwrap();
    assert_eq!(shown(&made, &world, "GET /files/b/f.txt").unwrap(), file!("b/f.txt", "f.txt", "first", "5"));
    assert_eq!(shown(&made, &world, "GET /files/b/f.txt/copies").unwrap(), r#"[{"id":"only","size":5}]"#);
    let world = write(&made, &world, "DELETE", "/files/b/f.txt/copies/only", None).unwrap().world.unwrap();
    assert_eq!(shown(&made, &world, "GET /files/b/f.txt/copies").as_deref(), Some("[]"));
    assert!(write(&made, &world, "POST", "/files/b/f.txt/copies/only", None).is_none());
}

#[test]
fn a_path_of_a_million_segments_is_refused() {
    let made = made(RECORDED);
    let deep = vec!["b"; 1_000_000].join("/");
    assert!(matches!(made.derived.tree.as_ref().unwrap().known(&made.derived.world, &deep), Known::Unknown));
    let body = crate::state::tests::recording::value(r#"{"path":"b/y.txt","type":"file","content":"x"}"#);
    for (method, at) in
        [("PUT", "/files/b/c.txt"), ("POST", "/files/b"), ("PATCH", "/files/b/c.txt"), ("DELETE", "/files/b/c.txt")]
    {
        let plan = made.derived.plan(made.tool(method, at)).unwrap();
        let write = Write { parameters: &[], path: &format!("/files/{deep}"), query: &[], body: Some(&body) };
        let refused = made.derived.write(&made.derived.world, plan, &write, ("ev", "tool")).unwrap_err();
        assert!(refused.message.contains("256 segments"), "{}", refused.message);
    }
    let to = format!(r#"{{"path":"{deep}"}}"#);
    let refused = made.write(&made.derived.world, "PATCH /files/b/c.txt", &to).unwrap_err();
    assert!(refused.message.contains("256 segments"), "{}", refused.message);
}
