//! Why writes are withheld: each reason from a recording that leads to it, and the same recording with what its hint asks
//! for, which is served.

use super::recording::{Timed, timed};
use crate::state::{WriteReason, WriteState};
use rstest::rstest;

const TWO: &str =
    r#"[{"id":1,"name":"anvil","at":"2026-03-04T09:00:00Z"},{"id":2,"name":"bell","at":"2026-03-04T09:00:00Z"}]"#;
const ANVIL: &str = r#"{"id":1,"name":"anvil","at":"2026-03-04T09:00:00Z"}"#;
const BELL: &str = r#"{"id":2,"name":"bell","at":"2026-03-04T09:00:00Z"}"#;
const CASKET: &str = r#"{"id":1,"name":"casket","at":"2026-03-04T09:00:00Z"}"#;

/// The collection and its entities, before a write.
fn start() -> Vec<Timed> {
    vec![
        ("GET /api/things", 200, TWO, 0, 10),
        ("GET /api/things/1", 200, ANVIL, 100, 110),
        ("GET /api/things/2", 200, BELL, 200, 210),
        ("GET /api/things/99", 404, r#"{"error":"no thing"}"#, 300, 310),
    ]
}

const RENAME: &str = r#"PATCH{"name":"casket"} /api/things/1"#;
const TOUCH: &str = r#"POST{"by":"hand"} /api/things/1/touch"#;

#[rstest]
// The read that shows the new name began before the write ended.
#[case::overlapping(
    &[(RENAME, 200, CASKET, 5000, 9000), ("GET /api/things/1", 200, CASKET, 6000, 6010)],
    WriteReason::Overlapping, None, None
)]
// It is answered with what it does, but the next read shows the old one and the one after it the new one.
#[case::contradicted(
    &[
        (RENAME, 200, ANVIL, 5000, 5010),
        ("GET /api/things/1", 200, ANVIL, 6000, 6010),
        ("GET /api/things/1", 200, CASKET, 7000, 7010),
    ],
    WriteReason::Contradicted, Some("/name"), Some(6)
)]
// What was deleted is gone, and there again.
#[case::contradicted_delete(
    &[
        ("DELETE /api/things/1", 204, "", 5000, 5010),
        ("GET /api/things/1", 404, r#"{"error":"no thing"}"#, 8000, 8010),
        ("GET /api/things/1", 200, ANVIL, 9000, 9010),
    ],
    WriteReason::Contradicted, None, Some(5)
)]
// Created and touched in the same second, and the touch changes nothing but the clock.
#[case::too_fast(
    &[
        (r#"POST{"name":"crate"} /api/things"#, 201, r#"{"id":3,"name":"crate","at":"2026-03-04T10:00:05Z"}"#, 5000, 5010),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"crate","at":"2026-03-04T10:00:05Z"}"#, 5100, 5110),
        (r#"POST{"by":"hand"} /api/things/3/touch"#, 200, r#"{"id":3,"name":"crate","at":"2026-03-04T10:00:05Z"}"#, 5200, 5210),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"crate","at":"2026-03-04T10:00:05Z"}"#, 5300, 5310),
    ],
    WriteReason::TooFast, None, None
)]
// Nothing was read after it.
#[case::unconfirmed(&[(RENAME, 200, CASKET, 5000, 5010)], WriteReason::Unconfirmed, None, None)]
fn a_write_is_withheld_for_what_was_seen(
    #[case] calls: &[Timed],
    #[case] expected: WriteReason,
    #[case] at: Option<&str>,
    #[case] by: Option<usize>,
) {
    let made = timed(&[start(), calls.to_vec()].concat());
    let found: Vec<_> = made
        .derived
        .writes
        .iter()
        .flatten()
        .filter_map(|state| match state {
            WriteState::Withheld { reason, pointer, contradicted_by, .. } => {
                Some((*reason, pointer.as_deref(), *contradicted_by))
            }
            WriteState::Served(_) => None,
        })
        .collect();
    assert_eq!(found, [(expected, at, by)]);
}

#[rstest]
#[case::after_the_write_ended(&[(RENAME, 200, CASKET, 5000, 9000), ("GET /api/things/1", 200, CASKET, 9500, 9510)], "PATCH", "/api/things/1")]
#[case::a_second_later(
    &[
        (TOUCH, 200, r#"{"id":1,"name":"anvil","at":"2026-03-04T10:00:05Z"}"#, 5200, 5210),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","at":"2026-03-04T10:00:05Z"}"#, 5300, 5310),
    ],
    "POST", "/api/things/1/touch"
)]
fn what_the_hint_asks_for_is_served(#[case] calls: &[Timed], #[case] method: &str, #[case] path: &str) {
    let made = timed(&[start(), calls.to_vec()].concat());
    assert!(made.derived.plan(made.tool(method, path)).is_some());
}
