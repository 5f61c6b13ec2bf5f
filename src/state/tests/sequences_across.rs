//! Identities of several types that are numbers of one sequence.

use super::recording::{Call, Made, made, value};
use crate::json::Value;

const FLAGS: &str = r#"[{"id":1,"name":"one"},{"id":2,"name":"two"}]"#;

/// Flags and marks, each with a create; `marks` are those held at the start, the others what the creates answer.
fn recorded(marks: &'static str, flag: &'static str, mark: &'static str, second: &'static str) -> Made {
    let read = |id: &str| -> &'static str { Box::leak(format!("GET {id}").into_boxed_str()) };
    let at = |list: &str, answer: &str| format!("/{list}/{}", value(answer).get("id").unwrap().to_compact());
    let calls: [Call; 10] = [
        ("GET /flags", 200, FLAGS),
        ("GET /flags/2", 200, r#"{"id":2,"name":"two"}"#),
        ("GET /marks", 200, marks),
        ("GET /marks/4", 200, r#"{"id":4,"text":"q"}"#),
        (r#"POST{"name":"x"} /flags"#, 201, flag),
        (read(&at("flags", flag)), 200, flag),
        (r#"POST{"text":"y"} /marks"#, 201, mark),
        (read(&at("marks", mark)), 200, mark),
        (r#"POST{"name":"z"} /flags"#, 201, second),
        (read(&at("flags", second)), 200, second),
    ];
    made(&calls)
}

/// The numbers that two marks and a flag get when they are created.
fn numbers(made: &Made) -> Vec<String> {
    let mut world = made.derived.world.clone();
    let calls =
        [("POST /marks", r#"{"text":"a"}"#), ("POST /flags", r#"{"name":"b"}"#), ("POST /marks", r#"{"text":"c"}"#)];
    let mut numbers = Vec::new();
    for (call, body) in calls {
        let written = made.write(&world, call, body).unwrap();
        numbers.extend(written.body.unwrap().get("id").map(Value::to_compact));
        world = written.world.unwrap();
    }
    numbers
}

const APART: &str = r#"[{"id":3,"text":"p"},{"id":4,"text":"q"}]"#;
const SAME: &str = r#"[{"id":2,"text":"p"},{"id":4,"text":"q"}]"#;

#[rstest::rstest]
#[case::one_sequence(APART, [5, 6, 7], &["5", "6", "7"])]
#[case::a_number_that_something_else_took(APART, [5, 6, 9], &["5", "6", "7"])]
#[case::a_number_is_there_twice(SAME, [5, 6, 7], &["6", "5", "7"])]
#[case::each_its_own(APART, [3, 5, 4], &["5", "3", "6"])]
#[case::never_the_next_of_all(APART, [9, 12, 15], &["12", "9", "13"])]
fn identities_of_several_types_count_together(
    #[case] marks: &'static str,
    #[case] ids: [u64; 3],
    #[case] expected: &[&str],
) {
    let text = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let flag = text(format!(r#"{{"id":{},"name":"x"}}"#, ids[0]));
    let mark = text(format!(r#"{{"id":{},"text":"y"}}"#, ids[1]));
    let second = text(format!(r#"{{"id":{},"name":"z"}}"#, ids[2]));
    assert_eq!(numbers(&recorded(marks, flag, mark, second)), expected);
}
