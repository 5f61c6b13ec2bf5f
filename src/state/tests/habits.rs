//! What applications do beside plain records: flags turned over, objects merged in part, events, due times, measures of texts,
//! words that say whether something is held, values that only one has, counts by word.

use super::recording::{Made, Timed, kept, made, timed, value};
use crate::json::Value;
use crate::state::World;
use rstest::rstest;

/// The answer of a call and the world after it.
fn call(made: &Made, world: &World, line: &str, body: &str) -> Option<(Value, World)> {
    let written = made.write(world, line, body).ok()?;
    Some((written.body.unwrap_or(Value::Null), written.world?))
}

fn assert_answers(made: &Made, line: &str, body: &str, expected: &str) {
    let (answer, _) = call(made, &made.derived.world, line, body).unwrap();
    assert!(answer.same_as(&value(expected)), "{}", answer.to_compact());
}

#[test]
fn a_flag_is_turned_over_whatever_it_was() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"on":true},{"id":2,"on":false},{"id":3,"on":true},{"id":4,"on":false}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"on":true}"#),
        ("POST{} /api/things/1/toggle", 200, r#"{"id":1,"on":false}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"on":false}"#),
        ("POST{} /api/things/2/toggle", 200, r#"{"id":2,"on":true}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"on":true}"#),
    ]);
    assert_answers(&made, "POST /api/things/3/toggle", "{}", r#"{"id":3,"on":false}"#);
    assert_answers(&made, "POST /api/things/4/toggle", "{}", r#"{"id":4,"on":true}"#);
}

/// Things whose options are merged however deep, null taking one away.
fn optioned() -> Made {
    made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"options":{"tongue":"en","print":{"bold":true,"size":9}}},
               {"id":2,"options":{"tongue":"pt","print":{"bold":false,"size":8}}},
               {"id":3,"options":{"tongue":"nl","print":{"bold":true,"size":7}}}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"options":{"tongue":"en","print":{"bold":true,"size":9}}}"#),
        (
            r#"PATCH{"options":{"print":{"size":14}}} /api/things/1"#,
            200,
            r#"{"id":1,"options":{"tongue":"en","print":{"bold":true,"size":14}}}"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"options":{"tongue":"en","print":{"bold":true,"size":14}}}"#),
        (
            r#"PATCH{"options":{"tongue":null}} /api/things/2"#,
            200,
            r#"{"id":2,"options":{"print":{"bold":false,"size":8}}}"#,
        ),
        ("GET /api/things/2", 200, r#"{"id":2,"options":{"print":{"bold":false,"size":8}}}"#),
    ])
}

#[rstest]
#[case::inner(r#"{"print":{"bold":false}}"#, r#"{"tongue":"nl","print":{"bold":false,"size":7}}"#)]
#[case::null(r#"{"tongue":null,"cover":"hard"}"#, r#"{"print":{"bold":true,"size":7},"cover":"hard"}"#)]
fn what_is_sent_in_part_is_merged(#[case] sent: &str, #[case] left: &str) {
    let made = optioned();
    let body = format!(r#"{{"options":{sent}}}"#);
    assert_answers(&made, "PATCH /api/things/3", &body, &format!(r#"{{"id":3,"options":{left}}}"#));
}

#[rstest]
#[case::that_was_seen("close", "shut")]
#[case::the_other("reopen", "open")]
fn an_event_leaves_its_word(#[case] event: &str, #[case] state: &str) {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","state":"open"},{"id":2,"name":"bell","state":"open"},{"id":3,"name":"cup","state":"open"}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","state":"open"}"#),
        (r#"PATCH{"event":"close"} /api/things/1"#, 200, r#"{"id":1,"name":"anvil","state":"shut"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","state":"shut"}"#),
        (r#"PATCH{"event":"close"} /api/things/2"#, 200, r#"{"id":2,"name":"bell","state":"shut"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","state":"shut"}"#),
        (r#"PATCH{"event":"reopen"} /api/things/1"#, 200, r#"{"id":1,"name":"anvil","state":"open"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","state":"open"}"#),
        (r#"PATCH{"name":"awl"} /api/things/1"#, 200, r#"{"id":1,"name":"awl","state":"open"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"awl","state":"open"}"#),
    ]);
    let expected = format!(r#"{{"id":2,"name":"bell","state":"{state}"}}"#);
    let (_, shut) = call(&made, &made.derived.world, "PATCH /api/things/2", r#"{"event":"close"}"#).unwrap();
    let (answer, _) = call(&made, &shut, "PATCH /api/things/2", &format!(r#"{{"event":"{event}"}}"#)).unwrap();
    assert!(answer.same_as(&value(&expected)), "{}", answer.to_compact());
    assert!(made.write(&shut, "PATCH /api/things/2", r#"{"event":"burn"}"#).is_err(), "no call sent it");
}

#[test]
fn a_sent_number_says_how_far_off_a_clock_is() {
    let key = |id: u32, name: &str, until: &str| format!(r#"{{"id":{id},"name":"{name}","until":"{until}"}}"#);
    let keys = [
        key(1, "old", "2026-05-01T08:00:00Z"),
        key(2, "one", "2026-03-11T10:00:02Z"),
        key(3, "two", "2026-04-03T10:00:05Z"),
    ];
    let list = |count: usize| kept(format!("[{}]", keys[..count].join(",")));
    let [old, one, two] = keys.clone().map(kept);
    let calls: &[Timed] = &[
        ("GET /api/keys", 200, list(1), 0, 100),
        ("GET /api/keys/1", 200, old, 500, 600),
        (r#"POST{"name":"one","days":7} /api/keys"#, 201, one, 2000, 2100),
        ("GET /api/keys/2", 200, one, 3000, 3100),
        ("GET /api/keys", 200, list(2), 3500, 3600),
        (r#"POST{"name":"two","days":30} /api/keys"#, 201, two, 5000, 5100),
        ("GET /api/keys/3", 200, two, 6000, 6100),
        ("GET /api/keys", 200, list(3), 6500, 6600),
    ];
    let made = timed(calls);
    let until = |days: u32| {
        let body = format!(r#"{{"name":"new","days":{days}}}"#);
        let (key, _) = call(&made, &made.derived.world, "POST /api/keys", &body).unwrap();
        crate::state::clock_format::clock_seconds(key.get("until").unwrap()).unwrap()
    };
    assert!((until(14) - until(7) - 7.0 * 86_400.0).abs() < 1.0);
}

#[test]
fn a_text_is_measured_and_shown_by_its_beginning() {
    let thing = |id: u32, text: &str, size: u32, begin: &str| {
        format!(r#"{{"id":{id},"text":"{text}","size":{size},"begin":"{begin}"}}"#)
    };
    let list =
        [thing(1, "Torn", 4, "Torn"), thing(2, "Bought at a fair", 16, "Bought at…"), thing(3, "Grey", 4, "Grey")];
    let (one, two) = (kept(thing(1, "Torn at the end", 15, "Torn at t…")), kept(thing(2, "Sold", 4, "Sold")));
    let made = made(&[
        ("GET /api/things", 200, kept(format!("[{}]", list.join(",")))),
        ("GET /api/things/1", 200, kept(list[0].clone())),
        (r#"PATCH{"text":"Torn at the end"} /api/things/1"#, 200, one),
        ("GET /api/things/1", 200, one),
        (r#"PATCH{"text":"Sold"} /api/things/2"#, 200, two),
        ("GET /api/things/2", 200, two),
    ]);
    let expected = thing(3, "Grey and thin", 13, "Grey and …");
    assert_answers(&made, "PATCH /api/things/3", r#"{"text":"Grey and thin"}"#, &expected);
}

#[test]
fn words_that_no_call_turned_into_hold_what_entities_with_them_show() {
    let thing = |id: u32, state: &str, at: &str| format!(r#"{{"id":{id},"state":"{state}","closed_at":{at}}}"#);
    let list = [
        thing(1, "open", "null"),
        thing(2, "draft", "null"),
        thing(3, "closed", r#""2026-01-01T08:00:00Z""#),
        thing(4, "open", "null"),
    ];
    let (one, again) = (kept(thing(1, "closed", r#""2026-03-04T10:00:02Z""#)), kept(thing(1, "open", "null")));
    let four = kept(thing(4, "closed", r#""2026-03-04T10:00:08Z""#));
    let closing = [
        ("GET /api/things", 200, kept(format!("[{}]", list.join(","))), 0, 100),
        ("GET /api/things/1", 200, kept(list[0].clone()), 500, 600),
        (r#"PATCH{"state":"open"} /api/things/1"#, 200, kept(list[0].clone()), 1000, 1100),
        ("GET /api/things/1", 200, kept(list[0].clone()), 1300, 1400),
        (r#"PATCH{"state":"closed"} /api/things/1"#, 200, one, 2000, 2100),
        ("GET /api/things/1", 200, one, 3000, 3100),
        (r#"PATCH{"state":"closed"} /api/things/4"#, 200, four, 8000, 8100),
        ("GET /api/things/4", 200, four, 9000, 9100),
        (r#"PATCH{"state":"closed"} /api/things/4"#, 200, four, 11000, 11100),
        ("GET /api/things/4", 200, four, 12000, 12100),
    ];
    let reopening = [
        (r#"PATCH{"state":"open"} /api/things/1"#, 200, again, 5000, 5100),
        ("GET /api/things/1", 200, again, 6000, 6100),
    ];
    let made = timed(&[&closing[..6], &reopening, &closing[6..]].concat());
    assert_answers(&made, "PATCH /api/things/3", r#"{"state":"draft"}"#, &thing(3, "draft", "null"));
    // Nobody saw what becomes of the clock when a thing is no longer closed: it may stay.
    let unseen = timed(&closing);
    let turned = unseen.write(&unseen.derived.world, "PATCH /api/things/3", r#"{"state":"draft"}"#);
    assert!(turned.is_err_and(|refusal| refusal.message.contains("\"/closed_at\"")));
    let (closed, _) = call(&made, &made.derived.world, "PATCH /api/things/2", r#"{"state":"closed"}"#).unwrap();
    assert!(closed.get("closed_at").unwrap().as_str().is_some_and(|at| at.starts_with("2026-03-04T10:00:")));
}

#[test]
fn what_only_one_has_is_taken_from_the_one_that_had_it() {
    let thing = |id: u32, first: bool| format!(r#"{{"id":{id},"name":"thing {id}","first":{first}}}"#);
    let list = |first: u32| {
        let things: Vec<String> = (1..=4).map(|id| thing(id, id == first)).collect();
        kept(format!("[{}]", things.join(",")))
    };
    let made = made(&[
        ("GET /api/things", 200, list(2)),
        ("GET /api/things/1", 200, kept(thing(1, false))),
        (r#"PATCH{"first":true} /api/things/1"#, 200, kept(thing(1, true))),
        ("GET /api/things/1", 200, kept(thing(1, true))),
        ("GET /api/things", 200, list(1)),
        (r#"PATCH{"first":true} /api/things/3"#, 200, kept(thing(3, true))),
        ("GET /api/things/3", 200, kept(thing(3, true))),
        ("GET /api/things", 200, list(3)),
    ]);
    let (_, one) = call(&made, &made.derived.world, "PATCH /api/things/4", r#"{"first":true}"#).unwrap();
    let held = |world: &World| -> Vec<bool> {
        let kind = made.derived.plan(made.tool("PATCH", "/api/things/2")).unwrap().target.entity_type;
        let things = world.collection(kind, "/api/things").unwrap().iter();
        things.map(|thing| thing.fields.get("first").and_then(Value::as_bool).unwrap()).collect()
    };
    assert_eq!(held(&one), [false, false, false, true]);
    let (_, other) = call(&made, &one, "PATCH /api/things/1", r#"{"first":true}"#).unwrap();
    assert_eq!(held(&other), [true, false, false, false]);
}

/// Of what lies elsewhere it is not known whether it loses what only one has, where no recording shows one there.
#[test]
fn what_only_one_has_may_be_had_by_one_elsewhere() {
    let thing = |id: u32, first: bool| format!(r#"{{"id":{id},"name":"thing {id}","first":{first}}}"#);
    let list = |ids: [u32; 2], first: u32| {
        let things: Vec<String> = ids.into_iter().map(|id| thing(id, id == first)).collect();
        kept(format!("[{}]", things.join(",")))
    };
    let made = made(&[
        ("GET /api/teams/1/things", 200, list([1, 2], 2)),
        ("GET /api/teams/2/things", 200, list([3, 4], 0)),
        ("GET /api/teams/1/things/1", 200, kept(thing(1, false))),
        (r#"PATCH{"first":true} /api/teams/1/things/1"#, 200, kept(thing(1, true))),
        ("GET /api/teams/1/things/1", 200, kept(thing(1, true))),
        ("GET /api/teams/1/things", 200, list([1, 2], 1)),
        (r#"PATCH{"first":true} /api/teams/1/things/2"#, 200, kept(thing(2, true))),
        ("GET /api/teams/1/things/2", 200, kept(thing(2, true))),
        ("GET /api/teams/1/things", 200, list([1, 2], 2)),
    ]);
    let start = &made.derived.world;
    let (_, same) = call(&made, start, "PATCH /api/teams/1/things/1", r#"{"first":true}"#).unwrap();
    assert_eq!(made.answer_in(&same, "GET /api/teams/1/things"), list([1, 2], 1));
    let (_, other) = call(&made, start, "PATCH /api/teams/2/things/3", r#"{"first":true}"#).unwrap();
    assert_eq!(made.answer_in(&other, "GET /api/teams/2/things"), list([3, 4], 3));
    assert_eq!(made.answer_in(&other, "GET /api/teams/1/things"), "<incomplete-entity>");
}

#[test]
fn a_count_beside_others_counts_what_it_is_called() {
    let thing = |id: usize, state: &str| format!(r#"{{"id":{id},"name":"thing {id}","state":"{state}"}}"#);
    let list = |states: [&str; 4]| {
        let items: Vec<String> = states.iter().enumerate().map(|(at, state)| thing(at + 1, state)).collect();
        kept(format!("[{}]", items.join(",")))
    };
    let made = made(&[
        ("GET /api/things", 200, list(["raw", "raw", "done", "lost"])),
        ("GET /api/things/1", 200, kept(thing(1, "raw"))),
        ("GET /api/stats", 200, r#"{"by":{"raw":2,"done":1,"lost":1}}"#),
        (r#"PATCH{"state":"done"} /api/things/1"#, 200, kept(thing(1, "done"))),
        ("GET /api/things/1", 200, kept(thing(1, "done"))),
        ("GET /api/things", 200, list(["done", "raw", "done", "lost"])),
        ("GET /api/stats", 200, r#"{"by":{"raw":1,"done":2,"lost":1}}"#),
        (r#"PATCH{"state":"done"} /api/things/2"#, 200, kept(thing(2, "done"))),
        ("GET /api/things/2", 200, kept(thing(2, "done"))),
        ("GET /api/things", 200, list(["done", "done", "done", "lost"])),
        ("GET /api/stats", 200, r#"{"by":{"raw":0,"done":3,"lost":1}}"#),
    ]);
    let (_, world) = call(&made, &made.derived.world, "PATCH /api/things/3", r#"{"state":"lost"}"#).unwrap();
    assert_eq!(made.answer_in(&world, "GET /api/stats"), r#"{"by":{"raw":2,"done":0,"lost":2}}"#);
}

/// What a column makes of what was sent.
#[rstest]
#[case::flag(r#"{"lent":true}"#, r#"{"id":3,"lent":1,"price":"3.00"}"#)]
#[case::decimals(r#"{"price":7.25}"#, r#"{"id":3,"lent":0,"price":"7.25"}"#)]
#[case::whole(r#"{"price":7}"#, r#"{"id":3,"lent":0,"price":"7.00"}"#)]
fn columns_have_types(#[case] sent: &str, #[case] expected: &str) {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"lent":1,"price":"2.50"},{"id":2,"lent":0,"price":"9.00"},{"id":3,"lent":0,"price":"3.00"}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"lent":1,"price":"2.50"}"#),
        (r#"PATCH{"lent":false} /api/things/1"#, 200, r#"{"id":1,"lent":0,"price":"2.50"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"lent":0,"price":"2.50"}"#),
        (r#"PATCH{"price":4.5} /api/things/1"#, 200, r#"{"id":1,"lent":0,"price":"4.50"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"lent":0,"price":"4.50"}"#),
        (r#"PATCH{"price":12} /api/things/2"#, 200, r#"{"id":2,"lent":0,"price":"12.00"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"lent":0,"price":"12.00"}"#),
    ]);
    assert_answers(&made, "PATCH /api/things/3", sent, expected);
}
