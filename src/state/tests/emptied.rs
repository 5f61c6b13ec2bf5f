//! Documents that a write at their path empties.

use super::recording::{Call, Made, made, scenario, value};
use super::scenarios::what_is_held_loads_back;
use crate::json::parse;
use crate::state::effect::{Done, EffectRule, apply_effects};
use crate::state::effect_empty::{Emptied, empty};
use crate::state::effect_relation::Relation;
use crate::state::path::MemberPath;
use crate::state::store::Entity;
use crate::state::{load_state, write_state_document};

/// Histories of things, some of which are deleted.
const HISTORIES: &[Call] = &[
    ("GET /things", 200, r#"[{"id":11,"n":2},{"id":12,"n":2},{"id":13,"n":1},{"id":14,"n":3}]"#),
    ("GET /things/11", 200, r#"{"id":11,"n":2}"#),
    ("GET /things/11/history", 200, r#"{"1":"a","2":"b"}"#),
    ("GET /things/13/history", 200, r#"{"9":"z"}"#),
    ("DELETE /things/11/history", 204, ""),
    ("GET /things/11", 200, r#"{"id":11,"n":0}"#),
    ("GET /things/11/history", 200, "{}"),
    ("GET /things/12/history", 200, r#"{"4":"d","5":"e"}"#),
    ("DELETE /things/12/history", 204, ""),
    ("GET /things/12", 200, r#"{"id":12,"n":0}"#),
];

fn rule(made: &Made) -> Option<&Emptied> {
    made.derived.effects.iter().find_map(|rule| match rule {
        EffectRule::Emptied(rule) => Some(rule.as_ref()),
        _ => None,
    })
}

#[test]
fn a_write_at_the_path_of_a_document_leaves_the_same_in_each() {
    let made = made(&[HISTORIES, &[("GET /things/12/history", 200, "{}")]].concat());
    let start = &made.derived.world;
    assert_eq!(made.answer_in(start, "GET /things/12/history"), "<unrecorded-request>");
    let rule = rule(&made).unwrap();
    let mut world = start.clone();
    for thing in ["12", "13", "14"] {
        let held = Entity::new("/things", thing, value("{}"));
        empty(&made.derived, &mut world, rule, &Done::by((rule.cause, 0), Some(&held), Some(&held), start));
    }
    assert_eq!(made.answer_in(&world, "GET /things/13/history"), "{}");
    assert_eq!(made.answer_in(&world, "GET /things/12/history"), "{}");
    assert_eq!(made.answer_in(&world, "GET /things/14/history"), "<unrecorded-request>");
}

#[test]
fn what_goes_with_the_target_empties_nothing() {
    let mut made = made(&[HISTORIES, &[("GET /things/12/history", 200, "{}")]].concat());
    let cause = rule(&made).unwrap().cause;
    let by = Relation::Member(MemberPath::member("of"));
    made.derived.effects.push(EffectRule::Cascade { parent: 1, child: 2, by });
    let mut world = made.derived.world.clone();
    world.set_entity(2, Entity::new("/parts", "13", value(r#"{"of":"9"}"#)));
    let (was, gone) = (world.clone(), Entity::new("/wholes", "9", value("{}")));
    apply_effects(&made.derived, &mut world, &Done::by((cause, 1), Some(&gone), None, &was));
    assert!(world.collection(2, "/parts").is_none_or(|held| held.get("13").is_none()));
    assert_eq!(made.answer_in(&world, "GET /things/13/history"), made.answer_in(&was, "GET /things/13/history"));
}

#[test]
fn what_was_emptied_is_empty_after_loading() {
    let made = scenario("changedetection");
    let start = &made.derived.world;
    let read = "GET /api/v1/watch/ec859606-3090-41f1-a8f3-167c64ab28b8/history";
    assert_eq!(made.answer_in(start, read), "<unrecorded-request>");
    let written = made.after(start, &read.replace("GET", "DELETE"), "");
    let mut bytes = Vec::new();
    write_state_document(&made.derived, &made.manifest, &written, "ev_1", &mut bytes);
    let loaded = load_state(&made.derived, &made.manifest, "ev_1", parse(&bytes).unwrap()).unwrap().world;
    for world in [written, loaded] {
        assert_eq!(made.answer_in(&world, read), "{}");
    }
}

/// An item that is another one than the listed one in all that both show, after writes that nothing explains.
#[test]
fn a_collection_holds_one_type() {
    let made = made(&[HISTORIES, &[("GET /things/12/history", 200, "{}")]].concat());
    what_is_held_loads_back(&made);
}

#[test]
fn what_a_write_leaves_in_one_document_only_is_no_rule() {
    let made = made(&[HISTORIES, &[("GET /things/12/history", 200, r#"{"6":"f"}"#)]].concat());
    assert_eq!(rule(&made), None);
}
