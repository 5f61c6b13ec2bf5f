//! Laws over generated captures: those of a small list server, and captures of anything at all.

use super::recording::{Made, of_capture};
use super::scenarios::{deriving_twice_is_the_same, rendering_reproduces_the_recording};
use crate::capture::Record;
use crate::json::{Object, Value};
use crate::manifest::tests::recording::{capture, record};
use crate::state::observe::query_pairs;
use proptest::prelude::*;

/// What the list server holds.
#[derive(Clone, Debug)]
struct Thing {
    id: u64,
    name: String,
    state: &'static str,
    rank: Option<u64>,
}

impl Thing {
    fn show(&self) -> Value {
        let rank = self.rank.map_or(Value::Null, Value::from);
        Object::new()
            .with("id", self.id)
            .with("name", self.name.as_str())
            .with("state", self.state)
            .with("rank", rank)
            .into()
    }
}

fn things() -> impl Strategy<Value = Vec<Thing>> {
    let state = prop_oneof![Just("open"), Just("done"), Just("late")];
    proptest::collection::vec(("[a-c]{1,3}", state, proptest::option::of(0u64..4)), 0..7).prop_map(|all| {
        all.into_iter()
            .enumerate()
            .map(|(at, (name, state, rank))| Thing { id: 101 + at as u64, name, state, rank })
            .collect()
    })
}

fn query() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        prop_oneof![Just("open"), Just("done"), Just("late"), Just("none")].prop_map(|state| format!("state={state}")),
        "[a-c]".prop_map(|text| format!("search={text}")),
        prop_oneof![Just("name"), Just("-name"), Just("id"), Just("-id")].prop_map(|sort| format!("sort={sort}")),
        (1u64..4).prop_map(|limit| format!("limit={limit}")),
        (0u64..4).prop_map(|offset| format!("offset={offset}")),
    ];
    proptest::collection::vec(one, 0..3).prop_map(|parts| parts.join("&"))
}

/// What the server answers to `GET /things?query`: filtered, searched, sorted, then cut.
fn listed(things: &[Thing], query: &str) -> Value {
    let mut held: Vec<&Thing> = things.iter().collect();
    let pairs = query_pairs(Some(query));
    let of = |wanted: &str| pairs.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    if let Some(state) = of("state") {
        held.retain(|thing| thing.state == state);
    }
    if let Some(text) = of("search") {
        held.retain(|thing| thing.name.contains(text));
    }
    match of("sort") {
        Some("name") => held.sort_by(|a, b| a.name.cmp(&b.name)),
        Some("-name") => held.sort_by(|a, b| b.name.cmp(&a.name)),
        Some("-id") => held.reverse(),
        _ => {}
    }
    let total = held.len();
    let number = |name| of(name).and_then(|text| text.parse::<usize>().ok());
    let offset = number("offset").unwrap_or(0).min(total);
    let end = number("limit").map_or(total, |limit| (offset + limit).min(total));
    let items: Value = held[offset..end].iter().map(|thing| thing.show()).collect();
    Object::new().with("total", total as u64).with("items", items).into()
}

fn get(ordinal: usize, target: &str, body: &Value) -> Record {
    record(ordinal, "GET", target, 200, &body.to_compact())
}

fn server(things: &[Thing], queries: &[String]) -> Made {
    let mut records = vec![get(0, "/things", &listed(things, ""))];
    for query in queries {
        records.push(get(records.len(), &format!("/things?{query}"), &listed(things, query)));
    }
    for thing in things.iter().take(2) {
        records.push(get(records.len(), &format!("/things/{}", thing.id), &thing.show()));
    }
    of_capture(capture(records))
}

/// Any JSON over few names, so that shapes, identities and members meet by chance.
fn anything() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![Just("0"), Just("1"), Just("12"), Just("-3.50"), Just("1e400"), Just("18446744073709551615")]
            .prop_map(super::recording::value),
        prop_oneof![
            Just(""),
            Just("a"),
            Just("12"),
            Just("2024-01-01T00:00:00Z"),
            Just("http://h/things?page=2"),
            Just("é")
        ]
        .prop_map(Value::from),
        Just(super::recording::value(r#""\ud800""#)),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        let name =
            prop_oneof![Just("id"), Just("name"), Just("items"), Just("total"), Just("a/b"), Just(""), Just("12")];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((name, inner), 0..5).prop_map(|members| {
                let mut object = Object::new();
                for (name, value) in members {
                    object.set(name, value);
                }
                Value::Object(object)
            }),
        ]
    })
}

fn call() -> impl Strategy<Value = (String, String, u16, Value)> {
    let method = prop_oneof![6 => Just("GET"), 1 => Just("POST"), 1 => Just("DELETE"), 1 => Just("PUT")];
    let path = prop_oneof![
        Just("/things"),
        Just("/things/"),
        Just("/things/12"),
        Just("/things/1"),
        Just("/things/a/items"),
        Just("/things/12/items/1"),
        Just("/things/search"),
        Just("/"),
    ];
    let query = prop_oneof![
        3 => Just(""),
        1 => Just("?limit=1"),
        1 => Just("?page=2&limit=18446744073709551615"),
        1 => Just("?id=12"),
        1 => Just("?q=name:a+total:12"),
        1 => Just("?filter={\"id\":12}"),
        1 => Just("?sort=-name,id"),
        1 => Just("?fields=id,name"),
        1 => Just("?cursor=bz0y"),
        1 => Just("?a=1&a=2"),
        1 => Just("?=&%ff=%"),
    ];
    let status = prop_oneof![8 => Just(200u16), 1 => Just(404), 1 => Just(201), 1 => Just(500)];
    (method, path, query, status, anything())
        .prop_map(|(method, path, query, status, body)| (method.to_owned(), format!("{path}{query}"), status, body))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_list_server_is_reproduced(things in things(), queries in proptest::collection::vec(query(), 0..8)) {
        let made = server(&things, &queries);
        rendering_reproduces_the_recording(&made);
        deriving_twice_is_the_same(&made);
    }

    /// Whatever was recorded, deriving ends, and answers are what was recorded or say that they are not known.
    #[test]
    fn anything_is_derived_or_left_to_recordings(calls in proptest::collection::vec(call(), 1..12)) {
        let records = calls
            .iter()
            .enumerate()
            .map(|(ordinal, (method, target, status, body))| record(ordinal, method, target, *status, &body.to_compact()));
        let made = of_capture(capture(records.collect()));
        rendering_reproduces_the_recording(&made);
        deriving_twice_is_the_same(&made);
    }
}
