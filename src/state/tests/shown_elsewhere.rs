//! What lists of another read show of a type that nothing lists, and what lasts as long as something names its holder.

use super::recording::{Call, made, value};
use crate::state::effect::EffectRule;
use crate::state::effect_gather::Gathered;
use rstest::rstest;

const AS_THEY_ARE: &str =
    r#"[{"id":7,"notes":[{"id":1,"text":"a"},{"id":3,"text":"c"}]},{"id":8,"notes":[{"id":2,"text":"b"}]}]"#;
const OTHERWISE: &str =
    r#"[{"id":7,"notes":[{"id":1,"text":"A"},{"id":3,"text":"c"}]},{"id":8,"notes":[{"id":2,"text":"b"}]}]"#;
const IN_TWO_WAYS: &str = r#"[{"id":7,"notes":[{"id":1,"text":"a"},{"id":3,"text":"c"}]},{"id":8,"notes":[{"id":2,"text":"b"},{"id":3,"text":"d"}]}]"#;

/// A third note is only shown under its article: it is held where the list shows the others as they are.
#[rstest]
#[case::as_they_are(AS_THEY_ARE, true)]
#[case::otherwise(OTHERWISE, false)]
#[case::in_two_ways(IN_TWO_WAYS, false)]
fn an_entity_that_another_list_shows_whole_is_held(#[case] articles: &'static str, #[case] held: bool) {
    let calls: [Call; 3] = [
        ("GET /articles", 200, articles),
        ("GET /notes/1", 200, r#"{"id":1,"text":"a"}"#),
        ("GET /notes/2", 200, r#"{"id":2,"text":"b"}"#),
    ];
    let made = made(&calls);
    let kind = made.derived.types.iter().position(|kind| kind.collection_template == "/notes").unwrap();
    let note = made.derived.world.collection(kind, "/notes").and_then(|notes| notes.get("3").cloned());
    assert_eq!(note.map(|note| note.fields.to_compact()), held.then(|| r#"{"id":3,"text":"c"}"#.to_owned()));
}

/// A shelf is in use as long as a book names it.
#[test]
fn a_value_lasts_as_long_as_something_names_its_holder() {
    let calls: [Call; 7] = [
        (
            "GET /shelves",
            200,
            r#"[{"id":1,"used":true},{"id":2,"used":true},{"id":3,"used":false},{"id":4,"used":false}]"#,
        ),
        ("GET /books", 200, r#"[{"id":1,"shelf":1},{"id":2,"shelf":2}]"#),
        (r#"POST{"shelf":3} /books"#, 201, r#"{"id":3,"shelf":3}"#),
        ("GET /books", 200, r#"[{"id":1,"shelf":1},{"id":2,"shelf":2},{"id":3,"shelf":3}]"#),
        (
            "GET /shelves",
            200,
            r#"[{"id":1,"used":true},{"id":2,"used":true},{"id":3,"used":true},{"id":4,"used":false}]"#,
        ),
        ("DELETE /books/1", 204, ""),
        (
            "GET /shelves",
            200,
            r#"[{"id":1,"used":false},{"id":2,"used":true},{"id":3,"used":true},{"id":4,"used":false}]"#,
        ),
    ];
    let made = made(&calls);
    let lasts = |rule: &EffectRule| {
        matches!(rule, EffectRule::Gather(rule) if rule.made == Gathered::Fixed(value("true"))
            && rule.empty == Some(Some(value("false"))))
    };
    assert!(made.derived.effects.iter().any(lasts), "{:?}", made.derived.effects);
}
