//! What only a served state brings: generated values, held identities, derived members. The facts are given by hand here;
//! the comparison only uses them.

use super::fixture::json;
use crate::compare::diff::{Found, Known, compare_json};
use crate::compare::ids::{IdTable, Lesson, Place, learn};
use crate::compare::normalise::Generated;
use crate::compare::rules::{DerivedMember, NoRules, ServedRules};
use crate::json::Value;
use rstest::rstest;

const A: &str = "0b2f41de-1111-4aaa-8bbb-000000000001";
const B: &str = "9c3e52cf-2222-4ccc-9ddd-000000000002";

fn compared(
    live: &str,
    environment: &str,
    facts: &[(&str, &'static str)],
    rules: &dyn ServedRules,
    ids: &IdTable,
) -> Found {
    let facts: Vec<(String, &'static str)> = facts.iter().map(|(at, kind)| ((*at).to_owned(), *kind)).collect();
    let known = Known { ids, collection: "/api/x", request: &[], tool: 0, rules };
    compare_json(&json(live), &json(environment), known, &Generated::new(&facts))
}

#[test]
fn generated_values_are_compared_by_format_where_the_rules_say_so() {
    let (live, environment) = (format!(r#"{{"key":"{A}","n":1}}"#), format!(r#"{{"key":"{B}","n":1}}"#));
    let ids = IdTable::default();
    let found = compared(&live, &environment, &[("/key", "unique")], &NoRules, &ids);
    assert!(found.agrees);
    assert_eq!(found.normalised.uuids, 1);
    assert!(!compared(&live, &environment, &[("/other", "unique")], &NoRules, &ids).agrees);
    assert!(!compared(&live, &environment, &[], &NoRules, &ids).agrees);
}

#[test]
fn a_numeric_sequence_stays_literal_unless_it_is_a_known_id() {
    let ids = IdTable::default();
    assert!(!compared(r#"{"no":5}"#, r#"{"no":6}"#, &[("/no", "sequence")], &NoRules, &ids).agrees);
}

#[test]
fn a_generated_uuid_that_is_no_uuid_is_not_excused_as_an_id() {
    let mut ids = IdTable::default();
    teach(&mut ids, &format!(r#"{{"id":"{A}"}}"#), r#"{"id":"env-12345"}"#, &NoRules);
    let (live, environment) = (format!(r#"{{"id":"{A}"}}"#), r#"{"id":"env-12345"}"#);
    assert!(compared(&live, environment, &[], &NoRules, &ids).agrees, "the pair was learned");
    assert!(!compared(&live, environment, &[("/id", "unique")], &NoRules, &ids).agrees);
}

#[test]
fn aliases_hold_in_any_order_too() {
    let ids = IdTable::default();
    let rules = [("/*/a", "unique"), ("/*/b", "unique")];
    let live = format!(r#"[{{"n":1,"a":"{A}","b":"{A}"}},{{"n":2}}]"#);
    let alias = format!(r#"[{{"n":2}},{{"n":1,"a":"{B}","b":"{B}"}}]"#);
    let lost = format!(r#"[{{"n":2}},{{"n":1,"a":"{B}","b":"{A}"}}]"#);
    let found = compared(&live, &alias, &rules, &NoRules, &ids);
    assert!(!found.agrees && found.agrees_ignoring_order);
    assert!(!compared(&live, &lost, &rules, &NoRules, &ids).agrees_ignoring_order);
}

/// A state that holds `env-uid-1` and `env-uid-2`, joins identities in `members` and derives `slug` from `name`.
struct Served;

impl ServedRules for Served {
    fn is_held_id(&self, text: &str) -> bool {
        text == "env-uid-1" || text == "env-uid-2"
    }

    fn joins_ids(&self, name: &str) -> Option<&str> {
        (name == "members").then_some(";")
    }

    fn lists_ids(&self, name: &str) -> bool {
        name == "parts"
    }

    fn names_made_id(&self, name: &str) -> bool {
        name == "token"
    }

    fn derived_value(&self, member: DerivedMember<'_>) -> Option<Value> {
        if member.name != "slug" {
            return None;
        }
        Some(Value::from(member.live.get("name")?.as_str()?.to_lowercase()))
    }
}

fn teach(ids: &mut IdTable, live: &str, environment: &str, rules: &dyn ServedRules) {
    let place = Place { collection: "/api/x".to_owned(), parameters: Vec::new(), is_item: false };
    learn(
        ids,
        &Lesson {
            live: &json(live),
            environment: &json(environment),
            place: &place,
            environment_parameters: &[],
            single: true,
            bare_identity: false,
            from_state: true,
            rules,
        },
    );
}

#[test]
fn a_text_field_is_an_identifier_where_the_state_holds_its_value() {
    let (live, environment) =
        (r#"{"uid":"live-uid-1","note":"live-uid-1"}"#, r#"{"uid":"env-uid-1","note":"env-uid-1"}"#);
    let mut held = IdTable::default();
    teach(&mut held, r#"{"uid":"live-uid-1"}"#, r#"{"uid":"env-uid-1"}"#, &Served);
    let found = compared(live, environment, &[], &Served, &held);
    assert!(found.agrees);
    assert_eq!(found.normalised.ids, 2);
    let mut unknown = IdTable::default();
    teach(&mut unknown, r#"{"uid":"live-uid-1"}"#, r#"{"uid":"env-uid-9"}"#, &Served);
    assert!(!compared(r#"{"uid":"live-uid-1"}"#, r#"{"uid":"env-uid-9"}"#, &[], &Served, &unknown).agrees);
}

#[test]
fn a_member_that_holds_made_identifiers_teaches_them() {
    let (live, environment) = (r#"{"token":"bcwulqxqvhnhyw"}"#, r#"{"token":"b463zo53hqcjzm"}"#);
    let mut ids = IdTable::default();
    teach(&mut ids, live, environment, &Served);
    assert!(compared(live, environment, &[], &Served, &ids).agrees);
    let (live, environment) = (r#"{"url":"/d/bcwulqxqvhnhyw/x"}"#, r#"{"url":"/d/b463zo53hqcjzm/x"}"#);
    assert!(compared(live, environment, &[], &Served, &ids).agrees);
    let encoded = (r#"{"next":"bzpiY3d1bHF4cXZobmh5dw=="}"#, r#"{"next":"bzpiNDYzem81M2hxY2p6bQ=="}"#);
    assert!(compared(encoded.0, encoded.1, &[], &Served, &ids).agrees, "a cursor holds it in base64");
    let mut untaught = IdTable::default();
    teach(&mut untaught, r#"{"token":"short"}"#, r#"{"token":"other"}"#, &Served);
    teach(&mut untaught, r#"{"other":"bcwulqxqvhnhyw"}"#, r#"{"other":"b463zo53hqcjzm"}"#, &Served);
    assert!(!compared(r#"{"token":"short"}"#, r#"{"token":"other"}"#, &[], &Served, &untaught).agrees);
    assert!(!compared(live, environment, &[], &Served, &untaught).agrees);
    assert!(!compared(encoded.0, encoded.1, &[], &Served, &untaught).agrees);
}

#[rstest]
#[case::held("uids", "liv-uid-1,liv-uid-2", "env-uid-1,env-uid-2", true)]
#[case::one_of_them_is_not_held("uids", "liv-uid-1,liv-uid-2", "env-uid-1,env-uid-3", false)]
#[case::more_of_them("uids", "liv-uid-1,liv-uid-2,liv-uid-3", "env-uid-1,env-uid-2", false)]
#[case::proven("members", "liv-uid-7;liv-uid-8", "env-uid-7;env-uid-8", true)]
#[case::proven_for_one("members", "liv-uid-7", "env-uid-7", true)]
#[case::no_identities("members", "one;two", "one;six", false)]
fn identities_in_one_text_are_learned_each(
    #[case] name: &str,
    #[case] live: &str,
    #[case] environment: &str,
    #[case] agrees: bool,
) {
    let of = |text: &str| format!(r#"{{"id":"same-id-00001","{name}":"{text}"}}"#);
    let mut ids = IdTable::default();
    teach(&mut ids, &of(live), &of(environment), &Served);
    assert_eq!(compared(&of(live), &of(environment), &[], &Served, &ids).agrees, agrees);
    // Each stands for one alone, whatever the order.
    let turned = |text: &str| text.split([',', ';']).rev().collect::<Vec<_>>().join(";");
    if agrees && environment.contains([',', ';']) {
        assert!(compared(&of(&turned(live)), &of(&turned(environment)), &[], &Served, &ids).agrees);
        assert!(!compared(&of(live), &of(&turned(environment)), &[], &Served, &ids).agrees);
    }
}

#[rstest]
#[case::held("uids", "env-uid-2", true)]
#[case::one_of_them_is_not_held("uids", "env-uid-3", false)]
#[case::proven("parts", "env-uid-3", true)]
#[case::no_identity("parts", "six", false)]
fn identities_in_a_list_are_learned_each(#[case] name: &str, #[case] second: &str, #[case] agrees: bool) {
    let of = |first: &str, second: &str| format!(r#"{{"id":"same-id-00001","{name}":["{first}","{second}"]}}"#);
    let (live, environment) = (of("liv-uid-1", "liv-uid-2"), of("env-uid-1", second));
    let mut ids = IdTable::default();
    teach(&mut ids, &live, &environment, &Served);
    assert_eq!(compared(&live, &environment, &[], &Served, &ids).agrees, agrees);
    assert!(!compared(&live, &of(second, "env-uid-1"), &[], &Served, &ids).agrees);
}

#[test]
fn a_derived_member_is_excused_where_the_rule_gives_the_live_value() {
    let ids = IdTable::default();
    let environment = r#"{"name":"Ann","slug":"ann-2"}"#;
    let found = compared(r#"{"name":"Ann","slug":"ann"}"#, environment, &[], &Served, &ids);
    assert!(found.agrees);
    assert_eq!(found.normalised.derived, 1);
    assert!(!compared(r#"{"name":"Ann","slug":"other"}"#, environment, &[], &Served, &ids).agrees);
    assert!(!compared(r#"{"name":"Ann","slug":"ann"}"#, environment, &[], &NoRules, &ids).agrees);
}
