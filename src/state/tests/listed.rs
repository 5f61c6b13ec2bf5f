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
    let left = made.write(&made.derived.world, "DELETE /api/books/ulysses/editions/2", "").unwrap().world.unwrap();
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
    let left = made.write(&made.derived.world, "DELETE /api/books/ulysses/editions/2", "").unwrap().world.unwrap();
    let book = left.collections(0).find_map(|(_, held)| held.get("ulysses")).unwrap();
    assert_eq!(book.fields.get("labels"), None);
    assert!(!made.derived.shown_without(book, 0, "labels", 0), "it is not known to be left out");
}
