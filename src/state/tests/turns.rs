//! What another member's turning makes, and what an application makes inside of an entity beside what is sent.

use super::recording::{Made, kept, made};
use crate::json::Value;
use crate::state::World;

fn text(of: &Value, name: &str) -> String {
    of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The answer of a call and the world after it.
fn call(made: &Made, world: &World, line: &str, body: &str) -> Option<(Value, World)> {
    let written = made.write(world, line, body).ok()?;
    Some((written.body?, written.world?))
}

/// Notes: a draft has no slug, one that is open has one, one that is put away has an ending behind it.
fn notes() -> Made {
    let list = r#"[{"id":1,"title":"Red fox","state":"open","slug":"red-fox"},
        {"id":2,"title":"Blue owl","state":"open","slug":"blue-owl"},{"id":3,"title":"Grey cat","state":"draft","slug":""},
        {"id":4,"title":"Pink bat","state":"draft","slug":""},{"id":5,"title":"Old dog","state":"open","slug":"old-dog"}]"#;
    let fox = r#"{"id":1,"title":"Red foxes","state":"open","slug":"red-fox"}"#;
    let cat = r#"{"id":3,"title":"Grey cat","state":"open","slug":"grey-cat"}"#;
    let (fox_away, owl_away) = (
        r#"{"id":1,"title":"Red foxes","state":"away","slug":"red-fox--away"}"#,
        r#"{"id":2,"title":"Blue owl","state":"away","slug":"blue-owl--away"}"#,
    );
    let owl = r#"{"id":2,"title":"Blue owl","state":"open","slug":"blue-owl"}"#;
    made(&[
        ("GET /api/notes", 200, list),
        ("GET /api/notes/1", 200, r#"{"id":1,"title":"Red fox","state":"open","slug":"red-fox"}"#),
        ("GET /api/notes/3", 200, r#"{"id":3,"title":"Grey cat","state":"draft","slug":""}"#),
        (r#"PATCH{"title":"Red foxes"} /api/notes/1"#, 200, fox),
        ("GET /api/notes/1", 200, fox),
        (r#"PATCH{"state":"open"} /api/notes/3"#, 200, cat),
        ("GET /api/notes/3", 200, cat),
        (r#"PATCH{"state":"away"} /api/notes/1"#, 200, fox_away),
        ("GET /api/notes/1", 200, fox_away),
        (r#"PATCH{"state":"away"} /api/notes/2"#, 200, owl_away),
        ("GET /api/notes/2", 200, owl_away),
        (r#"PATCH{"state":"open"} /api/notes/1"#, 200, fox),
        ("GET /api/notes/1", 200, fox),
        (r#"PATCH{"state":"open"} /api/notes/2"#, 200, owl),
        ("GET /api/notes/2", 200, owl),
    ])
}

#[test]
fn a_turn_makes_a_text_and_another_takes_its_ending_off() {
    let made = notes();
    let (bat, _) = call(&made, &made.derived.world, "PATCH /api/notes/4", r#"{"state":"open"}"#).unwrap();
    assert_eq!(text(&bat, "slug"), "pink-bat");
    let (dog, world) = call(&made, &made.derived.world, "PATCH /api/notes/5", r#"{"state":"away"}"#).unwrap();
    assert_eq!(text(&dog, "slug"), "old-dog--away");
    let (dog, world) = call(&made, &world, "PATCH /api/notes/5", r#"{"title":"New dog"}"#).unwrap();
    assert_eq!(text(&dog, "slug"), "old-dog--away", "what turns nothing keeps it");
    let (dog, _) = call(&made, &world, "PATCH /api/notes/5", r#"{"state":"open"}"#).unwrap();
    assert_eq!(text(&dog, "slug"), "old-dog");
}

#[test]
fn what_a_turn_makes_that_no_call_took_is_not_known() {
    let made = notes();
    let away = call(&made, &made.derived.world, "PATCH /api/notes/4", r#"{"state":"away"}"#);
    assert!(away.is_none_or(|(body, _)| body.get("slug").is_none()), "no draft was put away");
}

/// Things whose updates are counted, the last one with a number of the same sequence as the things themselves.
fn things() -> Made {
    let plain = |id: u32, name: &str| {
        format!(r#"{{"id":{id},"name":"{name}","log":{{"all":[{{"count":0,"of":"/{id}/all"}}],"last":[]}}}}"#)
    };
    let logged = |id: u32, name: &str, last: u32| {
        format!(
            r#"{{"id":{id},"name":"{name}","log":{{"all":[{{"count":1,"of":"/{id}/all"}}],"last":[{{"id":{last}}}]}}}}"#
        )
    };
    let closed = |id: u32, name: &str, last: u32| logged(id, name, last).replace("\"log\"", "\"closed\":true,\"log\"");
    let open = |text: String| text.replace("\"log\"", "\"closed\":false,\"log\"");
    let kept = |text: String| -> &'static str { text.leak() };
    let all: Vec<&str> = [(1, "anvil"), (2, "bell"), (3, "crate"), (4, "drum"), (5, "easel")]
        .map(|(id, name)| kept(open(plain(id, name))))
        .into();
    let list = kept(format!("[{}]", all.join(",")));
    let (axe, bar) = (kept(open(logged(1, "axe", 6))), kept(open(logged(2, "bar", 7))));
    let (crate_closed, axe_closed) = (kept(closed(3, "crate", 8)), kept(closed(1, "axe", 6)));
    made(&[
        ("GET /api/things", 200, list),
        ("GET /api/things/1", 200, all[0]),
        ("GET /api/things/2", 200, all[1]),
        ("GET /api/things/3", 200, all[2]),
        (r#"PATCH{"name":"axe"} /api/things/1"#, 200, axe),
        ("GET /api/things/1", 200, axe),
        (r#"PATCH{"name":"bar"} /api/things/2"#, 200, bar),
        ("GET /api/things/2", 200, bar),
        ("POST{} /api/things/3/close", 200, crate_closed),
        ("GET /api/things/3", 200, crate_closed),
        ("POST{} /api/things/1/close", 200, axe_closed),
        ("GET /api/things/1", 200, axe_closed),
    ])
}

#[test]
fn what_is_made_of_something_held_is_not_known_where_no_call_found_any() {
    let made = things();
    let (first, world) = call(&made, &made.derived.world, "PATCH /api/things/4", r#"{"name":"desk"}"#).unwrap();
    assert_eq!(first.get("log").unwrap().to_compact(), r#"{"all":[{"count":1,"of":"/4/all"}],"last":[{"id":6}]}"#);
    let second = made.write(&world, "PATCH /api/things/4", r#"{"name":"door"}"#);
    let said = second.map(|written| (written.recorded, written.body.map(|body| body.to_compact())));
    assert!(said.as_ref().map_or(true, |(recorded, _)| !recorded.is_empty()), "no list was seen to grow: {said:?}");
}

#[test]
fn what_one_call_made_of_nothing_others_keep() {
    let made = things();
    let (first, world) = call(&made, &made.derived.world, "POST /api/things/4/close", "{}").unwrap();
    assert_eq!(first.get("log").unwrap().to_compact(), r#"{"all":[{"count":1,"of":"/4/all"}],"last":[{"id":6}]}"#);
    let (second, _) = call(&made, &world, "POST /api/things/4/close", "{}").unwrap();
    assert_eq!(second.get("log").unwrap(), first.get("log").unwrap());
}

/// Notes beside their rendering; by chance the one call that changed the text also changed another word, and one that
/// trimmed it was a create.
fn rendered() -> Made {
    let note = |id: u32, text: &str, by: &str| {
        let html = if text == "null" { "null".to_owned() } else { format!(r#""<p>{text}</p>""#) };
        let text = if text == "null" { "null".to_owned() } else { format!(r#""{text}""#) };
        let body = format!(r#"{{"id":{id},"size":{id},"text":{text},"html":{html},"by":"{by}"}}"#);
        &*body.leak()
    };
    let list =
        [note(1, "red fox", "mora"), note(2, "blue owl", "chen"), note(3, "null", "mora"), note(4, "bat", "chen")];
    let list: &str = format!("[{}]", list.join(",")).leak();
    let (made_one, other) = (note(5, "grey cat", "mora"), note(6, "old dog", "chen"));
    let turned = note(1, "pink bat", "chen");
    let none: &str = note(3, "null", "mora").replace(r#""size":3"#, r#""size":8"#).leak();
    let sized: &str = note(1, "pink bat", "chen").replace(r#""size":1"#, r#""size":9"#).leak();
    made(&[
        ("GET /api/notes", 200, list),
        ("GET /api/notes/1", 200, note(1, "red fox", "mora")),
        ("GET /api/notes/2", 200, note(2, "blue owl", "chen")),
        (r#"POST{"size":5,"text":" grey cat ","by":"mora"} /api/notes"#, 201, made_one),
        ("GET /api/notes/5", 200, made_one),
        (r#"POST{"size":6,"text":"old dog","by":"chen"} /api/notes"#, 201, other),
        ("GET /api/notes/6", 200, other),
        (r#"PATCH{"text":"pink bat","by":"chen"} /api/notes/1"#, 200, turned),
        ("GET /api/notes/1", 200, turned),
        (r#"PATCH{"size":9} /api/notes/1"#, 200, sized),
        ("GET /api/notes/1", 200, sized),
        (r#"PATCH{"size":8} /api/notes/3"#, 200, none),
        ("GET /api/notes/3", 200, none),
    ])
}

#[test]
fn a_text_of_what_changed_with_it_follows_that_and_not_the_word_beside_it() {
    let made = rendered();
    let (note, _) = call(&made, &made.derived.world, "PATCH /api/notes/2", r#"{"text":"new owl"}"#).unwrap();
    assert_eq!((text(&note, "text").as_str(), text(&note, "html").as_str()), ("new owl", "<p>new owl</p>"));
    let (note, _) = call(&made, &made.derived.world, "PATCH /api/notes/3", r#"{"by":"chen"}"#).unwrap();
    assert_eq!(note.get("html"), Some(&Value::Null));
}

#[test]
fn an_update_trims_what_creates_trim() {
    let made = rendered();
    let (note, _) = call(&made, &made.derived.world, "PATCH /api/notes/2", r#"{"text":"  new owl "}"#).unwrap();
    assert_eq!((text(&note, "text").as_str(), text(&note, "html").as_str()), ("new owl", "<p>new owl</p>"));
}

/// A note has its text rendered beside it, or nothing where it has none; who wrote it changes with the text once.
#[test]
fn what_every_other_entity_shows_is_no_turns() {
    let shown = |id: u8, name: &str, by: &str, note: &str| match note {
        "" => format!(r#"{{"id":{id},"name":"{name}","by":"{by}","note":null,"html":null}}"#),
        note => format!(r#"{{"id":{id},"name":"{name}","by":"{by}","note":"{note}","html":"<p>{note}</p>"}}"#),
    };
    let list = [
        shown(1, "one", "Ann", ""),
        shown(2, "two", "Bob", "red fox"),
        shown(3, "three", "Ann", "blue owl"),
        shown(4, "four", "Bob", "grey cat"),
        shown(5, "five", "Ann", ""),
    ];
    let mut calls = vec![("GET /api/notes", 200, kept(format!("[{}]", list.join(","))))];
    let [first, second, ..] = list;
    calls.extend([("GET /api/notes/1", 200, kept(first)), ("GET /api/notes/2", 200, kept(second))]);
    for (id, body, answer) in [
        (1, r#"{"name":"uno"}"#, shown(1, "uno", "Ann", "")),
        (1, r#"{"by":"Bob","note":"pink bat"}"#, shown(1, "uno", "Bob", "pink bat")),
        (5, r#"{"by":"Ann","note":null}"#, shown(5, "five", "Ann", "")),
        (2, r#"{"name":"due"}"#, shown(2, "due", "Bob", "red fox")),
    ] {
        let answer = kept(answer);
        calls.push((kept(format!("PATCH{body} /api/notes/{id}")), 200, answer));
        calls.push((kept(format!("GET /api/notes/{id}")), 200, answer));
    }
    let made = made(&calls);
    let (note, _) = call(&made, &made.derived.world, "PATCH /api/notes/4", r#"{"by":"Bob","note":"old dog"}"#).unwrap();
    assert_eq!(text(&note, "html"), "<p>old dog</p>");
}
