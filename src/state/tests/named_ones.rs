//! What a write makes by name, what lasts while something names its holder, and what a list of settings answers.

use super::recording::{Made, made, value};
use crate::json::Value;
use crate::state::{World, Write};

fn leak(text: String) -> &'static str {
    text.leak()
}

fn list(items: &[&str]) -> &'static str {
    leak(format!("[{}]", items.join(",")))
}

/// Posts name their tags, and make those that are not there.
fn blog() -> Made {
    const TAGS: [&str; 3] = [r#"{"id":11,"name":"Sea"}"#, r#"{"id":12,"name":"Land"}"#, r#"{"id":13,"name":"Sky"}"#];
    const FOG: &str = r#"{"id":14,"name":"Fog"}"#;
    let post =
        |id: u32, title: &str, tags: &[&str]| leak(format!(r#"{{"id":{id},"title":"{title}","tags":{}}}"#, list(tags)));
    let (one, five) = (post(101, "One", &TAGS[..1]), post(105, "Five", &[FOG]));
    let (six, seven) = (post(104, "Six", &TAGS[..1]), post(107, "Seven", &TAGS[1..]));
    let after = list(&[TAGS[0], TAGS[1], TAGS[2], FOG]);
    made(&[
        ("GET /tags", 200, list(&TAGS)),
        ("GET /posts", 200, list(&[one])),
        ("GET /posts/101", 200, one),
        (r#"POST{"title":"Six","tags":["Sea"]} /posts"#, 201, six),
        ("GET /posts/104", 200, six),
        (r#"POST{"title":"Five","tags":["Fog"]} /posts"#, 201, five),
        ("GET /posts/105", 200, five),
        ("GET /tags", 200, after),
        (r#"POST{"title":"Seven","tags":["Land","Sky"]} /posts"#, 201, seven),
        ("GET /posts/107", 200, seven),
        ("GET /tags", 200, after),
    ])
}

fn names(world: &World, kind: usize) -> Vec<String> {
    let entities = world.collections(kind).flat_map(|(_, held)| held.iter());
    entities.filter_map(|held| held.fields.get("name").and_then(Value::as_str).map(str::to_owned)).collect()
}

#[test]
fn a_name_that_is_not_held_is_made() {
    let made = blog();
    let tags = made.derived.types.iter().position(|kind| kind.collection_template == "/tags").unwrap();
    let body = r#"{"title":"Eight","tags":["Sky","Rime"]}"#;
    let written = made.write(&made.derived.world, "POST /posts", body).unwrap();
    let world = written.world.unwrap();
    assert_eq!(names(&world, tags).last().map(String::as_str), Some("Rime"));
    let shown = written.body.unwrap();
    let shown: Vec<&str> = shown
        .get("tags")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .filter_map(|tag| tag.get("name")?.as_str())
        .collect();
    assert_eq!(shown, ["Sky", "Rime"]);
    // The name is there from now on.
    let again = made.after(&world, "POST /posts", body);
    assert_eq!(names(&again, tags), names(&world, tags));
}

/// Tags whose address works while a published post has them.
#[test]
fn an_address_works_while_something_published_has_the_tag() {
    let tag = |id: u32, name: &str, live: bool| {
        let slug = name.to_lowercase();
        let url = if live { format!("http://h/tag/{slug}/") } else { "http://h/404/".to_owned() };
        leak(format!(r#"{{"id":{id},"name":"{name}","slug":"{slug}","url":"{url}"}}"#))
    };
    let (sea, land, sky, ice) =
        (tag(11, "Sea", true), tag(12, "Land", true), tag(13, "Sky", false), tag(14, "Ice", false));
    let post = |id: u32, title: &str, status: &str, tag: u32| {
        leak(format!(r#"{{"id":{id},"title":"{title}","status":"{status}","tag":{tag}}}"#))
    };
    let first = [post(101, "One", "published", 11), post(102, "Two", "published", 12), post(103, "Three", "draft", 13)];
    let (five, six) = (post(105, "Five", "published", 13), post(106, "Six", "draft", 14));
    let after = list(&[sea, land, tag(13, "Sky", true), ice]);
    let made = made(&[
        ("GET /tags", 200, list(&[sea, land, sky, ice])),
        ("GET /tags/11", 200, sea),
        ("GET /posts", 200, list(&first)),
        ("GET /posts/101", 200, first[0]),
        (r#"POST{"title":"Five","status":"published","tag":13} /posts"#, 201, five),
        ("GET /posts/105", 200, five),
        ("GET /tags", 200, after),
        (r#"POST{"title":"Six","status":"draft","tag":14} /posts"#, 201, six),
        ("GET /posts/106", 200, six),
        ("GET /tags", 200, after),
    ]);
    let live = |status: &str| {
        let body = format!(r#"{{"title":"Seven","status":"{status}","tag":14}}"#);
        let world = made.after(&made.derived.world, "POST /posts", &body);
        made.answer_in(&world, "GET /tags/14")
    };
    assert_eq!(live("draft"), ice);
    assert_eq!(live("published"), tag(14, "Ice", true));
}

#[test]
fn settings_that_are_written_in_part_answer_with_all_of_them() {
    let all = |title: &str, text: &str| {
        leak(format!(
            r#"{{"settings":[{{"key":"title","value":"{title}"}},{{"key":"text","value":"{text}"}},{{"key":"secret","value":"x"}}]}}"#
        ))
    };
    let some = |title: &str, text: &str| {
        leak(format!(r#"{{"settings":[{{"key":"title","value":"{title}"}},{{"key":"text","value":"{text}"}}]}}"#))
    };
    let made = made(&[
        ("GET /settings", 200, some("One", "a")),
        (r#"PUT{"settings":[{"key":"text","value":"b"}]} /settings"#, 200, all("One", "b")),
        ("GET /settings", 200, some("One", "b")),
        (
            r#"PUT{"settings":[{"key":"title","value":"Two"},{"key":"text","value":"c"}]} /settings"#,
            200,
            all("Two", "c"),
        ),
        ("GET /settings", 200, some("Two", "c")),
    ]);
    let body = r#"{"settings":[{"key":"title","value":"Three"}]}"#;
    let written = made.write(&made.derived.world, "PUT /settings", body).unwrap();
    assert_eq!(written.body.unwrap().to_compact(), all("Three", "a"));
    assert_eq!(made.answer_in(written.world.as_ref().unwrap(), "GET /settings"), some("Three", "a"));
}

const ERROR: &str = "35786a80-ec32-11f1-b708-f579d6853d3";

#[test]
fn the_error_of_an_absent_target_has_an_id_of_its_own() {
    let error = |at: u32| leak(format!(r#"{{"error":"none","id":"{ERROR}{at}"}}"#));
    let made = made(&[
        ("GET /things", 200, r#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#),
        ("GET /things/1", 200, r#"{"id":1,"name":"a"}"#),
        ("DELETE /things/77", 404, error(1)),
        ("DELETE /things/2", 204, ""),
        ("GET /things", 200, r#"[{"id":1,"name":"a"}]"#),
        ("DELETE /things/2", 404, error(2)),
    ]);
    let written = made.write(&made.derived.world, "DELETE /things/99", "").unwrap();
    assert_eq!(written.generated, [("/id".to_owned(), "uuid")]);
}

#[test]
fn what_was_refused_for_a_made_entity_is_refused_for_the_one_in_its_place() {
    let made = made(&[
        ("GET /things", 200, r#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#),
        ("GET /things/1", 200, r#"{"id":1,"name":"a"}"#),
        (r#"POST{"name":"c"} /things"#, 201, r#"{"id":7,"name":"c"}"#),
        ("GET /things/7", 200, r#"{"id":7,"name":"c"}"#),
        ("GET /things", 200, r#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":7,"name":"c"}]"#),
        (r#"PATCH{"name":"d"} /things/7"#, 200, r#"{"id":7,"name":"d"}"#),
        ("GET /things/7", 200, r#"{"id":7,"name":"d"}"#),
        (r#"PATCH{"name":"e","stale":true} /things/7"#, 409, r#"{"error":"stale"}"#),
    ]);
    let world = made.after(&made.derived.world, "POST /things", r#"{"name":"f"}"#);
    let tool = made.tool("PATCH", "/things/7");
    let body = value(r#"{"name":"e","stale":true}"#);
    let refused = |path: &str| {
        let write = Write { parameters: &[], path, query: &[], body: Some(&body) };
        made.derived.recorded_refusal(tool, &write, true, &world)
    };
    let id = world.collections(0).flat_map(|(_, held)| held.iter()).last().unwrap().id.to_string();
    assert!(refused(&format!("/things/{id}")).is_some(), "{id}");
    assert!(refused("/things/1").is_none(), "another entity was not asked");
    assert!(refused("/things/99").is_none(), "nothing is there");
}

/// What is asked for by a name that several have is not known, but where recordings show that it is the first of them.
#[rstest::rstest]
#[case::nothing_shown("c", "<unrecorded-request>")]
#[case::the_first("a", r#"{"id":2,"name":"b","n":2}"#)]
fn what_several_are_called_by_names_none_of_them(#[case] third: &str, #[case] expected: &str) {
    let things: &'static str = format!(
        r#"[{{"id":1,"name":"a","n":1}},{{"id":2,"name":"b","n":2}},{{"id":3,"name":"{third}","n":3}},{{"id":4,"name":"d","n":4}}]"#
    )
    .leak();
    let made = super::recording::made(&[
        ("GET /api/things", 200, things),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"a","n":1}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"b","n":2}"#),
        ("GET /api/named/a", 200, r#"{"id":1,"name":"a","n":1}"#),
        ("GET /api/named/b", 200, r#"{"id":2,"name":"b","n":2}"#),
        (r#"PATCH{"name":"e"} /api/things/4"#, 200, r#"{"id":4,"name":"e","n":4}"#),
        ("GET /api/things/4", 200, r#"{"id":4,"name":"e","n":4}"#),
        (r#"PATCH{"name":"f"} /api/things/4"#, 200, r#"{"id":4,"name":"f","n":4}"#),
        ("GET /api/things/4", 200, r#"{"id":4,"name":"f","n":4}"#),
    ]);
    let start = &made.derived.world;
    assert_eq!(made.answer_in(start, "GET /api/named/b"), r#"{"id":2,"name":"b","n":2}"#);
    let world = made.after(start, "PATCH /api/things/4", r#"{"name":"b"}"#);
    assert_eq!(made.answer_in(&world, "GET /api/named/b"), expected);
}
