//! Orders that only reads after writes tell: what a list begins with fits the state's own order, too.

use super::recording::{Call, Made, made};
use crate::state::types::View;
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
