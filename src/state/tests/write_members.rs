//! Rules of members and of answers of served writes, each over a small recording that shows it: what is told apart, what is
//! null or left out, what is kept, and what an answer that nothing gives says.

use super::recording::{Made, made, value};
use crate::state::{Write, WriteRefusal, Written};
use rstest::rstest;

fn call(made: &Made, line: &str, body: Option<&str>) -> Result<Written, WriteRefusal> {
    made.write(&made.derived.world, line, body.unwrap_or_default())
}

/// The type that a move is about.
fn moved_kind(made: &Made) -> usize {
    made.derived.plan(made.tool("PATCH", "/api/things/2")).unwrap().target.entity_type
}

fn assert_answers(made: &Made, line: &str, body: Option<&str>, expected: &str) {
    let answer = call(made, line, body).unwrap().body.unwrap();
    assert!(answer.same_as(&value(expected)), "{}", answer.to_compact());
}

/// A text that lives as long as the recordings of the tests do.
fn text(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// The size of thing 3, which only a list shows, is not known.
#[rstest]
#[case::member("", "", "/size")]
#[case::inner_member(r#"{"done":"#, "}", "/done/size")]
#[case::item("[", "]", "/0/size")]
fn a_refusal_names_what_nothing_gives(#[case] open: &str, #[case] close: &str, #[case] place: &str) {
    let answer = |thing: &str| text(format!("{open}{thing}{close}"));
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil"},{"id":2,"name":"bell"},{"id":3,"name":"cup"}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","size":3}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","size":5}"#),
        (r#"PATCH{"name":"awl"} /api/things/1"#, 200, answer(r#"{"id":1,"name":"awl","size":3}"#)),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"awl","size":3}"#),
        (r#"PATCH{"name":"bow"} /api/things/2"#, 200, answer(r#"{"id":2,"name":"bow","size":5}"#)),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bow","size":5}"#),
    ]);
    let sent = Some(r#"{"name":"can"}"#);
    assert_answers(&made, "PATCH /api/things/1", sent, answer(r#"{"id":1,"name":"can","size":3}"#));
    let refusal = call(&made, "PATCH /api/things/3", sent).unwrap_err();
    assert!(refusal.message.contains(&format!("a member, \"{place}\", that nothing")), "{}", refusal.message);
}

/// Names differ in every thing and come first; the state is a word that things share, and tells the cases apart.
#[rstest]
#[case::of_one_state(3, "cup", "raw", true)]
#[case::of_the_other(4, "dish", "done", false)]
fn only_words_tell_cases_apart(#[case] id: usize, #[case] name: &str, #[case] state: &str, #[case] heavy: bool) {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","state":"raw","heavy":false,"size":1},{"id":2,"name":"bell","state":"done","heavy":true,"size":2},
               {"id":3,"name":"cup","state":"raw","heavy":false,"size":3},{"id":4,"name":"dish","state":"done","heavy":true,"size":4}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","state":"raw","heavy":false,"size":1}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","state":"done","heavy":true,"size":2}"#),
        (r#"PATCH{"size":7} /api/things/1"#, 200, r#"{"id":1,"name":"anvil","state":"raw","heavy":true,"size":7}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","state":"raw","heavy":true,"size":7}"#),
        (r#"PATCH{"size":7} /api/things/2"#, 200, r#"{"id":2,"name":"bell","state":"done","heavy":false,"size":7}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","state":"done","heavy":false,"size":7}"#),
    ]);
    let expected = format!(r#"{{"id":{id},"name":"{name}","state":"{state}","heavy":{heavy},"size":7}}"#);
    assert_answers(&made, &format!("PATCH /api/things/{id}"), Some(r#"{"size":7}"#), &expected);
}

/// Of thing 3 no kind is known; the answers about the other two show the same.
#[rstest]
#[case::nothing_else_is_held("thing", Ok(r#"{"id":3,"name":"can","kind":"thing"}"#))]
#[case::another_holds_another("tool", Err("/kind"))]
fn what_all_answers_show_stands_in(#[case] of_another: &str, #[case] expected: Result<&str, &str>) {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil"},{"id":2,"name":"bell"},{"id":3,"name":"cup"},{"id":4,"name":"dish"}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","kind":"thing"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","kind":"thing"}"#),
        ("GET /api/things/4", 200, text(format!(r#"{{"id":4,"name":"dish","kind":"{of_another}"}}"#))),
        (r#"PATCH{"name":"awl"} /api/things/1"#, 200, r#"{"id":1,"name":"awl","kind":"thing"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"awl","kind":"thing"}"#),
        (r#"PATCH{"name":"bow"} /api/things/2"#, 200, r#"{"id":2,"name":"bow","kind":"thing"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bow","kind":"thing"}"#),
    ]);
    let sent = Some(r#"{"name":"can"}"#);
    match expected {
        Ok(expected) => assert_answers(&made, "PATCH /api/things/3", sent, expected),
        Err(place) => {
            let refusal = call(&made, "PATCH /api/things/3", sent).unwrap_err();
            assert!(refusal.message.contains(place), "{}", refusal.message);
        }
    }
}

/// The size of thing 2 is not known before its delete, and says nothing against that of thing 1.
#[test]
fn what_is_not_known_says_nothing_against_a_member() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil"},{"id":2,"name":"bell"},{"id":3,"name":"cup"}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","size":3}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"cup","size":9}"#),
        ("DELETE /api/things/1", 200, r#"{"id":1,"name":"anvil","size":3}"#),
        ("GET /api/things", 200, r#"[{"id":2,"name":"bell"},{"id":3,"name":"cup"}]"#),
        ("DELETE /api/things/2", 200, r#"{"id":2,"name":"bell","size":5}"#),
        ("GET /api/things", 200, r#"[{"id":3,"name":"cup"}]"#),
    ]);
    assert_answers(&made, "DELETE /api/things/3", None, r#"{"id":3,"name":"cup","size":9}"#);
}

/// What others hold is another number in every list: which things are listed confirms a create and a delete.
#[rstest]
#[case::create("POST /api/things", Some(r#"{"name":"drum"}"#))]
#[case::delete("DELETE /api/things/2", None)]
fn a_list_confirms_by_what_it_lists(#[case] line: &str, #[case] body: Option<&str>) {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","seen":71},{"id":2,"name":"bell","seen":12}]"#),
        (r#"POST{"name":"crate"} /api/things"#, 201, r#"{"id":3,"name":"crate"}"#),
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","seen":34},{"id":2,"name":"bell","seen":93},{"id":3,"name":"crate","seen":55}]"#,
        ),
        ("DELETE /api/things/3", 204, ""),
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","seen":68},{"id":2,"name":"bell","seen":27}]"#),
    ]);
    assert!(call(&made, line, body).unwrap().world.is_some());
}

/// Which things are listed says nothing of an update.
#[test]
fn a_list_that_shows_something_else_confirms_no_update() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","seen":71},{"id":2,"name":"bell","seen":12}]"#),
        (r#"PATCH{"name":"bow"} /api/things/2"#, 200, r#"{"id":2,"name":"bow"}"#),
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","seen":34},{"id":2,"name":"bow","seen":93}]"#),
    ]);
    assert!(made.derived.plan(made.tool("PATCH", "/api/things/2")).is_none());
}

/// The member of another name is null, or left out, where null was sent.
#[rstest]
#[case::null(r#","html":null"#)]
#[case::left_out("")]
fn what_is_made_of_a_sent_null_is_null_or_left_out(#[case] without: &'static str) {
    let list = r#"[{"id":1,"state":"a","note":"Old one","html":"<p>Old one</p>"},{"id":2,"state":"b","note":"Old two","html":"<p>Old two</p>"}]"#;
    let of = |id: usize, state: &str, note: &str| -> &'static str {
        let shown = match note {
            "" => format!(r#"{{"id":{id},"state":"{state}","note":null{without}}}"#),
            note => format!(r#"{{"id":{id},"state":"{state}","note":"{note}","html":"<p>{note}</p>"}}"#),
        };
        text(shown)
    };
    let made = made(&[
        ("GET /api/things", 200, list),
        ("GET /api/things/1", 200, of(1, "a", "Old one")),
        ("GET /api/things/2", 200, of(2, "b", "Old two")),
        (r#"POST{"state":"a","note":null} /api/things"#, 201, of(3, "a", "")),
        ("GET /api/things/3", 200, of(3, "a", "")),
        (r#"POST{"state":"b","note":"New four"} /api/things"#, 201, of(4, "b", "New four")),
        ("GET /api/things/4", 200, of(4, "b", "New four")),
        (r#"POST{"state":"c","note":"New five"} /api/things"#, 201, of(5, "c", "New five")),
        ("GET /api/things/5", 200, of(5, "c", "New five")),
    ]);
    assert_answers(&made, "POST /api/things", Some(r#"{"state":"a","note":"Last"}"#), of(3, "a", "Last"));
    assert_answers(&made, "POST /api/things", Some(r#"{"state":"b","note":null}"#), of(3, "b", ""));
}

/// Both moved things went to place 7: what moves go to elsewhere is not known, and what does not move stays where it is.
#[test]
fn what_only_some_calls_change_is_kept_by_the_others() {
    let of = |id: usize, name: &str, place: usize| {
        text(format!(r#"{{"id":{id},"name":"{name}","at":{{"place":{place}}}}}"#))
    };
    let list = text(format!("[{},{},{}]", of(1, "anvil", 7), of(2, "bell", 8), of(3, "cup", 9)));
    let made = made(&[
        ("GET /api/things", 200, list),
        ("GET /api/things/1", 200, of(1, "anvil", 7)),
        ("GET /api/things/2", 200, of(2, "bell", 8)),
        ("GET /api/things/3", 200, of(3, "cup", 9)),
        (r#"PATCH{"name":"awl"} /api/things/1"#, 200, of(1, "awl", 7)),
        ("GET /api/things/1", 200, of(1, "awl", 7)),
        (r#"PATCH{"to":7} /api/things/2"#, 200, of(2, "bell", 7)),
        ("GET /api/things/2", 200, of(2, "bell", 7)),
    ]);
    assert_answers(&made, "PATCH /api/things/3", Some(r#"{"name":"can"}"#), of(3, "can", 9));
    // Thing 2 is at place 8 again, and what sends it to another is not known to be place 7.
    let moved = call(&made, "PATCH /api/things/2", Some(r#"{"to":9}"#)).unwrap();
    assert!(!moved.recorded.is_empty() && moved.recorded.iter().all(|place| place.starts_with("/at")));
    let fields = moved.world.unwrap().named(moved_kind(&made), "2").next().map(|held| held.fields.to_compact());
    assert_eq!(fields.as_deref(), Some(r#"{"id":2,"name":"bell"}"#));
}

/// Thing 1 was gone before it was renamed: that it is gone after both calls is what the other call does alone.
#[rstest]
#[case::kept(r#"{"name":"can"}"#, r#"{"id":3,"name":"can","state":"live"}"#)]
#[case::changed(r#"{"archive":true}"#, r#"{"id":3,"name":"cup","state":"gone"}"#)]
fn what_one_member_changes_is_kept_without_it(#[case] sent: &str, #[case] expected: &str) {
    let of = |id: usize, name: &str, state: &str| text(format!(r#"{{"id":{id},"name":"{name}","state":"{state}"}}"#));
    let list = text(format!("[{},{},{}]", of(1, "anvil", "gone"), of(2, "bell", "live"), of(3, "cup", "live")));
    let made = made(&[
        ("GET /api/things", 200, list),
        ("GET /api/things/1", 200, of(1, "anvil", "gone")),
        ("GET /api/things/2", 200, of(2, "bell", "live")),
        ("GET /api/things/3", 200, of(3, "cup", "live")),
        (r#"PATCH{"name":"awl"} /api/things/1"#, 200, of(1, "awl", "gone")),
        ("GET /api/things/1", 200, of(1, "awl", "gone")),
        (r#"PATCH{"archive":true} /api/things/2"#, 200, of(2, "bell", "gone")),
        ("GET /api/things/2", 200, of(2, "bell", "gone")),
    ]);
    assert_answers(&made, "PATCH /api/things/3", Some(sent), expected);
}

/// Two members are always sent with each other: the text is made of the note, so the note alone changes it, too.
#[rstest]
#[case::with_the_other(r#"{"author":"x","note":"new"}"#, r#"{"id":2,"author":"x","note":"new","html":"<p>new</p>"}"#)]
#[case::alone(r#"{"note":"new"}"#, r#"{"id":2,"author":"b","note":"new","html":"<p>new</p>"}"#)]
#[case::the_other_alone(r#"{"author":"x"}"#, r#"{"id":2,"author":"x","note":"bye","html":"<p>bye</p>"}"#)]
fn what_a_text_is_made_of_tells_when_it_changes(#[case] sent: &str, #[case] expected: &str) {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"author":"a","note":"hello","html":"<p>hello</p>"},{"id":2,"author":"b","note":"bye","html":"<p>bye</p>"}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"author":"a","note":"hello","html":"<p>hello</p>"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"author":"b","note":"bye","html":"<p>bye</p>"}"#),
        (
            r#"PATCH{"author":"c","note":"good day"} /api/things/1"#,
            200,
            r#"{"id":1,"author":"c","note":"good day","html":"<p>good day</p>"}"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"author":"c","note":"good day","html":"<p>good day</p>"}"#),
        (
            r#"PATCH{"author":"d","note":"see you"} /api/things/1"#,
            200,
            r#"{"id":1,"author":"d","note":"see you","html":"<p>see you</p>"}"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"author":"d","note":"see you","html":"<p>see you</p>"}"#),
        (r#"PATCH{"size":5} /api/things/1"#, 200, r#"{"id":1,"author":"d","note":"see you","html":"<p>see you</p>"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"author":"d","note":"see you","html":"<p>see you</p>"}"#),
    ]);
    assert_answers(&made, "PATCH /api/things/2", Some(sent), expected);
}

/// Thing 3 was only listed. The item spells the state in other words, and each word always stands for the same one: an answer
/// shows it so, and the list follows what is written.
#[rstest]
#[case::a_word_that_stays(r#"{"name":"can"}"#, r#"{"id":3,"name":"can","state":"live"}"#, "running")]
#[case::a_word_that_changes(r#"{"state":"still"}"#, r#"{"id":3,"name":"cup","state":"still"}"#, "halted")]
fn what_views_prove_of_a_thing_is_answered(#[case] sent: &str, #[case] expected: &str, #[case] listed: &str) {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","state":"running"},{"id":2,"name":"bell","state":"halted"},
               {"id":3,"name":"cup","state":"running"},{"id":4,"name":"dish","state":"halted"}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","state":"live"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","state":"still"}"#),
        ("GET /api/things/4", 200, r#"{"id":4,"name":"dish","state":"still"}"#),
        (r#"PATCH{"name":"awl"} /api/things/1"#, 200, r#"{"id":1,"name":"awl","state":"live"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"awl","state":"live"}"#),
        (r#"PATCH{"state":"live"} /api/things/2"#, 200, r#"{"id":2,"name":"bell","state":"live"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","state":"live"}"#),
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"awl","state":"running"},{"id":2,"name":"bell","state":"running"},
               {"id":3,"name":"cup","state":"running"},{"id":4,"name":"dish","state":"halted"}]"#,
        ),
    ]);
    assert_answers(&made, "PATCH /api/things/3", Some(sent), expected);
    let world = call(&made, "PATCH /api/things/3", Some(sent)).unwrap().world.unwrap();
    let list = value(&made.answer_in(&world, "GET /api/things"));
    assert_eq!(list.as_array().unwrap()[2].get("state").and_then(crate::json::Value::as_str), Some(listed));
}

/// What is put at a member of a thing is a list of what it names; the answer is the list as it is held then.
#[test]
fn a_list_put_at_a_member_is_that_member() {
    let tags = r#"[{"id":"t1","name":"red"},{"id":"t2","name":"blue"},{"id":"t3","name":"green"}]"#;
    let of = |id: usize, tags: &str| text(format!(r#"{{"id":{id},"size":{id},"tags":{tags}}}"#));
    let (red, both) = (r#"[{"id":"t1","name":"red"}]"#, r#"[{"id":"t2","name":"blue"},{"id":"t3","name":"green"}]"#);
    let made = made(&[
        ("GET /api/tags", 200, tags),
        ("GET /api/things", 200, text(format!("[{},{},{}]", of(1, red), of(2, "[]"), of(3, "[]")))),
        ("GET /api/things/1", 200, of(1, red)),
        ("GET /api/things/2", 200, of(2, "[]")),
        (r#"PUT[{"id":"t2"},{"id":"t3"}] /api/things/1/tags"#, 200, both),
        ("GET /api/things/1", 200, of(1, both)),
        (r#"PUT[{"id":"t1"}] /api/things/2/tags"#, 200, red),
        ("GET /api/things/2", 200, of(2, red)),
    ]);
    let tool = made.tool("PUT", "/api/things/3/tags");
    let body = crate::state::as_member(&made.manifest.tools[tool], &value(r#"[{"id":"t3"}]"#));
    let (parameters, path) = (["3".to_owned()], "/api/things/3/tags");
    let write = Write { parameters: &parameters, path, query: &[], body: body.as_ref() };
    let written = made.derived.write(&made.derived.world, made.derived.plan(tool).unwrap(), &write, ("ev", "tool"));
    let written = written.unwrap();
    assert_eq!(written.body.unwrap().to_compact(), r#"[{"id":"t3","name":"green"}]"#);
    let kind = made.derived.plan(tool).unwrap().target.entity_type;
    let fields = written.world.unwrap().named(kind, "3").next().map(|held| held.fields.to_compact());
    assert_eq!(fields.as_deref(), Some(r#"{"id":3,"size":3,"tags":[{"id":"t3","name":"green"}]}"#));
}

/// Each call sends the revision that it found; a tag leaves it as it is, a name makes another.
#[rstest]
#[case::kept(r#"{"tag":"new"}"#, true)]
#[case::made(r#"{"name":"can"}"#, false)]
fn a_made_text_that_some_calls_keep_is_kept_by_the_next(#[case] sent: &str, #[case] kept: bool) {
    let revisions = ["3f0c6c2e-7a51-4a0e-9b1d-5c2f7be91a01", "8a1d2f34-6b7c-4d8e-8f90-a1b2c3d4e5f6"];
    let others = ["c0ffee00-1234-4abc-9def-0123456789ab", "5d4c3b2a-0f1e-4d2c-8b3a-495867768594"];
    let of = |id: usize, name: &str, tag: &str, revision: &str| {
        text(format!(r#"{{"id":{id},"name":"{name}","tag":"{tag}","revision":"{revision}"}}"#))
    };
    let patch = |member: &str, value: &str, revision: &str, id: usize| {
        text(format!(r#"PATCH{{"{member}":"{value}","revision":"{revision}"}} /api/things/{id}"#))
    };
    let ([first, second], [third, fourth]) = (revisions, others);
    let made = made(&[
        ("GET /api/things", 200, text(format!("[{},{}]", of(1, "anvil", "a", first), of(2, "bell", "b", second)))),
        ("GET /api/things/1", 200, of(1, "anvil", "a", first)),
        ("GET /api/things/2", 200, of(2, "bell", "b", second)),
        (patch("name", "awl", first, 1), 200, of(1, "awl", "a", third)),
        ("GET /api/things/1", 200, of(1, "awl", "a", third)),
        (patch("name", "bow", second, 2), 200, of(2, "bow", "b", fourth)),
        ("GET /api/things/2", 200, of(2, "bow", "b", fourth)),
        (patch("tag", "c", third, 1), 200, of(1, "awl", "c", third)),
        ("GET /api/things/1", 200, of(1, "awl", "c", third)),
        (patch("tag", "d", fourth, 2), 200, of(2, "bow", "d", fourth)),
        ("GET /api/things/2", 200, of(2, "bow", "d", fourth)),
    ]);
    let answer = call(&made, "PATCH /api/things/1", Some(sent)).unwrap().body.unwrap();
    let revision = answer.get("revision").and_then(crate::json::Value::as_str);
    assert_eq!(revision == Some(first), kept, "{}", answer.to_compact());
}

/// Who writes is said by no call: the one who made what was made changes what is changed.
#[test]
fn who_wrote_last_is_stamped() {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","created_by":"ann","updated_by":"ben"},{"id":2,"name":"bell","created_by":"ben","updated_by":"cid"}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","created_by":"ann","updated_by":"ben"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","created_by":"ben","updated_by":"cid"}"#),
        (r#"POST{"name":"cup"} /api/things"#, 201, r#"{"id":3,"name":"cup","created_by":"dora","updated_by":"dora"}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"cup","created_by":"dora","updated_by":"dora"}"#),
        (
            r#"PATCH{"name":"awl"} /api/things/1"#,
            200,
            r#"{"id":1,"name":"awl","created_by":"ann","updated_by":"dora"}"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"awl","created_by":"ann","updated_by":"dora"}"#),
    ]);
    let expected = r#"{"id":2,"name":"bow","created_by":"ben","updated_by":"dora"}"#;
    assert_answers(&made, "PATCH /api/things/2", Some(r#"{"name":"bow"}"#), expected);
}

/// Things without a note have no such member, and answers leave it out as reads do.
#[rstest]
#[case::held(1, r#"{"id":1,"name":"can","note":"old"}"#)]
#[case::not_held(2, r#"{"id":2,"name":"can"}"#)]
fn answers_leave_out_what_is_not_held(#[case] id: usize, #[case] expected: &str) {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","note":"old"},{"id":2,"name":"bell"},{"id":3,"name":"cup"}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","note":"old"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell"}"#),
        (r#"PATCH{"name":"awl"} /api/things/1"#, 200, r#"{"id":1,"name":"awl","note":"old"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"awl","note":"old"}"#),
        (r#"PATCH{"name":"bow"} /api/things/2"#, 200, r#"{"id":2,"name":"bow"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bow"}"#),
    ]);
    assert_answers(&made, &format!("PATCH /api/things/{id}"), Some(r#"{"name":"can"}"#), expected);
}

/// The items of a list are made one by one: a text in an item is made of the members beside it.
#[test]
fn a_text_in_an_item_is_made_of_what_stands_beside_it() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","parts":[{"label":"Big Horn","key":"big-horn"}]}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","parts":[{"label":"Big Horn","key":"big-horn"}]}"#),
        (
            r#"POST{"name":"bell","parts":[{"label":"Loud Clapper"},{"label":"Wide Rim"}]} /api/things"#,
            201,
            r#"{"id":2,"name":"bell","parts":[{"label":"Loud Clapper","key":"loud-clapper"},{"label":"Wide Rim","key":"wide-rim"}]}"#,
        ),
        (
            "GET /api/things/2",
            200,
            r#"{"id":2,"name":"bell","parts":[{"label":"Loud Clapper","key":"loud-clapper"},{"label":"Wide Rim","key":"wide-rim"}]}"#,
        ),
        (
            r#"POST{"name":"cup","parts":[{"label":"Thin Handle"}]} /api/things"#,
            201,
            r#"{"id":3,"name":"cup","parts":[{"label":"Thin Handle","key":"thin-handle"}]}"#,
        ),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"cup","parts":[{"label":"Thin Handle","key":"thin-handle"}]}"#),
    ]);
    let sent = r#"{"name":"dish","parts":[{"label":"Flat Edge"},{"label":"Low Foot"},{"label":"Glaze"}]}"#;
    let expected = r#"{"id":2,"name":"dish","parts":[{"label":"Flat Edge","key":"flat-edge"},{"label":"Low Foot","key":"low-foot"},{"label":"Glaze","key":"glaze"}]}"#;
    assert_answers(&made, "POST /api/things", Some(sent), expected);
}

/// The list shows the things' tags with fewer members than the item does: it follows what is written there.
#[rstest]
#[case::of_one_that_was_only_written(r#"{"name":"can"}"#, r#"[{"id":8,"name":"blue"}]"#)]
#[case::of_other_tags(r#"{"tags":[7,8]}"#, r#"[{"id":7,"name":"red"},{"id":8,"name":"blue"}]"#)]
fn a_list_of_parts_follows_the_whole(#[case] sent: &str, #[case] expected: &str) {
    const RED: &str = r#"{"id":7,"name":"red","size":1}"#;
    const BLUE: &str = r#"{"id":8,"name":"blue","size":2}"#;
    let item = |id: usize, name: &str, tags: &[&str]| {
        text(format!(r#"{{"id":{id},"name":"{name}","tags":[{}]}}"#, tags.join(",")))
    };
    let listed = text(
        [item(1, "anvil", &[RED]), item(2, "bell", &[BLUE]), item(3, "cup", &[BLUE])]
            .map(|thing| thing.replace(r#","size":1"#, "").replace(r#","size":2"#, ""))
            .join(","),
    );
    let made = made(&[
        ("GET /api/things", 200, text(format!("[{listed}]"))),
        ("GET /api/tags", 200, text(format!("[{RED},{BLUE}]"))),
        ("GET /api/tags/7", 200, RED),
        ("GET /api/things/1", 200, item(1, "anvil", &[RED])),
        ("GET /api/things/2", 200, item(2, "bell", &[BLUE])),
        ("GET /api/things/3", 200, item(3, "cup", &[BLUE])),
        (r#"PATCH{"name":"awl"} /api/things/1"#, 200, item(1, "awl", &[RED])),
        ("GET /api/things/1", 200, item(1, "awl", &[RED])),
        (r#"PATCH{"tags":[7,8]} /api/things/2"#, 200, item(2, "bell", &[RED, BLUE])),
        ("GET /api/things/2", 200, item(2, "bell", &[RED, BLUE])),
        (r#"PATCH{"tags":[8]} /api/things/1"#, 200, item(1, "awl", &[BLUE])),
        ("GET /api/things/1", 200, item(1, "awl", &[BLUE])),
    ]);
    let world = call(&made, "PATCH /api/things/3", Some(sent)).unwrap().world.unwrap();
    let list = value(&made.answer_in(&world, "GET /api/things"));
    let tags = list.as_array().unwrap()[2].get("tags").unwrap();
    assert!(tags.same_as(&value(expected)), "{}", tags.to_compact());
}
