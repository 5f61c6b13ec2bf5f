//! Documents with members that move by themselves: the rest is answered from the state, and the answer says which.

use super::recording::{Call, Made, made};
use crate::state::pointer;
use rstest::rstest;

const THINGS: &str = r#"[{"id":11,"n":2},{"id":12,"n":2},{"id":13,"n":1}]"#;

fn moving(made: &Made, path: &str) -> Vec<String> {
    made.derived.moving(made.tool("GET", path)).iter().map(|place| pointer(place)).collect()
}

#[rstest]
#[case::nothing_written(&[
    ("GET /info", 200, r#"{"version":"1.2","load":{"now":3,"free":9}}"#),
    ("GET /info", 200, r#"{"version":"1.2","load":{"now":1,"free":9}}"#),
], &["/load/now"], r#"{"version":"1.2","load":{"now":3,"free":9}}"#)]
#[case::everything_moves(&[("GET /info", 200, r#"[1]"#), ("GET /info", 200, r#"[2]"#)], &[], "<document-varies>")]
#[case::another_shape(&[
    ("GET /info", 200, r#"{"version":"1.2"}"#),
    ("GET /info", 200, r#"{"version":"1.2","load":1}"#),
], &[], "<document-varies>")]
#[case::nothing_moves(&[
    ("GET /info", 200, r#"{"version":"1.2","load":1}"#),
    ("GET /info", 200, r#"{"version":"1.2","load":1}"#),
], &[], r#"{"version":"1.2","load":1}"#)]
fn what_moves_by_itself(#[case] calls: &[Call], #[case] expected: &[&str], #[case] answer: &str) {
    let made = made(calls);
    assert_eq!(moving(&made, "/info"), expected);
    assert_eq!(made.answer("GET /info"), answer);
}

/// Each reading comes after a write: only what no count can be is known to move.
#[test]
fn a_number_that_measures_time_moves_and_a_count_beside_it_is_still_known() {
    let made = made(&[
        ("GET /things", 200, THINGS),
        ("GET /info", 200, r#"{"up":1.25,"things":3}"#),
        (r#"POST{"n":4} /things"#, 201, r#"{"id":14,"n":4}"#),
        ("GET /things", 200, r#"[{"id":11,"n":2},{"id":12,"n":2},{"id":13,"n":1},{"id":14,"n":4}]"#),
        ("GET /things/14", 200, r#"{"id":14,"n":4}"#),
        ("GET /info", 200, r#"{"up":3,"things":4}"#),
        ("DELETE /things/14", 204, ""),
        ("GET /things", 200, THINGS),
        ("GET /things/14", 404, r#"{"error":"none"}"#),
        ("GET /info", 200, r#"{"up":4.5,"things":3}"#),
        (r#"POST{"n":5} /things"#, 201, r#"{"id":15,"n":5}"#),
        ("GET /things/15", 200, r#"{"id":15,"n":5}"#),
        ("GET /info", 200, r#"{"up":7.75,"things":4}"#),
    ]);
    assert_eq!(moving(&made, "/info"), ["/up"]);
    let start = &made.derived.world;
    let world = made.write(start, "POST /things", r#"{"n":6}"#).unwrap().world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /info"), r#"{"up":1.25,"things":4}"#);
}
