//! Switches that ask whether anything names an entity.

use super::recording::{Call, made};

const BOARDS: &str = r#"[{"id":1,"name":"one"},{"id":2,"name":"two"},{"id":3,"name":"three"}]"#;
const FULL: &str = r#"[{"id":1,"name":"one"},{"id":3,"name":"three"}]"#;
const EMPTY: &str = r#"[{"id":2,"name":"two"}]"#;

/// What is listed follows the cards of a board; a key that does not name them says nothing.
#[rstest::rstest]
#[case::by_a_member("has_cards", ["/cards", "/cards"], true)]
#[case::by_where_they_are("has_cards", ["/boards/1/cards", "/boards/3/cards"], true)]
#[case::called_otherwise("big", ["/cards", "/cards"], false)]
fn a_switch_follows_what_names_an_entity(#[case] key: &str, #[case] lists: [&str; 2], #[case] told: bool) {
    let text = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let asked = |value: &str| text(format!("GET /boards?{key}={value}"));
    let nested = lists[0] != lists[1];
    let (first, second) = match nested {
        true => (r#"[{"id":7,"text":"x"}]"#, r#"[{"id":9,"text":"y"}]"#),
        false => (r#"[{"id":7,"text":"x","board":1},{"id":9,"text":"y","board":3}]"#, ""),
    };
    let mut calls: Vec<Call> = vec![
        ("GET /boards", 200, BOARDS),
        ("GET /boards/1", 200, r#"{"id":1,"name":"one"}"#),
        (text(format!("GET {}", lists[0])), 200, first),
    ];
    if nested {
        calls.push((text(format!("GET {}", lists[1])), 200, second));
        calls.push(("GET /boards/2/cards", 200, "[]"));
    }
    let (item, answer) = match nested {
        true => ("GET /boards/2/cards/10", r#"{"id":10,"text":"z"}"#),
        false => ("GET /cards/10", r#"{"id":10,"text":"z","board":2}"#),
    };
    let (create, sent) = match nested {
        true => ("POST /boards/2/cards", r#"{"text":"z"}"#),
        false => ("POST /cards", r#"{"text":"z","board":2}"#),
    };
    let (method, path) = create.split_once(' ').unwrap();
    calls.extend([
        (asked("true"), 200, FULL),
        (asked("false"), 200, EMPTY),
        (text(format!("{method}{sent} {path}")), 201, answer),
        (item, 200, answer),
    ]);
    let made = made(&calls);
    let world = made.derived.world.clone();
    assert_eq!(made.answer_in(&world, asked("true")), if told { FULL } else { "<unrecorded-request>" });
    let world = made.after(&world, create, sent);
    assert_eq!(made.answer_in(&world, asked("true")), if told { BOARDS } else { "<unrecorded-request>" });
    assert_eq!(made.answer_in(&world, asked("false")), if told { "[]" } else { "<unrecorded-request>" });
}
