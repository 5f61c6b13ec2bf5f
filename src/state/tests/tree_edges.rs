//! What a tree does not tell: what is beside an item that was read alone, what was in a folder that nobody read, what
//! calls do that are unlike the recorded ones; and in which order folders list what is in them.

use super::recording::{Call, Made, made};
use super::trees::{COPIED, RECORDED, entry, file, folder, shown, write};
use crate::json::parse;
use crate::state::limits::MAX_HISTORY_BYTES;
use crate::state::tree::ChildOrder;
use crate::state::{ReadAnswer, World, load_state, write_state_document};
use rstest::rstest;

macro_rules! directory {
    ($path:literal) => {
        concat!(r#"{"name":""#, $path, r#"","path":""#, $path, r#"","content":null,"size":null,"type":"directory"}"#)
    };
}

/// The recording with a folder `x` in the root that nobody read.
fn with_unread(more: &[Call]) -> Made {
    let root: Call =
        ("GET /files", 200, folder!("", "", entry!("a.txt", "a.txt", "3"), ",", directory!("b"), ",", directory!("x")));
    let absent: Call = (r#"PATCH{"path":"b/y.txt"} /files/gone.txt"#, 404, r#"{"message":"gone.txt is gone"}"#);
    let absent_too: Call = ("DELETE /files/gone.txt", 404, r#"{"message":"gone.txt was not there"}"#);
    made(&[&[root], &RECORDED[1..], &[absent, absent_too], more].concat())
}

fn loaded(made: &Made, world: &World) -> World {
    let mut bytes = Vec::new();
    write_state_document(&made.derived, &made.manifest, world, "ev_1", &mut bytes);
    load_state(&made.derived, &made.manifest, "ev_1", parse(&bytes).unwrap()).unwrap().world
}

#[test]
fn an_item_that_was_read_alone_says_nothing_of_what_is_beside_it() {
    let made = with_unread(&[
        ("GET /files/x/one.txt", 200, file!("x/one.txt", "one.txt", "1", "1")),
        ("GET /files/x/two.txt", 200, file!("x/two.txt", "two.txt", "2", "1")),
    ]);
    let world = &made.derived.world;
    assert_eq!(shown(&made, world, "GET /files/x/one.txt?content=0").unwrap(), entry!("x/one.txt", "one.txt", "1"));
    assert_eq!(shown(&made, world, "GET /files/x/two.txt?content=0").unwrap(), entry!("x/two.txt", "two.txt", "1"));
    assert_eq!(shown(&made, world, "GET /files/x/three.txt"), None);
    assert_eq!(shown(&made, world, "GET /files/x"), None);
    let body = Some(r#"{"type":"file","content":"new"}"#);
    assert!(write(&made, world, "PUT", "/files/x/three.txt", body).is_none());
    let world = write(&made, world, "DELETE", "/files/x/one.txt", None).unwrap().world.unwrap();
    assert_eq!(shown(&made, &world, "GET /files/x/one.txt").unwrap(), r#"{"message":"no x/one.txt here"}"#);
    let moved = write(&made, &world, "PATCH", "/files/x", Some(r#"{"path":"y"}"#)).unwrap().world.unwrap();
    for world in [moved.clone(), loaded(&made, &moved)] {
        assert_eq!(shown(&made, &world, "GET /files/y/three.txt"), None);
    }
}

/// What is in a folder that is made where one was of which not all was known is known, until something else comes there.
#[test]
fn a_folder_that_is_made_anew_is_empty() {
    let made = with_unread(&[("GET /files/x/one.txt", 200, file!("x/one.txt", "one.txt", "1", "1"))]);
    let gone = write(&made, &made.derived.world, "DELETE", "/files/x", None).unwrap().world.unwrap();
    let mut anew = gone;
    super::super::tree_write::put(
        made.derived.tree.as_ref().unwrap(),
        &mut anew,
        "x",
        parse(directory!("x").as_bytes()).unwrap(),
    );
    for world in [loaded(&made, &anew), anew.clone()] {
        assert_eq!(shown(&made, &world, "GET /files/x").unwrap(), folder!("x", "x",));
        assert_eq!(shown(&made, &world, "GET /files/x/two.txt").unwrap(), r#"{"message":"no x/two.txt here"}"#);
    }
    let again = write(&made, &anew, "DELETE", "/files/x", None).unwrap().world.unwrap();
    assert!(!again.is_anew(made.derived.tree.as_ref().unwrap().kind, "/files/x"));
}

#[test]
fn a_moved_folder_takes_along_what_is_in_it_and_what_is_not_known_of_it() {
    let made = with_unread(&[]);
    let world = &made.derived.world;
    let moved = write(&made, world, "PATCH", "/files/b", Some(r#"{"path":"z"}"#)).unwrap().world.unwrap();
    for world in [moved.clone(), loaded(&made, &moved)] {
        let listed = folder!("z", "z", entry!("z/c.txt", "c.txt", "4"), ",", entry!("z/d.txt", "d.txt", "5"));
        assert_eq!(shown(&made, &world, "GET /files/z").unwrap(), listed);
        assert_eq!(shown(&made, &world, "GET /files/z/c.txt").unwrap(), file!("z/c.txt", "c.txt", "four", "4"));
        assert_eq!(shown(&made, &world, "GET /files/b/c.txt").unwrap(), r#"{"message":"no b/c.txt here"}"#);
    }
    let moved = write(&made, world, "PATCH", "/files/x", Some(r#"{"path":"y"}"#)).unwrap().world.unwrap();
    for world in [moved.clone(), loaded(&made, &moved)] {
        assert_eq!(shown(&made, &world, "GET /files/y"), None);
        assert_eq!(shown(&made, &world, "GET /files/y/any.txt"), None);
    }
}

#[test]
fn a_file_is_saved_neither_below_a_file_nor_in_place_of_a_folder() {
    let made = with_unread(&[]);
    let body = Some(r#"{"type":"file","content":"new"}"#);
    assert!(write(&made, &made.derived.world, "PUT", "/files/a.txt/below.txt", body).is_none());
    let moved = write(&made, &made.derived.world, "PATCH", "/files/x", Some(r#"{"path":"b/x"}"#)).unwrap();
    assert!(write(&made, &moved.world.unwrap(), "PUT", "/files/b/x", body).is_none());
}

/// Saves that send a note of which nothing is seen, and a media type that is always the same.
const NOTED: &[Call] = &[
    (
        r#"PUT{"type":"file","content":"5","note":"n","media":"text/plain"} /files/b/c.txt"#,
        200,
        entry!("b/c.txt", "c.txt", "1"),
    ),
    ("GET /files/b/c.txt", 200, file!("b/c.txt", "c.txt", "5", "1")),
    (
        r#"PUT{"type":"file","content":"55","note":"m","media":"text/plain"} /files/b/c.txt"#,
        200,
        entry!("b/c.txt", "c.txt", "2"),
    ),
    ("GET /files/b/c.txt", 200, file!("b/c.txt", "c.txt", "55", "2")),
];

#[rstest]
#[case::as_recorded(r#"{"type":"file","content":"6","note":"o","media":"text/plain"}"#, true)]
#[case::another_type(r#"{"type":"file","content":"6","note":5,"media":"text/plain"}"#, false)]
#[case::another_value_of_one_that_had_but_one(r#"{"type":"file","content":"6","note":"o","media":"text/css"}"#, false)]
fn bodies_are_as_the_recorded_ones(#[case] body: &str, #[case] served: bool) {
    let made = made(&[RECORDED, NOTED].concat());
    let written = write(&made, &made.derived.world, "PUT", "/files/b/c.txt", Some(body));
    assert_eq!(written.is_some(), served);
}

#[test]
fn copies_take_no_body_and_what_a_copy_did_not_hold_is_not_known_after_it() {
    let made = made(&[RECORDED, COPIED].concat());
    let world = &made.derived.world;
    assert!(write(&made, world, "POST", "/files/b/d.txt/copies", Some(r#"{"deep":true}"#)).is_none());
    let world = write(&made, world, "POST", "/files/b/d.txt/copies", None).unwrap().world.unwrap();
    let body = Some(r#"{"type":"file","content":"later"}"#);
    let world = write(&made, &world, "PUT", "/files/b/d.txt", body).unwrap().world.unwrap();
    assert!(shown(&made, &world, "GET /files/b/d.txt").is_some());
    let world = write(&made, &world, "POST", "/files/b/d.txt/copies/only", None).unwrap().world.unwrap();
    assert_eq!(shown(&made, &world, "GET /files/b/d.txt"), None);
    assert_eq!(shown(&made, &world, "GET /files/b/d.txt?content=0").unwrap(), entry!("b/d.txt", "d.txt", "5"));
}

#[test]
fn what_is_opened_beside_an_item_counts_as_history() {
    let made = made(&[RECORDED, COPIED].concat());
    let mut world = made.derived.world.clone();
    world.made_mut().history = MAX_HISTORY_BYTES - 100;
    let body = Some(r#"{"type":"file","content":"new"}"#);
    assert!(write(&made, &world, "PUT", "/files/b/c.txt", body).is_some());
    assert!(write(&made, &world, "PUT", "/files/b/new1.txt", body).is_none());
}

/// Refusals of other kinds before those that say what is not there, and one without a text.
const REFUSED: &[Call] = &[
    ("GET /files/b/gone.txt", 503, r#"{"message":"come back later"}"#),
    ("GET /files/b/gone.txt", 400, r#"{"message":"a bad day"}"#),
    (
        "GET /files/b/gone.txt",
        404,
        r#"{"message":"no b/gone.txt here","trace":"0b5c1e0a-7f0e-4b8e-9a55-3f1d2c4b6a01"}"#,
    ),
    (
        "GET /files/b/lost.txt",
        404,
        r#"{"message":"no b/lost.txt here","trace":"5d0f7c52-1c3b-4e0d-8a7e-6b1f0d9e2c13"}"#,
    ),
    ("DELETE /files/b/gone.txt", 404, ""),
];

#[test]
fn refusals_that_say_so_come_first_and_make_anew_what_they_made_anew() {
    let recorded: Vec<Call> = RECORDED.iter().copied().filter(|(_, status, _)| *status != 404).collect();
    let (first, last) = recorded.split_at(8);
    let made = made(&[first, REFUSED, last].concat());
    let ReadAnswer::State { body, per_response, .. } = made.read("GET /files/b/no.txt") else { panic!("no state") };
    assert_eq!(body.get("message").unwrap().as_str(), Some("no b/no.txt here"));
    assert_eq!(per_response.iter().map(|(place, _)| place.as_str()).collect::<Vec<_>>(), ["/trace"]);
    let refused = write(&made, &made.derived.world, "DELETE", "/files/b/no.txt", None).unwrap();
    assert!(refused.world.is_none() && refused.body.is_none());
}

/// Copies made of one item, and calls about folders and items that are not there.
const MADE_OF: &[Call] = &[
    (r#"POST{"from":"a.txt"} /files/b"#, 201, entry!("b/a.txt", "a.txt", "3")),
    ("GET /files/b/a.txt", 200, file!("b/a.txt", "a.txt", "one", "3")),
    (r#"POST{"from":"a.txt"} /files/b"#, 201, entry!("b/a-1.txt", "a-1.txt", "3")),
    ("GET /files/b/a-1.txt", 200, file!("b/a-1.txt", "a-1.txt", "one", "3")),
    (r#"POST{"from":"not.txt"} /files/b"#, 404, r#"{"message":"not.txt: nothing to copy"}"#),
    (r#"POST{"type":"file"} /files/none"#, 404, r#"{"message":"none is no folder"}"#),
    (r#"PUT{"type":"file","content":"new"} /files/none/new.txt"#, 500, r#"{"message":"cannot write none/new.txt"}"#),
];

#[rstest]
#[case::no_source("POST", "/files/b", r#"{"from":"other.txt"}"#, r#"{"message":"other.txt: nothing to copy"}"#)]
#[case::no_folder("POST", "/files/other", r#"{"type":"file"}"#, r#"{"message":"other is no folder"}"#)]
#[case::no_folder_to_save_in(
    "PUT",
    "/files/other/y.txt",
    r#"{"type":"file","content":"y"}"#,
    r#"{"message":"cannot write other/y.txt"}"#
)]
fn calls_on_what_is_not_there(#[case] method: &str, #[case] at: &str, #[case] body: &str, #[case] expected: &str) {
    let made = made(&[RECORDED, MADE_OF].concat());
    let written = write(&made, &made.derived.world, method, at, Some(body)).unwrap();
    assert!(written.world.is_none());
    assert_eq!(written.body.unwrap().to_compact(), expected);
}

#[test]
fn any_item_is_copied_where_all_recorded_copies_are_of_one() {
    let made = made(&[RECORDED, MADE_OF].concat());
    let copied = write(&made, &made.derived.world, "POST", "/files/b", Some(r#"{"from":"b/c.txt"}"#)).unwrap();
    assert_eq!(copied.body.unwrap().get("path").unwrap().as_str(), Some("b/c-1.txt"));
}

#[rstest]
#[case::by_name(ChildOrder::Name, ["c", "d", "m"], ["aa", "c", "d", "m"], ["aa", "ab", "c", "d", "m"])]
#[case::folders_first(ChildOrder::FoldersFirst, ["m", "c", "d"], ["m", "aa", "c", "d"], ["m", "aa", "ab", "c", "d"])]
#[case::as_they_came(ChildOrder::Oldest, ["d", "m", "c"], ["d", "m", "c", "aa"], ["d", "m", "c", "aa", "ab"])]
#[case::the_newest_first(ChildOrder::Newest, ["d", "m", "c"], ["aa", "d", "m", "c"], ["ab", "aa", "d", "m", "c"])]
fn folders_list_in_the_order_that_reads_show(
    #[case] order: ChildOrder,
    #[case] before: [&str; 3],
    #[case] after: [&str; 4],
    #[case] then: [&str; 5],
) {
    let child = |name: &&str| {
        let (size, kind) = if *name == "m" { ("null", "directory") } else { ("1", "file") };
        format!(r#"{{"name":"{name}","path":"b/{name}","content":null,"size":{size},"type":"{kind}"}}"#)
    };
    let listing = |names: &[&str]| -> &'static str {
        let items: Vec<String> = names.iter().map(child).collect();
        let text =
            format!(r#"{{"name":"b","path":"b","content":[{}],"size":null,"type":"directory"}}"#, items.join(","));
        Box::leak(text.into_boxed_str())
    };
    let made = made(&[
        ("GET /files", 200, folder!("", "", entry!("a.txt", "a.txt", "3"), ",", directory!("b"))),
        ("GET /files/a.txt", 200, file!("a.txt", "a.txt", "one", "3")),
        ("GET /files/b", 200, listing(&before)),
        ("GET /files/b/c", 200, file!("b/c", "c", "c", "1")),
        ("GET /files/b/d", 200, file!("b/d", "d", "d", "1")),
        (r#"PUT{"type":"file","content":"n"} /files/b/aa"#, 201, entry!("b/aa", "aa", "1")),
        ("GET /files/b/aa", 200, file!("b/aa", "aa", "n", "1")),
        ("GET /files/b", 200, listing(&after)),
    ]);
    assert_eq!(made.derived.tree.as_ref().unwrap().order, order);
    let body = Some(r#"{"type":"file","content":"k"}"#);
    let mut world = made.derived.world.clone();
    for at in ["/files/b/aa", "/files/b/ab"] {
        world = write(&made, &world, "PUT", at, body).unwrap().world.unwrap();
    }
    assert_eq!(shown(&made, &world, "GET /files/b").unwrap(), listing(&then));
}
