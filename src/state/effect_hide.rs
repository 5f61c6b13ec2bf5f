//! Proposing what hides entities: a write that leaves its target in place, with a value that it had not before, after which
//! no read shows what names the target (an article is put into the bin, and its remarks are listed no more). Whether the
//! hidden ones still exist is not known from then on. Nothing here knows of plans.

use super::clock_format::clock_seconds;
use super::derived::Derived;
use super::effect::EffectRule;
use super::effect_propose::Finder;
use super::effect_relation::{Relation, address, names_entity, relations};
use super::slot::Slot;
use super::store::Entity;
use super::write_sample::{Fate, Sample};
use super::write_truth::{Change, Changed};
use crate::json::Value;

impl Finder<'_, '_> {
    /// The rule by which a write that gave its target a value hid an entity that names it. The value is a word or a flag
    /// that at least two writes gave, or a flag that hid at least two: a text of its own says nothing of other targets, and
    /// what vanished alone may have done so for another reason.
    pub(super) fn hidden_by(&self, change: &Change, entity: &Entity) -> Option<EffectRule> {
        let child = change.key.0;
        let causes = change.writes.iter().rev().filter_map(|write| self.samples.get(write).copied());
        for cause in causes.filter(|sample| sample.fate == Fate::Changed && sample.key.0 != child) {
            let parent = cause.key.0;
            for by in relations(&self.work.derived, (child, entity), address(&cause.key)) {
                for (slot, value) in came_to(cause) {
                    let gave = |sample: &&Sample<'_>| sample.key.0 == parent && gives(sample, slot, value);
                    let given = self.samples.values().copied().filter(gave);
                    let given = given.collect::<Vec<_>>();
                    let told =
                        given.len() > 1 || value.as_bool().is_some() && self.vanished_with(cause, child, &by) > 1;
                    let hides = |sample: &&Sample<'_>| {
                        let children = sample.world.collections(child).flat_map(|(_, held)| held.iter());
                        let named = address(&sample.key);
                        let derived = &self.work.derived;
                        let mut naming = children.filter(|held| names_entity(derived, &by, (child, held), named));
                        naming.all(|held| {
                            let key = (child, held.collection.to_string(), held.id.to_string());
                            !self.history.of(&key).iter().any(|showing| showing.seen > sample.index)
                        })
                    };
                    if told && given.iter().all(hides) {
                        let (slot, value) = (slot.clone(), value.clone());
                        return Some(EffectRule::Hide { parent, child, by, slot, value });
                    }
                }
            }
        }
        None
    }

    /// How many entities that name a write's target are gone since.
    fn vanished_with(&self, cause: &Sample<'_>, child: usize, by: &Relation) -> usize {
        let gone = self.changes.iter().filter(|change| change.key.0 == child && change.writes.contains(&cause.index));
        let names = |held: &Entity| names_entity(&self.work.derived, by, (child, held), address(&cause.key));
        gone.filter(|change| matches!(&change.what, Changed::Vanished(held) if names(held))).count()
    }
}

/// The words and flags that a write gave its target.
fn came_to<'s>(sample: &'s Sample<'_>) -> impl Iterator<Item = (&'s Slot, &'s Value)> {
    let after = sample.after.iter().filter_map(|(slot, value)| Some((slot, value.as_ref()?)));
    after.filter(|(slot, value)| {
        let word = value.as_str().is_some() && clock_seconds(value).is_none();
        (word || value.as_bool().is_some()) && gives(sample, slot, value)
    })
}

/// Whether a write left a value that was not there before.
fn gives(sample: &Sample<'_>, slot: &Slot, value: &Value) -> bool {
    let has = |held: Option<&Option<Value>>| held.and_then(Option::as_ref).is_some_and(|held| held.same_as(value));
    sample.fate == Fate::Changed
        && sample.before.contains_key(slot)
        && !has(sample.before.get(slot))
        && has(sample.after.get(slot))
}

impl Derived {
    /// Whether entities of a type may be hidden: what is not held of them is only absent where it was removed.
    pub(super) fn may_hide(&self, kind: usize) -> bool {
        self.effects.iter().any(|rule| matches!(rule, EffectRule::Hide { child, .. } if *child == kind))
    }
}
