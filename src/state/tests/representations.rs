//! What parameters do to the entities that a tool shows, and which members representations share.

use super::recording::{Call, Made, made};
use crate::state::entity::shape_of;
use crate::state::identity::find_types;
use crate::state::key_effect::KeyEffect;
use crate::state::observe::is_read;
use crate::state::representation::{Ground, gather};
use crate::state::types::{MemberRule, Shape};
use rstest::rstest;
use std::collections::BTreeSet;

const LIST: &str = r#"[{"id":11,"name":"delta","size":5},{"id":12,"name":"alpha","size":6}]"#;

fn effect(made: &Made, key: &str) -> Option<KeyEffect> {
    let tools = &made.manifest.tools;
    let shapes: Vec<Shape> = (0..tools.len())
        .map(|tool| if is_read(&tools[tool]) { shape_of(&tools[tool], tool, &made.observed) } else { Shape::None })
        .collect();
    let kinds = find_types(&made.manifest, &shapes, &made.observed);
    let ground = Ground { manifest: &made.manifest, shapes: &shapes, observed: &made.observed };
    let population = gather(&ground, &kinds[0], 0, (usize::MAX, usize::MAX), &BTreeSet::new());
    let tool = made.tool("GET", "/tasks");
    population.effects.get(&tool)?.effects.get(key).copied()
}

#[rstest]
#[case::same(&[("GET /tasks?q=x", 200, r#"[{"id":12,"name":"alpha","size":6}]"#)], Some(KeyEffect::Same))]
#[case::projection(&[("GET /tasks?q=id,name", 200, r#"[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}]"#)], Some(KeyEffect::Projection))]
#[case::projection_without_the_identity(&[("GET /tasks?q=name", 200, r#"[{"name":"delta"},{"name":"alpha"}]"#)], Some(KeyEffect::Projection))]
#[case::more_members(&[("GET /tasks?q=wide", 200, r#"[{"id":11,"name":"delta","size":5,"note":"x"},{"id":12,"name":"alpha","size":6,"note":"y"}]"#)], Some(KeyEffect::Variant))]
#[case::fewer_members_without_naming_them(&[("GET /tasks?q=brief", 200, r#"[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}]"#)], Some(KeyEffect::Variant))]
#[case::other_values(&[("GET /tasks?q=html", 200, r#"[{"id":11,"name":"<b>delta</b>","size":5},{"id":12,"name":"<b>alpha</b>","size":6}]"#)], Some(KeyEffect::Variant))]
#[case::more_members_of_another_entity(&[("GET /tasks?q=wide", 200, r#"[{"id":13,"name":"echo","size":7,"note":"x"}]"#)], Some(KeyEffect::Variant))]
#[case::nothing_was_shown(&[("GET /tasks?q=none", 200, "[]")], None)]
fn effects(#[case] more: &[Call], #[case] expected: Option<KeyEffect>) {
    let mut calls = vec![("GET /tasks", 200, LIST)];
    calls.extend_from_slice(more);
    assert_eq!(effect(&made(&calls), "q"), expected);
}

/// The member of the item's representation: whether it shares the list's value.
fn shared(item: [&'static str; 2], member: &str) -> (bool, Option<MemberRule>) {
    let made = made(&[("GET /tasks", 200, LIST), ("GET /tasks/11", 200, item[0]), ("GET /tasks/12", 200, item[1])]);
    let (list, one) = (made.tool("GET", "/tasks"), made.tool("GET", "/tasks/11"));
    let of = |tool: usize| {
        let ways = &made.derived.representations;
        let way = ways.iter().find(|way| way.tool == tool).unwrap();
        way.members.iter().find(|held| held.name.as_ref() == member).cloned()
    };
    let (of_list, of_item) = (of(list), of(one).unwrap());
    (of_list.is_some_and(|held| held.source == of_item.source), of_item.rule)
}

#[test]
fn equal_members_share_one_value() {
    let item = [r#"{"id":11,"name":"delta","size":5}"#, r#"{"id":12,"name":"alpha","size":6}"#];
    assert_eq!(shared(item, "name"), (true, None));
}

#[test]
fn members_spelled_otherwise_are_apart() {
    let item = [r#"{"id":11,"name":"delta","size":"5 MB"}"#, r#"{"id":12,"name":"alpha","size":"6 MB"}"#];
    assert!(!shared(item, "size").0);
    assert!(shared(item, "name").0);
}

#[test]
fn a_member_that_only_items_show_belongs_to_them() {
    let item = [r#"{"id":11,"name":"delta","size":5,"note":"x"}"#, r#"{"id":12,"name":"alpha","size":6,"note":"y"}"#];
    assert!(!shared(item, "note").0);
}

#[test]
fn a_constant_fills_what_was_not_shown() {
    let list = r#"[{"id":11,"name":"a"},{"id":12,"name":"b"},{"id":13,"name":"c"},{"id":14,"name":"d"}]"#;
    let made = made(&[
        ("GET /tasks", 200, list),
        ("GET /tasks/11", 200, r#"{"id":11,"name":"a","kind":"task","label":"a","url":"/tasks/11"}"#),
        ("GET /tasks/12", 200, r#"{"id":12,"name":"b","kind":"task","label":"b","url":"/tasks/12"}"#),
        ("GET /tasks/13", 200, r#"{"id":13,"name":"c","kind":"task","label":"c","url":"/tasks/13"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks/14"), r#"{"id":14,"name":"d","kind":"task","label":"d","url":"/tasks/14"}"#);
}
