//! What only one has: a write that leaves a value in an entity takes it from the one that had it (a default, a primary
//! address, a current version), of all of its type, of its collection, or of those that name the same. Knows nothing of how a
//! write gives the value.

use super::derive::Derivation;
use super::derived::Derived;
use super::effect::{Done, EffectRule, follow, put};
use super::line::scalar_text;
use super::member_fit_switch::tells_apart;
use super::slot::{Left, Slot, merged};
use super::store::{Entity, World};
use super::write_history::History;
use super::write_sample::Sample;
use super::write_truth::{Changed, Truth};
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A value that only one entity of a scope has.
#[derive(Clone, Debug, PartialEq)]
pub struct Only {
    /// The type.
    pub of: usize,
    /// The slot.
    pub slot: Slot,
    /// What only one holds there.
    pub value: Value,
    /// What the one that held it holds then.
    pub other: Value,
    /// Among which there is only one.
    pub within: Within,
    /// Fewer of them, where the recording shows no other that had it: whether those lose it is not known.
    pub sure: Option<Within>,
}

/// Entities among which only one has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    /// All of the type.
    Type,
    /// Those of a collection.
    Collection,
    /// Those that hold the same at a member.
    Member(Box<str>),
}

impl Within {
    /// The scope of an entity, as a text.
    fn of(&self, entity: &Entity) -> Option<String> {
        match self {
            Self::Type => Some(String::new()),
            Self::Collection => Some(entity.collection.to_string()),
            Self::Member(name) => merged(entity).get(name).and_then(scalar_text),
        }
    }
}

impl Only {
    fn has(&self, entity: &Entity) -> bool {
        merged(entity).get(&self.slot.key()).is_some_and(|held| held.same_as(&self.value))
    }

    /// Whether a write gave the value.
    fn gives(&self, done: &Done<'_>) -> bool {
        done.after.is_some_and(|after| self.has(after)) && !done.before.is_some_and(|before| self.has(before))
    }

    /// Whether no two entities of a scope have the value.
    fn holds_in(&self, world: &World) -> bool {
        let entities = world.collections(self.of).flat_map(|(_, collection)| collection.iter());
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for entity in entities.filter(|entity| self.has(entity)) {
            let Some(scope) = self.within.of(entity) else { continue };
            *counts.entry(scope).or_default() += 1;
        }
        counts.values().all(|count| *count < 2)
    }
}

/// Takes the value from those that had it.
pub(super) fn take_from_others(derived: &Derived, world: &mut World, rule: &Only, done: &Done<'_>) {
    let Some(after) = done.after.filter(|_| rule.gives(done)) else { return };
    let Some(scope) = rule.within.of(after) else { return };
    let is_target = |entity: &Entity| entity.collection == after.collection && entity.id == after.id;
    let entities = world.collections(rule.of).flat_map(|(_, collection)| collection.iter());
    let held: Vec<Arc<Entity>> = entities
        .filter(|entity| !is_target(entity) && rule.has(entity) && rule.within.of(entity).as_ref() == Some(&scope))
        .cloned()
        .collect();
    for entity in held {
        let was = world.clone();
        let sure = rule.sure.as_ref().is_none_or(|sure| sure.of(&entity) == sure.of(after));
        let left = if sure { Left::Value(rule.other.clone()) } else { Left::Unknown };
        put(derived, world, rule.of, &entity, vec![(rule.slot.clone(), left)]);
        follow(derived, world, rule.of, (&was, &entity), done);
    }
}

/// The values that only one has: from what lost one after a write that gave it to another.
pub(super) fn propose_only(work: &Derivation<'_>, history: &History<'_>, truth: &Truth<'_>) -> Vec<EffectRule> {
    let samples: Vec<&Sample<'_>> = truth.samples.values().flatten().collect();
    let mut rules: Vec<EffectRule> = Vec::new();
    for change in &truth.changes {
        let Changed::Slot(slot, Some(before), Some(after)) = &change.what else { continue };
        if !tells_apart(before) || before.same_as(after) {
            continue;
        }
        let gave = |sample: &&&Sample<'_>| {
            let left = sample.after.get(slot).and_then(Option::as_ref);
            change.writes.contains(&sample.index)
                && sample.key.0 == change.key.0
                && sample.key != change.key
                && left.is_some_and(|left| left.same_as(before))
        };
        let Some(maker) = samples.iter().rev().find(gave) else { continue };
        let only = |within| {
            let (value, other) = (before.clone(), after.clone());
            Only { of: change.key.0, slot: slot.clone(), value, other, within, sure: None }
        };
        let lost = change.world.collection(change.key.0, &change.key.1).and_then(|held| held.get(&change.key.2));
        let same = |name: &str| {
            let given = maker.after.iter().find(|(slot, _)| slot.source.is_none() && *slot.name == *name);
            let given = given.and_then(|(_, value)| value.as_ref()).and_then(scalar_text);
            given.is_some() && given == lost.and_then(|lost| lost.fields.get(name)).and_then(scalar_text)
        };
        let mut scopes = vec![Within::Type, Within::Collection];
        let members = lost.and_then(|lost| lost.fields.as_object()).into_iter().flatten();
        let names = members.filter_map(|(name, _)| name.as_str()).filter(|name| **name != *slot.name && same(name));
        scopes.extend(names.map(|name| Within::Member(name.into())));
        let lost_by = |within: &Within| times_lost(work, history, &only(within.clone()), &samples);
        let mut scopes = scopes.into_iter();
        let Some((within, lost)) = scopes.find_map(|within| lost_by(&within).map(|lost| (within, lost))) else {
            continue;
        };
        // A narrower scope that explains the same: of those outside of it nothing is known.
        let sure = scopes.find(|narrow| parts(work, change.key.0, narrow) && lost_by(narrow) == Some(lost));
        let rule = EffectRule::Only(Box::new(Only { sure, ..only(within) }));
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

/// Whether a scope parts the entities of a type as what they lie under or name does: by their collections, or by a member
/// that names an entity of another type in each of them.
fn parts(work: &Derivation<'_>, of: usize, within: &Within) -> bool {
    let world = &work.derived.world;
    let held = || world.collections(of).flat_map(|(_, held)| held.iter());
    let scopes: BTreeSet<Option<String>> = held().map(|entity| within.of(entity)).collect();
    let names = |kind: usize| {
        let named = |id: &Option<String>| id.as_ref().is_some_and(|id| world.named(kind, id).next().is_some());
        kind != of && scopes.iter().all(named)
    };
    scopes.len() > 1 && (*within == Within::Collection || (0..work.derived.types.len()).any(names))
}

/// How many lost it, where there was one at the most at the start, and none but the given one is shown with the value after each write that
/// gave it, until another write of the type.
fn times_lost(work: &Derivation<'_>, history: &History<'_>, rule: &Only, samples: &[&Sample<'_>]) -> Option<usize> {
    let of_type = || samples.iter().filter(|sample| sample.key.0 == rule.of);
    let gives = |sample: &&&Sample<'_>| {
        let left = sample.after.get(&rule.slot).and_then(Option::as_ref);
        left.is_some_and(|left| left.same_as(&rule.value))
    };
    let mut lost = 0;
    let shown = rule.holds_in(&work.derived.world)
        && of_type().filter(gives).all(|sample| {
            let next = of_type().map(|other| other.index).filter(|index| *index > sample.index).min();
            let held = || sample.world.collections(rule.of).flat_map(|(_, collection)| collection.iter());
            let is_target = |entity: &&Arc<Entity>| *entity.collection == *sample.key.1 && *entity.id == *sample.key.2;
            // What a create makes is not there before it.
            let made = || match &rule.within {
                Within::Type => Some(String::new()),
                Within::Collection => Some(sample.key.1.clone()),
                Within::Member(name) => {
                    let given = sample.after.iter().find(|(slot, _)| slot.source.is_none() && *slot.name == **name);
                    given.and_then(|(_, value)| value.as_ref()).and_then(scalar_text)
                }
            };
            let scope = held().find(is_target).and_then(|entity| rule.within.of(entity)).or_else(made);
            held().filter(|entity| !is_target(entity) && scope.is_some() && rule.within.of(entity) == scope).all(
                |entity| {
                    let key = (rule.of, entity.collection.to_string(), entity.id.to_string());
                    let shown = history.shown_between(&work.derived, &key, &rule.slot.name, (sample.index, next));
                    let Some(shown) = shown else { return true };
                    if !rule.has(entity) {
                        return !shown.same_as(&rule.value);
                    }
                    let as_told = shown.same_as(&rule.other);
                    lost += usize::from(as_told);
                    as_told
                },
            )
        });
    // A word may change by itself, once; a flag does not.
    (shown && (lost > 1 || lost > 0 && matches!(rule.value.plain(), Value::Bool(_)))).then_some(lost)
}
