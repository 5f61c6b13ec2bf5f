//! Documents with members that move by themselves: the rest is answered from the state, and the answer says which.

use super::recording::{Call, Made, kept, made, timed};
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

/// Each reading comes after a write: only what rises as fast as time goes on is known to move.
#[rstest]
#[case::an_uptime(["1.25", "3.05", "4.5", "7.75"], &["/up"])]
#[case::a_sum_of_what_is_written(["1.25", "21.5", "22.75", "80.5"], &[])]
fn a_number_that_measures_time_moves_and_a_count_beside_it_is_still_known(
    #[case] shown: [&str; 4],
    #[case] expected: &[&str],
) {
    let info = |at: usize, things: u32| kept(format!(r#"{{"up":{},"things":{things}}}"#, shown[at]));
    let four = r#"[{"id":11,"n":2},{"id":12,"n":2},{"id":13,"n":1},{"id":14,"n":4}]"#;
    let made = timed(&[
        ("GET /things", 200, THINGS, 0, 10),
        ("GET /info", 200, info(0, 3), 1000, 1010),
        (r#"POST{"n":4} /things"#, 201, r#"{"id":14,"n":4}"#, 1500, 1510),
        ("GET /things", 200, four, 1600, 1610),
        ("GET /things/14", 200, r#"{"id":14,"n":4}"#, 1700, 1710),
        ("GET /info", 200, info(1, 4), 2800, 2810),
        ("DELETE /things/14", 204, "", 3000, 3010),
        ("GET /things", 200, THINGS, 3100, 3110),
        ("GET /things/14", 404, r#"{"error":"none"}"#, 3200, 3210),
        ("GET /info", 200, info(2, 3), 4250, 4260),
        (r#"POST{"n":5} /things"#, 201, r#"{"id":15,"n":5}"#, 5000, 5010),
        ("GET /things/15", 200, r#"{"id":15,"n":5}"#, 5100, 5110),
        ("GET /info", 200, info(3, 4), 7500, 7510),
    ]);
    assert_eq!(moving(&made, "/info"), expected);
    let start = &made.derived.world;
    let world = made.after(start, "POST /things", r#"{"n":6}"#);
    let after = if expected.is_empty() { "<unrecorded-request>" } else { r#"{"up":1.25,"things":4}"# };
    assert_eq!(made.answer_in(&world, "GET /info"), after);
}
