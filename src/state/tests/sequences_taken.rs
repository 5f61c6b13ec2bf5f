//! Numbers of a sequence that updates take, for nothing that a read shows.

use super::recording::{Call, Made, kept, made, value};
use crate::json::Value;

/// What is recorded of marks: each create and update, with the read that shows it.
enum Step {
    /// Creates the mark of this number.
    Make(u64),
    /// Updates the second mark: this body.
    Edit(&'static str),
}
use Step::{Edit, Make};

fn recorded(steps: &[Step]) -> Made {
    recorded_with(steps, &[])
}

/// The same, with marks that are removed right before the create of this number.
fn recorded_with(steps: &[Step], removed: &[(&str, u64)]) -> Made {
    let mut calls: Vec<Call> = vec![
        ("GET /marks", 200, r#"[{"id":1,"text":"p","kind":"k"},{"id":2,"text":"q","kind":"k"}]"#),
        ("GET /marks/2", 200, r#"{"id":2,"text":"q","kind":"k"}"#),
    ];
    let mut held = value(r#"{"id":2,"text":"q","kind":"k"}"#);
    for step in steps {
        if let Make(number) = step {
            for (path, _) in removed.iter().filter(|(_, before)| before == number) {
                let path = path.replace(&number.to_string(), &(number - 2).to_string());
                calls.push((kept(format!("DELETE {path}")), 204, ""));
                calls.push((kept(format!("GET {path}")), 404, r#"{"error":"none"}"#));
            }
        }
        let (call, status, read, answer) = match step {
            Make(number) => {
                let body = format!(r#"{{"text":"t{number}","kind":"k"}}"#);
                let answer = format!(r#"{{"id":{number},"text":"t{number}","kind":"k"}}"#);
                (format!("POST{body} /marks"), 201, format!("GET /marks/{number}"), answer)
            }
            Edit(body) => {
                for (name, sent) in value(body).as_object().unwrap() {
                    held.as_object_mut().unwrap().set(name.as_str().unwrap(), sent.clone());
                }
                (format!("PATCH{body} /marks/2"), 200, "GET /marks/2".to_owned(), held.to_compact())
            }
        };
        let answer = kept(answer);
        calls.extend([(kept(call), status, answer), (kept(read), 200, answer)]);
    }
    made(&calls)
}

/// The numbers of two marks: between them an update that sends a text, and one that sends a kind.
fn numbers(made: &Made) -> Vec<String> {
    let mut world = made.derived.world.clone();
    let calls = [
        ("POST /marks", r#"{"text":"a","kind":"k"}"#),
        ("PATCH /marks/1", r#"{"text":"b"}"#),
        ("PATCH /marks/1", r#"{"kind":"l"}"#),
        ("POST /marks", r#"{"text":"c","kind":"k"}"#),
    ];
    let mut numbers = Vec::new();
    for (call, body) in calls {
        let written = made.write(&world, call, body).unwrap();
        if call.starts_with("POST") {
            numbers.extend(written.body.unwrap().get("id").map(Value::to_compact));
        }
        world = written.world.unwrap();
    }
    numbers
}

const TEXT: Step = Edit(r#"{"text":"x"}"#);
const OTHER_TEXT: Step = Edit(r#"{"text":"y"}"#);
const KIND: Step = Edit(r#"{"kind":"m"}"#);
const OTHER_KIND: Step = Edit(r#"{"kind":"n"}"#);

#[rstest::rstest]
#[case::of_one_member(&[Make(3), TEXT, KIND, Make(5), OTHER_TEXT, Make(7), OTHER_KIND, Make(8)], &["3", "5"])]
#[case::of_every_update(&[Make(3), TEXT, KIND, Make(6), OTHER_TEXT, Make(8), OTHER_KIND, Make(10)], &["3", "6"])]
#[case::of_updates_before_the_first(&[TEXT, Make(4), OTHER_TEXT, KIND, Make(6), TEXT, Make(8)], &["3", "5"])]
#[case::of_none(&[Make(3), TEXT, KIND, Make(4), OTHER_TEXT, Make(5), OTHER_KIND, Make(6)], &["3", "4"])]
#[case::one_gap_may_be_anything(&[Make(3), TEXT, KIND, Make(5), OTHER_KIND, Make(6)], &["3", "4"])]
#[case::a_gap_that_no_update_explains(&[Make(3), TEXT, KIND, Make(5), OTHER_TEXT, Make(9), OTHER_KIND, Make(10)], &["3", "4"])]
#[case::of_either_member(&[Make(3), TEXT, KIND, Make(5), OTHER_TEXT, OTHER_KIND, Make(7)], &["3", "4"])]
fn updates_take_numbers(#[case] steps: &[Step], #[case] expected: &[&str]) {
    assert_eq!(numbers(&recorded(steps)), expected);
}

/// Removals between the creates explain the same gaps as the updates do.
#[test]
fn what_other_writes_explain_as_well_is_not_told() {
    let steps = [Make(3), TEXT, KIND, Make(5), OTHER_TEXT, Make(7), OTHER_KIND, Make(8)];
    let told = recorded(&steps);
    assert_eq!(numbers(&told), ["3", "5"]);
    let removed = recorded_with(&steps, &[("/marks/5", 5), ("/marks/7", 7)]);
    assert_eq!(numbers(&removed), ["3", "4"]);
}
