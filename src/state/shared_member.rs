//! Members that representations of a type share: a member shows one value in all those that agree wherever both showed an
//! entity; the first of them holds it.

use super::late_member::LateMembers;
use super::representation::Population;
use super::showing_rule::{Showing, propose_rule};
use super::types::{Member, MemberRule};
use crate::json::{Object, Value};
use std::collections::{BTreeSet, HashMap};

/// Groups the members of all representations by shared value, and proposes rules for those never shown.
pub(super) fn share_members<'a>(population: &mut Population<'a>, late: &LateMembers<'a>) {
    let count = population.representations.len();
    let is_late =
        |way: usize, name: &str| late.get(&way).is_some_and(|held| held.iter().any(|(late, _)| late.as_ref() == name));
    let names: Vec<Vec<Box<str>>> = (0..count)
        .map(|way| {
            let shown = population.entities.values().filter_map(|entity| entity.shown.get(&way)?.as_object());
            let mut shown: Vec<&Object> = shown.collect();
            let late = late.get(&way).map(Vec::as_slice).unwrap_or_default();
            if late.is_empty() {
                return merged_order(&shown);
            }
            let first: BTreeSet<Box<str>> = merged_order(&shown).into_iter().collect();
            shown.extend(late.iter().map(|(_, object)| *object));
            let mut order = merged_order(&shown);
            order.retain(|name| first.contains(name) || is_late(way, name));
            order
        })
        .collect();
    let mut leaders: HashMap<Box<str>, Vec<(usize, Vec<usize>)>> = HashMap::new();
    let mut both: Both<'a> = HashMap::new();
    for (way, members) in names.iter().enumerate() {
        for name in members {
            let groups = leaders.entry(name.clone()).or_default();
            let equal = |leader: usize, both: &mut Both<'a>| {
                if is_late(way, name) || is_late(leader, name) && late_as(population, late, (leader, way), name) {
                    return true;
                }
                let both = both.entry((leader, way)).or_insert_with(|| shown_by_both(population, leader, way));
                equal_in(both, name)
            };
            match groups.iter_mut().find(|(leader, _)| equal(*leader, &mut both)) {
                Some((_, group)) => group.push(way),
                None => groups.push((way, vec![way])),
            }
        }
    }
    for (way, members) in names.into_iter().enumerate() {
        let built = members
            .into_iter()
            .map(|name| {
                let group = leaders
                    .get(&name)
                    .and_then(|groups| groups.iter().find(|(_, group)| group.contains(&way)))
                    .map_or(way, |(leader, _)| *leader);
                let stored =
                    leaders.get(&name).and_then(|groups| groups.first()).is_some_and(|(first, _)| *first == group);
                Member { name, source: group, stored, sorted: false, named_order: None, rule: None }
            })
            .collect();
        population.representations[way].members = built;
    }
    let showings: Vec<Showing<'_, '_>> = (0..count).map(|way| Showing::new(population, way)).collect();
    let rules: Vec<Vec<Option<MemberRule>>> = population
        .representations
        .iter()
        .map(|way| {
            let rule = |member: &Member| {
                let shares = |other: usize| {
                    population.representations[other]
                        .members
                        .iter()
                        .any(|held| held.name == member.name && held.source == member.source)
                };
                propose_rule(&showings[member.source], &member.name, &shares)
                    .or_else(|| is_late(member.source, &member.name).then_some(MemberRule::LeftOut))
            };
            way.members.iter().map(rule).collect()
        })
        .collect();
    for (way, rules) in population.representations.iter_mut().zip(rules) {
        for (member, rule) in way.members.iter_mut().zip(rules) {
            member.rule = rule;
        }
    }
}

/// Whether what one representation shows late of a member is of the types that another showed of it first.
fn late_as(population: &Population<'_>, late: &LateMembers<'_>, (leader, way): (usize, usize), name: &str) -> bool {
    let held = late.get(&leader).into_iter().flatten().find(|(known, _)| known.as_ref() == name);
    let Some(told) = held.and_then(|(_, object)| object.get(name)).map(Value::type_name) else { return false };
    let shown = population.entities.values().filter_map(|entity| entity.shown.get(&way)?.get(name));
    shown.map(Value::type_name).all(|word| word == told || word == "null")
}

/// The union of member orders: each new name goes after the one it followed.
fn merged_order(objects: &[&Object]) -> Vec<Box<str>> {
    let mut order: Vec<Box<str>> = Vec::new();
    for object in objects {
        let mut after = 0;
        for (name, _) in object.iter() {
            let Some(name) = name.as_str() else { continue };
            // Most objects have one order.
            let near = order.get(after).is_some_and(|held| held.as_ref() == name).then_some(after);
            match near.or_else(|| order.iter().position(|held| held.as_ref() == name)) {
                Some(at) => after = at + 1,
                None => {
                    order.insert(after, name.into());
                    after += 1;
                }
            }
        }
    }
    order
}

/// What two representations showed of each entity that both showed, by the two.
type Both<'a> = HashMap<(usize, usize), Vec<(&'a Value, &'a Value)>>;

fn shown_by_both<'a>(population: &Population<'a>, one: usize, other: usize) -> Vec<(&'a Value, &'a Value)> {
    let entities = population.entities.values();
    entities.filter_map(|entity| Some((*entity.shown.get(&one)?, *entity.shown.get(&other)?))).collect()
}

/// Whether two representations show one value for a member: equal, and present alike, wherever both showed an entity.
fn equal_in(both: &[(&Value, &Value)], name: &str) -> bool {
    let mut any = false;
    for (one, other) in both {
        match (one.get(name), other.get(name)) {
            (Some(a), Some(b)) if a.same_as(b) => any = true,
            (None, None) => {}
            _ => return false,
        }
    }
    any
}
