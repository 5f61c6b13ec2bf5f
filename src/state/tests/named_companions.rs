//! What a create makes beside its own and names by an identity that it made, and what a removal takes along.

use super::recording::{Call, kept, made, value};
use crate::json::Value;
use rstest::rstest;

const SESSIONS: &str = r#"[{"id":1,"name":"anvil","process":{"id":"5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a","state":"idle"}},{"id":2,"name":"bell","process":{"id":"6c2e1b63-a4d5-4e1f-9b68-1a2b3c4d5e6f","state":"idle"}}]"#;
const PROCESSES: &str = r#"[{"id":"5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a","state":"idle"},{"id":"6c2e1b63-a4d5-4e1f-9b68-1a2b3c4d5e6f","state":"idle"}]"#;
const NEW: &str = r#"{"id":3,"name":"crate","process":{"id":"7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70","state":"idle"}}"#;

/// A session starts a process, shows it, and ends it.
#[test]
fn a_create_makes_what_it_names_and_a_removal_takes_it() {
    let calls: [Call; 10] = [
        ("GET /sessions", 200, SESSIONS),
        (
            "GET /sessions/1",
            200,
            r#"{"id":1,"name":"anvil","process":{"id":"5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a","state":"idle"}}"#,
        ),
        ("GET /processes", 200, PROCESSES),
        (r#"POST{"name":"crate"} /sessions"#, 201, NEW),
        ("GET /sessions/3", 200, NEW),
        (
            "GET /processes/7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70",
            200,
            r#"{"id":"7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70","state":"idle"}"#,
        ),
        (
            "GET /processes",
            200,
            r#"[{"id":"5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a","state":"idle"},{"id":"6c2e1b63-a4d5-4e1f-9b68-1a2b3c4d5e6f","state":"idle"},{"id":"7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70","state":"idle"}]"#,
        ),
        ("DELETE /sessions/3", 204, ""),
        ("GET /sessions", 200, SESSIONS),
        ("GET /processes", 200, PROCESSES),
    ];
    let made = made(&calls);
    assert_eq!(made.answer_in(&made.derived.world, "GET /processes"), PROCESSES);
    let held = |world: &crate::state::World| -> Vec<String> {
        let listed = crate::json::parse(made.answer_in(world, "GET /processes").as_bytes()).unwrap();
        let ids = listed.as_array().unwrap().iter();
        ids.map(|process| process.get("id").and_then(Value::as_str).unwrap().to_owned()).collect()
    };
    let written = made.write(&made.derived.world, "POST /sessions", r#"{"name":"drum"}"#).unwrap();
    let named = written.body.as_ref().and_then(|body| body.get("process")?.get("id")?.as_str()).unwrap().to_owned();
    let world = written.world.clone().unwrap();
    let mut expected = held(&made.derived.world);
    expected.push(named);
    assert_eq!(held(&world), expected);
    let world = made.after(&world, "DELETE /sessions/1", "");
    assert_eq!(held(&world), expected[1..]);
}

/// A hall has the identities of its doors in one text, and a door of its own from the start: the text is made of the door.
#[rstest]
#[case::an_empty_one_tells_what_it_begins_with("")]
#[case::none_is_empty("c0a65fa7-e819-4253-8fac-5e6f70819203")]
fn what_is_made_of_a_companion_says_nothing_of_it(#[case] of_the_last: &str) {
    const A: &str = "5b1f0a52-93c4-4d0e-8a57-0f1e2d3c4b5a";
    const B: &str = "6c2e1b63-a4d5-4e1f-9b68-1a2b3c4d5e6f";
    const C: &str = "7d3d2c74-b5e6-4f20-8c79-2b3c4d5e6f70";
    const D: &str = "8e4e3d85-c6f7-4031-9d8a-3c4d5e6f7081";
    const E: &str = "9f5f4e96-d708-4142-8e9b-4d5e6f708192";
    let hall = |id: u16, doors: &[&str]| format!(r#"{{"id":{id},"name":"hall {id}","doors":"{}"}}"#, doors.join(","));
    let door = |id: &str, hall: u16, name: &str| format!(r#"{{"id":"{id}","hall":{hall},"name":"{name}"}}"#);
    let list = |items: &[String]| kept(format!("[{}]", items.join(",")));
    let last = (!of_the_last.is_empty()).then(|| door(of_the_last, 109, "fir"));
    let [oak, pine, ash, elm] = [door(A, 101, "oak"), door(B, 101, "pine"), door(C, 102, "ash"), door(D, 101, "elm")];
    let (own, third) = (door(E, 103, "first"), hall(103, &[E]));
    let doors = |more: &[&String]| {
        let all = [&oak, &ash].into_iter().chain(&last).chain(more.iter().copied());
        list(&all.cloned().collect::<Vec<_>>())
    };
    let halls = |first: &[&str], more: &[String]| {
        list(&[&[hall(101, first), hall(102, &[C]), hall(109, &[of_the_last])], more].concat())
    };
    let calls: [Call; 17] = [
        ("GET /halls", 200, halls(&[A, B], &[])),
        ("GET /doors", 200, doors(&[&pine])),
        ("GET /halls/101", 200, kept(hall(101, &[A, B]))),
        (kept(format!("GET /doors/{A}")), 200, kept(oak.clone())),
        (r#"POST{"hall":101,"name":"elm"} /doors"#, 201, kept(elm.clone())),
        (kept(format!("GET /doors/{D}")), 200, kept(elm.clone())),
        ("GET /doors", 200, doors(&[&pine, &elm])),
        ("GET /halls/101", 200, kept(hall(101, &[A, B, D]))),
        ("GET /halls", 200, halls(&[A, B, D], &[])),
        (kept(format!("DELETE /doors/{B}")), 204, ""),
        ("GET /doors", 200, doors(&[&elm])),
        ("GET /halls/101", 200, kept(hall(101, &[A, D]))),
        ("GET /halls", 200, halls(&[A, D], &[])),
        (r#"POST{"name":"hall 103"} /halls"#, 201, kept(third.clone())),
        ("GET /halls/103", 200, kept(third.clone())),
        ("GET /halls", 200, halls(&[A, D], &[third])),
        ("GET /doors", 200, doors(&[&elm, &own])),
    ];
    let made = made(&calls);
    assert_eq!(made.derived.joins_ids("doors"), Some(","), "a comparison has to know that it holds identities");
    let written = made.write(&made.derived.world, "POST /halls", r#"{"name":"hall 104"}"#);
    if !of_the_last.is_empty() {
        // What it begins with is not known, and no identity is made up.
        let recorded = written.map(|written| written.recorded).unwrap_or_default();
        assert_eq!(recorded, ["/doors"]);
        return;
    }
    let written = written.unwrap();
    let named = written.body.as_ref().and_then(|body| body.get("doors")?.as_str()).unwrap().to_owned();
    let world = written.world.clone().unwrap();
    let doors = value(&made.answer_in(&world, "GET /doors"));
    let last = doors.as_array().unwrap().last().unwrap();
    let id = last.get("id").and_then(Value::as_str).unwrap();
    assert_eq!((id.len(), id), (E.len(), named.as_str()), "an identity of its own");
    assert_eq!(last.get("name").and_then(Value::as_str), Some("first"));
}
