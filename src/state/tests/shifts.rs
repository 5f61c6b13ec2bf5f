//! Numbers that make room for what is created: what moves on is what the recording shows, and no more than that.

use super::recording::{Made, timed};
use crate::state::EffectRule;
use crate::state::effect_shift::{Behind, Shift};
use rstest::rstest;

const QUEUE: &str = r#"{"id":"p","place":1,"at":"2026-03-04T09:00:00Z"}"#;
const MOVED: &str = r#"{"id":"p","place":2,"at":"2026-03-04T10:00:04Z"}"#;

fn queues(all: &[&str]) -> &'static str {
    format!("[{}]", all.join(",")).leak()
}

/// A queue is put before another, while what is behind shows this.
fn recorded(behind: [&str; 2]) -> Made {
    let new = r#"{"id":"n","place":1,"at":"2026-03-04T10:00:04Z"}"#;
    timed(&[
        ("GET /queues", 200, queues(&[QUEUE, behind[0]]), 0, 10),
        ("GET /queues/p", 200, QUEUE, 1000, 1010),
        (r#"POST{"id":"n","place":1} /queues"#, 201, new, 4000, 4010),
        ("GET /queues/n", 200, new, 6000, 6010),
        ("GET /queues", 200, queues(&[new, MOVED, behind[1]]), 8000, 8010),
    ])
}

fn rule(made: &Made) -> Option<&Shift> {
    made.derived.effects.iter().find_map(|rule| match rule {
        EffectRule::Shift(rule) => Some(rule.as_ref()),
        _ => None,
    })
}

const AFTER_GAP: &str = r#"{"id":"q","place":7,"at":"2026-03-04T09:00:00Z"}"#;
const AFTER_GAP_MOVED: &str = r#"{"id":"q","place":8,"at":"2026-03-04T10:00:04Z"}"#;
const NEXT: &str = r#"{"id":"q","place":2,"at":"2026-03-04T09:00:00Z"}"#;
const NEXT_MOVED: &str = r#"{"id":"q","place":3,"at":"2026-03-04T10:00:04Z"}"#;

#[rstest]
#[case::what_is_behind_a_gap_stays([AFTER_GAP, AFTER_GAP], Behind::ToGap)]
#[case::what_is_behind_a_gap_moves([AFTER_GAP, AFTER_GAP_MOVED], Behind::All)]
#[case::there_is_no_gap([NEXT, NEXT_MOVED], Behind::Either)]
fn what_moves_is_what_the_recording_shows(#[case] behind: [&str; 2], #[case] expected: Behind) {
    let made = recorded(behind);
    let rule = rule(&made).unwrap();
    assert_eq!(rule.behind, expected);
    let clocks: Vec<&str> = rule.clocks.iter().map(|(slot, _)| slot.name.as_ref()).collect();
    assert_eq!(clocks, ["at"]);
}

/// A clock that the create sets in what does not move is none of the move.
#[test]
fn clocks_of_what_stays_are_not_set_with_the_move() {
    let stays = |seen: &str| format!(r#"{{"id":"q","place":7,"at":"2026-03-04T09:00:00Z","seen":"{seen}"}}"#);
    let (was, is) = (stays("2026-03-04T09:00:00Z"), stays("2026-03-04T10:00:04Z"));
    let made = recorded([&was, &is]);
    let clocks: Vec<&str> = rule(&made).unwrap().clocks.iter().map(|(slot, _)| slot.name.as_ref()).collect();
    assert_eq!(clocks, ["at"]);
}
