//! Samples: each recorded 2xx call of a write tool with what its target held before and after it, and the worlds that a
//! sample leads to. Found in `write_sample_find.rs` while `write_truth.rs` walks the timeline; nothing here knows of plans.

use super::derived::Derived;
use super::effect::{Done, apply_effects};
use super::observe::Seen;
use super::slot::{Left, Slot, entity_with, slots_of};
use super::store::{Entity, World};
use super::write_history::{EntityKey, Shown};
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What became of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It was absent and is held since.
    Created,
    /// It was held and still is.
    Changed,
    /// It was held and is no more.
    Removed,
    /// It was absent and still is.
    Missed,
}

/// One recorded call and its target.
#[derive(Debug)]
pub(super) struct Sample<'a> {
    /// The call, as an index into the observed calls.
    pub index: usize,
    /// The call.
    pub call: &'a Seen,
    /// The target.
    pub key: EntityKey,
    /// What became of it.
    pub fate: Fate,
    /// The sent members, without envelope.
    pub sent: Value,
    /// What the target's slots held.
    pub before: Shown,
    /// What they hold after, as far as reads (or the answer) show.
    pub after: Shown,
    /// Slots that only the answer shows.
    pub only_answered: BTreeSet<Slot>,
    /// Slots that the answer and a read show, and whether both show the same.
    pub answer_agrees: BTreeMap<Slot, bool>,
    /// By how much the reads that follow show more than the answer.
    pub lags: BTreeMap<Slot, i64>,
    /// The world before the call, as the reads show it.
    pub world: World,
    /// The identity that the call gives the target.
    pub renamed: Option<String>,
}

impl Sample<'_> {
    /// Values of slots as one object.
    pub(super) fn object(shown: &Shown) -> Value {
        let members: Object = shown
            .iter()
            .filter_map(|(slot, value)| value.as_ref().map(|value| (slot.key().into(), value.clone())))
            .collect();
        Value::Object(members)
    }
}

/// The held entity of a key.
pub(super) fn entity_of(world: &World, (kind, collection, id): &EntityKey) -> Option<Arc<Entity>> {
    world.collection(*kind, collection)?.get(id).cloned()
}

/// What is known of an entity's slots: values, and members that a showing left out.
pub(super) fn shown_of(derived: &Derived, kind: usize, entity: &Entity) -> Shown {
    let shown = |slot: Slot| slot_shown(derived, entity, &slot).map(|value| (slot, value));
    slots_of(derived, kind).into_iter().filter_map(shown).collect()
}

/// What is known of one slot of an entity's type: its value, or that a showing left it out.
pub(super) fn slot_shown(derived: &Derived, entity: &Entity, slot: &Slot) -> Option<Option<Value>> {
    if let Some(value) = entity.held(slot.source, &slot.name) {
        return Some(Some(value.clone()));
    }
    let left_out = entity.shown_in.iter().any(|way| {
        derived.representations.get(*way).is_some_and(|held| {
            held.members
                .iter()
                .any(|member| member.name == slot.name && (!member.stored).then_some(member.source) == slot.source)
        })
    });
    left_out.then_some(None)
}

/// The world after a write as the reads show it.
pub(super) fn synced(derived: &Derived, world: &World, sample: &Sample<'_>) -> World {
    let mut next = world.clone();
    let (kind, collection, id) = &sample.key;
    match sample.fate {
        Fate::Missed => {}
        Fate::Removed => {
            next.remove_entity(*kind, collection, id);
        }
        Fate::Created | Fate::Changed => {
            let before = entity_of(world, &sample.key);
            let slots: Vec<(Slot, Left)> = slots_of(derived, *kind)
                .into_iter()
                .filter_map(|slot| {
                    let left = match sample.after.get(&slot) {
                        Some(Some(value)) => Left::Value(value.clone()),
                        Some(None) => Left::Absent,
                        None if before.is_some() => return None,
                        None => Left::Unknown,
                    };
                    Some((slot, left))
                })
                .collect();
            let name = sample.renamed.as_deref().unwrap_or(id);
            let key = (Arc::from(collection.as_str()), Arc::from(name));
            next.rename_entity(*kind, id, entity_with(derived, *kind, key, before.as_deref(), slots));
        }
    }
    next
}

/// The world after a write as the reads show it, with what the effects change elsewhere.
pub(super) fn followed(derived: &Derived, world: &World, sample: &Sample<'_>) -> World {
    let mut next = synced(derived, world, sample);
    let (kind, collection, id) = &sample.key;
    let name = sample.renamed.clone().unwrap_or_else(|| id.clone());
    let before = entity_of(world, &sample.key);
    let after = entity_of(&next, &(*kind, collection.clone(), name));
    let (before, after) = (before.as_deref(), after.as_deref());
    let done = Done::by((sample.call.tool, *kind), before, after, world);
    apply_effects(derived, &mut next, &done);
    next
}

/// A world that a plan left, with what the reads show of the target where the plan does not say it: what one write does
/// not tell is no reason against the next.
pub(super) fn filled(derived: &Derived, left: World, was: &World, sample: &Sample<'_>) -> World {
    let (kind, collection, id) = &sample.key;
    let name = sample.renamed.as_deref().unwrap_or(id);
    let Some(held) = entity_of(&left, &(*kind, collection.clone(), name.to_owned())) else { return left };
    let told = |slot: &Slot| slot_shown(derived, &held, slot);
    let slots = slots_of(derived, *kind);
    if !slots.iter().any(|slot| told(slot).is_none() && sample.after.contains_key(slot)) {
        return left;
    }
    let slots = slots.into_iter().map(|slot| {
        let left = match told(&slot).or_else(|| sample.after.get(&slot).cloned()) {
            Some(Some(value)) => Left::Value(value),
            Some(None) => Left::Absent,
            None => Left::Unknown,
        };
        (slot, left)
    });
    let before = entity_of(was, &sample.key);
    let key = (Arc::clone(&held.collection), Arc::clone(&held.id));
    let entity = entity_with(derived, *kind, key, before.as_deref(), slots.collect());
    let mut next = left;
    next.set_entity(*kind, entity);
    next
}

/// The first object of an answer that fits: the root, a member, a member's member, or the only item of a list there.
pub(super) fn answered_entity<'v>(body: &'v Value, fits: &dyn Fn(&Value) -> bool) -> Option<&'v Value> {
    let mut level = vec![body];
    for _ in 0..3 {
        if let Some(found) = level.iter().find(|value| value.as_object().is_some() && fits(value)) {
            return Some(found);
        }
        let mut next = Vec::new();
        for value in level {
            match value.plain() {
                Value::Object(object) => next.extend(object.iter().map(|(_, inner)| inner)),
                Value::Array(items) if items.len() == 1 => next.extend(items),
                _ => {}
            }
        }
        level = next;
    }
    None
}
