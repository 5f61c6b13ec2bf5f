//! Items of a list that name what lies under its holder leave it with that, where every removal of the recording shows it.

use super::recording::{Made, made};
use crate::json::Value;
use crate::state::EffectRule;
use crate::state::effect_listed::Then;

const EMMA: &str = r#"{"name":"emma","labels":[{"label":"best","edition":"1"},{"label":"new","edition":"2"}]}"#;
const EMMA_SINCE: &str = r#"{"name":"emma","labels":[{"label":"best","edition":"1"}]}"#;
const DUNE: &str = r#"{"name":"dune","labels":[{"label":"best","edition":"1"}]}"#;
const EMPTY: &str = r#"{"name":"dune","labels":[]}"#;

fn books(emma: &str, dune: &str) -> &'static str {
    format!("[{emma},{dune},{}]", r#"{"name":"ulysses","labels":[{"label":"best","edition":"2"}]}"#).leak()
}

fn editions(ids: &[&str]) -> &'static str {
    let all: Vec<String> = ids.iter().map(|id| format!(r#"{{"id":"{id}","pages":1{id}}}"#)).collect();
    format!("[{}]", all.join(",")).leak()
}

/// A recording in which an edition of each of two books is removed.
fn recorded(dune: &str) -> Made {
    made(&[
        ("GET /api/books", 200, books(EMMA, DUNE)),
        ("GET /api/books/emma/editions", 200, editions(&["1", "2", "3"])),
        ("GET /api/books/dune/editions", 200, editions(&["1", "2"])),
        ("GET /api/books/ulysses/editions", 200, editions(&["1", "2"])),
        ("DELETE /api/books/emma/editions/2", 204, ""),
        ("GET /api/books/emma/editions", 200, editions(&["1", "3"])),
        ("GET /api/books", 200, books(EMMA_SINCE, DUNE)),
        ("DELETE /api/books/dune/editions/1", 204, ""),
        ("GET /api/books/dune/editions", 200, editions(&["2"])),
        ("GET /api/books", 200, books(EMMA_SINCE, dune)),
    ])
}

/// What an emptied list is by the rule, where there is one.
fn emptied(made: &Made) -> Option<Option<Option<Value>>> {
    made.derived.effects.iter().find_map(|rule| match rule {
        EffectRule::Listed(rule) => match &rule.then {
            Then::Leave(empty) => Some(empty.clone()),
            Then::Show(..) => None,
        },
        _ => None,
    })
}

#[test]
fn items_leave_with_what_they_name() {
    let made = recorded(EMPTY);
    assert_eq!(emptied(&made), Some(Some(Some(Value::Array(Vec::new())))));
    let left = made.after(&made.derived.world, "DELETE /api/books/ulysses/editions/2", "");
    let book = left.collections(0).find_map(|(_, held)| held.get("ulysses")).unwrap();
    assert_eq!(book.fields.get("labels").map(Value::to_compact).as_deref(), Some("[]"));
}

#[test]
fn a_removal_that_leaves_them_contradicts() {
    assert_eq!(emptied(&recorded(DUNE)), None);
}

#[test]
fn what_an_emptied_list_is_has_to_be_shown() {
    let whole = recorded(EMPTY);
    let calls = |dune: &str| {
        made(&[
            ("GET /api/books", 200, books(EMMA, dune)),
            ("GET /api/books/emma/editions", 200, editions(&["1", "2", "3"])),
            ("GET /api/books/dune/editions", 200, editions(&["1", "2"])),
            ("GET /api/books/ulysses/editions", 200, editions(&["1", "2"])),
            ("DELETE /api/books/emma/editions/2", 204, ""),
            ("GET /api/books/emma/editions", 200, editions(&["1", "3"])),
            ("GET /api/books", 200, books(EMMA_SINCE, dune)),
        ])
    };
    assert_eq!(emptied(&calls(DUNE)), Some(None));
    assert_eq!(emptied(&calls(EMPTY)), emptied(&whole));
    let made = calls(DUNE);
    let left = made.after(&made.derived.world, "DELETE /api/books/ulysses/editions/2", "");
    let book = left.collections(0).find_map(|(_, held)| held.get("ulysses")).unwrap();
    assert_eq!(book.fields.get("labels"), None);
    assert!(!made.derived.shown_without(book, 0, "labels", 0), "it is not known to be left out");
}

/// A recording in which an edition is given a label; an edition of another book, which has one, shows this.
fn labelled(shown: &str) -> Made {
    let editions = |first: &str, second: &str| -> &'static str {
        format!(r#"[{{"id":"1","pages":11,"called":{first}}},{{"id":"2","pages":12,"called":{second}}}]"#).leak()
    };
    const SET: &str = r#"{"name":"emma","labels":[{"label":"old","edition":"2"}]}"#;
    const BEFORE: &str = r#"{"name":"emma","labels":[]}"#;
    made(&[
        ("GET /api/books", 200, format!("[{BEFORE},{DUNE}]").leak()),
        ("GET /api/books/emma", 200, BEFORE),
        ("GET /api/books/emma/editions", 200, editions("[]", "[]")),
        ("GET /api/books/dune/editions", 200, editions(shown, "[]")),
        (r#"PATCH{"labels":[{"label":"old","edition":"2"}]} /api/books/emma"#, 200, SET),
        ("GET /api/books/emma", 200, SET),
        ("GET /api/books/emma/editions", 200, editions("[]", r#"["old"]"#)),
    ])
}

#[rstest::rstest]
#[case::as_told(r#"["best"]"#, true)]
#[case::something_else("[]", false)]
fn what_a_list_names_shows_it_wherever_it_is_named(#[case] shown: &str, #[case] expected: bool) {
    let shows = |rule: &EffectRule| match rule {
        EffectRule::Listed(rule) => matches!(rule.then, Then::Show(..)),
        _ => false,
    };
    assert_eq!(labelled(shown).derived.effects.iter().any(shows), expected);
}
