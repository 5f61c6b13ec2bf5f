//! Orders that only reads after writes tell: what a list begins with fits the state's own order, too.

use super::recording::{Call, Made, made};
use crate::json::parse;
use crate::state::types::View;
use crate::state::{load_state, write_state_document};
use rstest::rstest;

const START: &str =
    r#"[{"id":1,"name":"alder","kind":"a"},{"id":2,"name":"birch","kind":"b"},{"id":3,"name":"cedar","kind":"b"}]"#;
const LATER: &str = r#"[{"id":1,"name":"alder","kind":"a"},{"id":4,"name":"beech","kind":"a"},{"id":2,"name":"birch","kind":"b"},{"id":3,"name":"cedar","kind":"b"}]"#;

fn recorded(more: &[Call]) -> Made {
    let mut calls = vec![("GET /trees", 200, START)];
    calls.extend_from_slice(more);
    calls.extend_from_slice(&[
        ("GET /trees/2", 200, r#"{"id":2,"name":"birch","kind":"b"}"#),
        (r#"POST{"name":"beech","kind":"a"} /trees"#, 201, r#"{"id":4,"name":"beech","kind":"a"}"#),
        ("GET /trees/4", 200, r#"{"id":4,"name":"beech","kind":"a"}"#),
        ("GET /trees", 200, LATER),
    ]);
    made(&calls)
}

/// A sort in which equal values are turned around is no reason against an order by name.
#[rstest]
#[case::alone(&[])]
#[case::with_a_sort(&[
    ("GET /trees?sort=kind", 200, START),
    ("GET /trees?sort=-kind", 200, r#"[{"id":3,"name":"cedar","kind":"b"},{"id":2,"name":"birch","kind":"b"},{"id":1,"name":"alder","kind":"a"}]"#),
])]
fn a_created_entity_is_where_the_order_puts_it(#[case] more: &[Call]) {
    let made = recorded(more);
    let View::List(view) = &made.derived.views[made.tool("GET", "/trees")] else { panic!("no list") };
    assert_eq!(view.query.order.iter().map(|key| key.path.spelling()).collect::<Vec<_>>(), ["name"]);
    for (line, _, body) in more {
        assert_eq!(made.answer(line), *body);
    }
}

const FIRST: &str = r#"[{"id":"q7","name":"plum"},{"id":"a3","name":"ash"},{"id":"m5","name":"yew"}]"#;
const NEW_FIRST: &str =
    r#"[{"id":"f2","name":"fir"},{"id":"q7","name":"plum"},{"id":"a3","name":"ash"},{"id":"m5","name":"yew"}]"#;
const NEW_LAST: &str =
    r#"[{"id":"q7","name":"plum"},{"id":"a3","name":"ash"},{"id":"m5","name":"yew"},{"id":"f2","name":"fir"}]"#;

/// No member tells the order: where the created entity was is where the next one comes, also after loading.
#[rstest]
#[case::first(NEW_FIRST, true)]
#[case::last(NEW_LAST, false)]
fn what_is_new_comes_where_it_was_seen(#[case] later: &'static str, #[case] first: bool) {
    let made = made(&[
        ("GET /trees", 200, FIRST),
        ("GET /trees/a3", 200, r#"{"id":"a3","name":"ash"}"#),
        (r#"POST{"id":"f2","name":"fir"} /trees"#, 201, r#"{"id":"f2","name":"fir"}"#),
        ("GET /trees/f2", 200, r#"{"id":"f2","name":"fir"}"#),
        ("GET /trees", 200, later),
    ]);
    let start = made.derived.world.clone();
    let mut bytes = Vec::new();
    write_state_document(&made.derived, &made.manifest, &start, "ev", &mut bytes);
    let loaded = load_state(&made.derived, &made.manifest, "ev", parse(&bytes).unwrap()).unwrap().world;
    for world in [start, loaded] {
        let written = made.write(&world, "POST /trees", r#"{"id":"b9","name":"elm"}"#).unwrap();
        let answer = made.answer_in(&written.world.unwrap(), "GET /trees");
        let place = answer.find("b9").unwrap() < answer.find("q7").unwrap();
        assert_eq!(place, first, "{answer}");
        assert!(answer.find("q7") < answer.find("a3") && answer.find("a3") < answer.find("m5"), "{answer}");
    }
}
