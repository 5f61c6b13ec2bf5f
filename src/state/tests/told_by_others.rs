//! One recorded call says little of a member: what entities that no call made show of it comes before a constant.

use super::super::member_rule::MemberExpr;
use super::recording::{Made, made};
use crate::json::Value;

const FIRST: &str = "650affb4-4359-4fd1-82f5-1f05e9436415";
const SECOND: &str = "3bd70ffd-2a79-4bd2-96d9-3f5b72cb7adc";
const MADE: &str = "9ef3bfeb-fb7e-4f26-b5e3-7ec08974e471";

/// A list, one create that answers with what it made, and the reads that confirm it.
fn one_create(path: &str, held: &[&str], sent: &str, created: &str, id: &str) -> Made {
    let list = |items: &[&str]| -> &'static str { format!("[{}]", items.join(",")).leak() };
    let all: Vec<&str> = held.iter().copied().chain([created]).collect();
    let line = |text: String| -> &'static str { text.leak() };
    made(&[
        (line(format!("GET {path}")), 200, list(held)),
        (line(format!("POST{sent} {path}")), 201, line(created.to_owned())),
        (line(format!("GET {path}/{id}")), 200, line(created.to_owned())),
        (line(format!("GET {path}")), 200, list(&all)),
    ])
}

fn member(made: &Made, path: &str, sent: &str, name: &str) -> Value {
    let written = made.write(&made.derived.world, &format!("POST {path}"), sent).unwrap();
    written.body.as_ref().and_then(|body| body.get(name)).cloned().unwrap_or(Value::Null)
}

#[test]
fn a_text_with_a_piece_of_the_identity_is_made_of_it_after_one_call() {
    let maker = |id: &str, name: &str, key: &str| {
        format!(r#"{{"id":"{id}","name":"{name}","key":"{key}_{}"}}"#, id.split_at(4).0)
    };
    let (first, second) = (maker(FIRST, "Acme Nets", "acme-nets"), maker(SECOND, "Blue Peak", "blue-peak"));
    let created = maker(MADE, "Granite", "granite");
    let made = one_create("/makers", &[&first, &second], r#"{"name":"Granite"}"#, &created, MADE);
    let written = made.write(&made.derived.world, "POST /makers", r#"{"name":"Copper"}"#).unwrap();
    let body = written.body.unwrap();
    let id = body.get("id").and_then(Value::as_str).unwrap();
    assert_eq!(body.get("key").and_then(Value::as_str), Some(format!("copper_{}", id.split_at(4).0).as_str()));
}

/// Jobs are numbered in each project for themselves.
#[rstest::rstest]
#[case::its_own(1, 4)]
#[case::another(2, 3)]
fn one_number_past_those_of_its_kind_is_the_next(#[case] project: i64, #[case] expected: i64) {
    let job = |id: u8, project: u8, number: u8| {
        format!(r#"{{"id":{id},"title":"job {id}","project":{project},"number":{number}}}"#)
    };
    let held = [job(11, 1, 1), job(12, 1, 2), job(13, 2, 1), job(14, 1, 3), job(15, 2, 2)];
    let held: Vec<&str> = held.iter().map(String::as_str).collect();
    let made = one_create("/jobs", &held, r#"{"title":"job 16","project":1}"#, &job(16, 1, 4), "16");
    let sent = format!(r#"{{"title":"other","project":{project}}}"#);
    assert_eq!(member(&made, "/jobs", &sent, "number"), Value::from(expected));
}

#[test]
fn a_number_that_others_copy_is_a_copy() {
    let box_of = |id: u8, size: u8| format!(r#"{{"id":{id},"size":{size},"cost":{size}}}"#);
    let held = [box_of(1, 3), box_of(2, 8)];
    let made = one_create("/boxes", &[&held[0], &held[1]], r#"{"size":5}"#, &box_of(3, 5), "3");
    assert_eq!(member(&made, "/boxes", r#"{"size":9}"#, "cost"), Value::from(9));
}

/// What is held by others is a default as well: nothing says that it is made.
#[test]
fn a_value_that_others_hold_may_be_a_constant() {
    let held = [r#"{"id":1,"name":"Ann","rank":3}"#, r#"{"id":2,"name":"Ben","rank":5}"#];
    let made = one_create("/people", &held, r#"{"name":"Cat"}"#, r#"{"id":3,"name":"Cat","rank":5}"#, "3");
    assert_eq!(member(&made, "/people", r#"{"name":"Dan"}"#, "rank"), Value::from(5));
}

/// A note says of which project it is: that of the job that it is about.
#[test]
fn one_value_that_others_look_up_is_looked_up() {
    let job = |id: u8, project: u8| format!(r#"{{"id":{id},"title":"job {id}","project":{project}}}"#);
    let jobs: &str = format!("[{},{},{}]", job(11, 7), job(12, 8), job(13, 9)).leak();
    let held = r#"[{"id":1,"text":"a","job":11,"project":7},{"id":2,"text":"b","job":13,"project":9}]"#;
    let new = r#"{"id":3,"text":"c","job":12,"project":8}"#;
    let all: &str = format!("{},{new}]", held.trim_end_matches(']')).leak();
    let made = made(&[
        ("GET /jobs", 200, jobs),
        ("GET /jobs/11", 200, job(11, 7).leak()),
        ("GET /notes", 200, held),
        (r#"POST{"text":"c","job":12} /notes"#, 201, new),
        ("GET /notes/3", 200, new),
        ("GET /notes", 200, all),
    ]);
    assert_eq!(member(&made, "/notes", r#"{"text":"d","job":11}"#, "project"), Value::from(7));
}

/// All labels have a slug of their own, and no call was recorded that made one of a name that is there already.
#[rstest::rstest]
#[case::free("Far Away", Some("far-away"))]
#[case::taken("red fox", None)]
fn a_slug_that_another_has_is_not_known(#[case] name: &str, #[case] expected: Option<&str>) {
    let label = |id: u8, name: &str, slug: &str| format!(r#"{{"id":{id},"name":"{name}","slug":"{slug}"}}"#);
    let held = [label(1, "Red Fox", "red-fox"), label(2, "Old Owl", "old-owl"), label(3, "Sea Eel", "sea-eel")];
    let held: Vec<&str> = held.iter().map(String::as_str).collect();
    let made = one_create("/labels", &held, r#"{"name":"Tall Elk"}"#, &label(4, "Tall Elk", "tall-elk"), "4");
    let sent = format!(r#"{{"name":"{name}"}}"#);
    let written = made.write(&made.derived.world, "POST /labels", &sent).ok();
    let body = written.and_then(|written| written.body);
    assert_eq!(body.as_ref().and_then(|body| body.get("slug")).and_then(Value::as_str), expected);
}

/// One type by two routes, each with an error of its own: a removal says what the read of its own route says.
#[test]
fn an_absent_target_is_what_the_read_of_the_same_route_says() {
    let made = made(&[
        ("GET /colours", 200, r#"[{"id":1,"name":"red"},{"id":2,"name":"blue"},{"id":3,"name":"grey"}]"#),
        ("GET /colours/1", 200, r#"{"id":1,"name":"red"}"#),
        ("GET /colours/2", 200, r#"{"id":2,"name":"blue"}"#),
        ("GET /colours/name/red", 200, r#"{"id":1,"name":"red"}"#),
        ("GET /colours/name/blue", 200, r#"{"id":2,"name":"blue"}"#),
        ("GET /colours/77", 404, r#"{"error":"no such number"}"#),
        ("GET /colours/name/pink", 404, r#"{"error":"no such name"}"#),
        ("DELETE /colours/name/grey", 204, ""),
        ("GET /colours", 200, r#"[{"id":1,"name":"red"},{"id":2,"name":"blue"}]"#),
        ("DELETE /colours/name/blue", 204, ""),
        ("GET /colours", 200, r#"[{"id":1,"name":"red"}]"#),
    ]);
    let written = made.write(&made.derived.world, "DELETE /colours/name/pink", "").unwrap();
    let error = written.body.as_ref().and_then(|body| body.get("error")).and_then(Value::as_str);
    assert_eq!(error, Some("no such name"));
}

/// Two types count their entities alike and make alike paths of the numbers: each of its own.
#[test]
fn a_text_of_the_own_number_is_not_that_of_another_type_with_the_number() {
    let one = |id: u8, name: &str| format!(r#"{{"id":{id},"name":"{name}","file":"/srv/files/{id}.txt"}}"#);
    let list = |all: &[String]| -> &'static str { format!("[{}]", all.join(",")).leak() };
    let text = |one: &String| -> &'static str { one.clone().leak() };
    let shelves = [one(1, "Oak"), one(2, "Elm"), one(3, "Fir")];
    let made = made(&[
        ("GET /books", 200, list(&[one(1, "A"), one(2, "B"), one(3, "C")])),
        ("GET /shelves", 200, list(&shelves[..1])),
        (r#"POST{"name":"Elm"} /shelves"#, 201, text(&shelves[1])),
        ("GET /shelves/2", 200, text(&shelves[1])),
        ("GET /shelves", 200, list(&shelves[..2])),
        (r#"POST{"name":"Fir"} /shelves"#, 201, text(&shelves[2])),
        ("GET /shelves/3", 200, text(&shelves[2])),
        ("GET /shelves", 200, list(&shelves)),
    ]);
    let part = &made.derived.plan(made.tool("POST", "/shelves")).unwrap().parts[0];
    let rule = part.slots.iter().find(|(slot, _)| slot.name.as_ref() == "file").map(|(_, rule)| rule);
    assert!(matches!(rule, Some(MemberExpr::Text(_))), "{rule:?}");
}
