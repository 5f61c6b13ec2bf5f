//! Arrays of references that lists show in the order of what they name, and items as they were sent.

use super::recording::{Call, made};
use rstest::rstest;

const TAGS: &str = r#"[{"id":"t-c","label":"red"},{"id":"t-a","label":"blue"},{"id":"t-b","label":"green"}]"#;
const SENT: &str = r#"{"id":"12","name":"bell","tags":["t-b","t-c"]}"#;

/// What the list shows after bell's tags were sent as green and red, then what it shows of them later.
fn calls(after: &'static str, more: &[Call]) -> Vec<Call> {
    let mut calls: Vec<Call> = vec![
        ("GET /tags", 200, TAGS),
        ("GET /tags/t-c", 200, r#"{"id":"t-c","label":"red"}"#),
        (
            "GET /things",
            200,
            r#"[{"id":"11","name":"anvil","tags":["t-c","t-a"]},{"id":"12","name":"bell","tags":[]}]"#,
        ),
        ("GET /things/12", 200, r#"{"id":"12","name":"bell","tags":[]}"#),
        (r#"PUT{"tags":["t-b","t-c"]} /things/12"#, 200, "\"OK\""),
        ("GET /things/12", 200, SENT),
        ("GET /things", 200, after),
    ];
    calls.extend_from_slice(more);
    calls
}

const IN_ORDER: &str =
    r#"[{"id":"11","name":"anvil","tags":["t-c","t-a"]},{"id":"12","name":"bell","tags":["t-c","t-b"]}]"#;
const AS_SENT: &str =
    r#"[{"id":"11","name":"anvil","tags":["t-c","t-a"]},{"id":"12","name":"bell","tags":["t-b","t-c"]}]"#;

#[rstest]
#[case::in_the_order_of_the_tags(IN_ORDER, &[], r#"["t-a","t-b"]"#)]
#[case::as_sent(AS_SENT, &[], r#"["t-b","t-a"]"#)]
#[case::taken_back(IN_ORDER, &[("GET /things?q=b", 200, r#"[{"id":"12","name":"bell","tags":["t-b","t-c"]}]"#)], r#"["t-b","t-a"]"#)]
fn lists_show_references_in_the_order_of_what_they_name(
    #[case] after: &'static str,
    #[case] more: &[Call],
    #[case] listed: &str,
) {
    let made = made(&calls(after, more));
    let written = made.write(&made.derived.world, "PUT /things/12", r#"{"tags":["t-b","t-a"]}"#).unwrap();
    let world = written.world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /things/12"), r#"{"id":"12","name":"bell","tags":["t-b","t-a"]}"#);
    let list = made.answer_in(&world, "GET /things");
    assert!(list.ends_with(&format!("{listed}}}]")), "{list}");
}
