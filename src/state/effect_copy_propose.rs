//! Proposing copies and references: what an entity shows of another one, names another one by, or shows twice.

use super::effect::{EffectRule, Gone};
use super::effect_propose::Finder;
use super::line::scalar_text;
use super::path::{MemberPath, Step};
use super::slot::Slot;
use super::write_sample::{Fate, Sample};
use super::write_truth::{Change, Changed};
use crate::json::Value;
use std::sync::Arc;

impl Finder<'_, '_> {
    /// The list inside the entity whose first item a slot shows, in every entity.
    pub(super) fn first_of(&self, change: &Change, slot: &Slot) -> Option<EffectRule> {
        let kind = change.key.0;
        let world = &self.work.derived.world;
        let held: Vec<Arc<Value>> =
            world.collections(kind).flat_map(|(_, held)| held.iter()).map(|entity| self.merged(entity)).collect();
        let now = self.merged(&super::write_sample::entity_of(&change.world, &change.key)?);
        let mut all = held.clone();
        all.push(now);
        let is_first = |value: &Value, list: &Slot| {
            let item = value.get(&slot.key());
            match value.get(&list.key()).map(|list| list.as_array()) {
                Some(Some([])) => item.is_none_or(Value::is_null),
                Some(Some([first, ..])) => first.as_object().is_some() && item.is_some_and(|item| item.same_as(first)),
                _ => item.is_none(),
            }
        };
        let lists = super::slot::slots_of(&self.work.derived, kind);
        let list = lists.into_iter().find(|list| {
            let filled = |value: &&Arc<Value>| {
                value.get(&list.key()).and_then(Value::as_array).is_some_and(|items| !items.is_empty())
            };
            list.source == slot.source
                && all.iter().filter(filled).count() >= 2
                && all.iter().all(|value| is_first(value, list))
        })?;
        Some(EffectRule::First { holder: kind, slot: slot.clone(), list })
    }

    /// An embedded object that shows another entity.
    pub(super) fn copied(&self, change: &Change, slot: &Slot, before: &Value, after: &Value) -> Option<EffectRule> {
        let holder = change.key.0;
        for write in change.writes.iter().rev() {
            let Some(sample) = self.samples.get(write) else { continue };
            let (of, _, id) = &sample.key;
            let entity_type = &self.work.derived.types[*of];
            let Some(key) = entity_type.identity.last_name().filter(|_| entity_type.identity.0.len() == 1) else {
                continue;
            };
            let mut places = Vec::new();
            objects_with(before, key, id, &mut vec![Step::Member(slot.key().into())], &mut places);
            let Some((path, shown)) = places.into_iter().next() else { continue };
            let held = Sample::object(&sample.before);
            let names: Vec<Box<str>> = shown
                .as_object()?
                .iter()
                .filter_map(|(name, value)| {
                    let name = name.as_str()?;
                    held.get(name).is_some_and(|held| held.same_as(value)).then(|| name.into())
                })
                .collect();
            // A name that identifies may stand there once more, by the name that references have.
            let again = |value: &Value| scalar_text(value).as_deref() == Some(id);
            let others = shown.as_object()?.iter().filter(|(name, value)| {
                again(value) && name.as_str().is_some_and(|name| !names.iter().any(|held| **held == *name))
            });
            if names.len() + others.count() < 2 {
                continue;
            }
            let inner = MemberPath(path.clone());
            let mut still = Vec::new();
            let id = sample.renamed.as_deref().unwrap_or(id);
            objects_with(after, key, id, &mut vec![Step::Member(slot.key().into())], &mut still);
            match sample.fate {
                Fate::Removed => {
                    let gone = if still.is_empty() {
                        if path.last() == Some(&Step::Each) {
                            Gone::Remove
                        } else if after.is_null() {
                            Gone::Null
                        } else {
                            continue;
                        }
                    } else {
                        continue;
                    };
                    return Some(EffectRule::Copy { holder, path: inner, of: *of, key: key.into(), names, gone });
                }
                Fate::Changed => {
                    let now = Sample::object(&sample.after);
                    let follows = still.iter().any(|(_, value)| {
                        names.iter().all(|name| match (value.get(name), now.get(name)) {
                            (Some(value), Some(now)) => value.same_as(now),
                            (_, None) => true,
                            (None, _) => false,
                        })
                    });
                    if follows {
                        // What a removal does is seen in another change, or it leaves its list.
                        let gone = if path.last() == Some(&Step::Each) { Gone::Remove } else { Gone::Null };
                        return Some(EffectRule::Copy { holder, path: inner, of: *of, key: key.into(), names, gone });
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Other slots that every change of this one to nothing took along, with what they are then.
    fn with_it(&self, change: &Change, slot: &Slot) -> Vec<(Slot, Value)> {
        let together = |one: &Change, other: &Change| one.read == other.read && one.key == other.key;
        let gone = |other: &&Change| {
            other.key.0 == change.key.0
                && matches!(&other.what, Changed::Slot(held, Some(_), after) if held == slot && after.as_ref().is_none_or(Value::is_null))
        };
        let beside = self.changes.iter().filter(|other| together(change, other));
        beside
            .filter_map(|other| match &other.what {
                Changed::Slot(held, Some(_), Some(after)) if held != slot && after.is_null() => Some((held, after)),
                _ => None,
            })
            .filter(|(beside, value)| {
                self.changes.iter().filter(gone).all(|first| {
                    self.changes.iter().filter(|other| together(first, other)).any(|other| {
                        matches!(&other.what, Changed::Slot(held, _, Some(after)) if held == *beside && after.same_as(value))
                    })
                })
            })
            .map(|(slot, value)| (slot.clone(), value.clone()))
            .collect()
    }

    /// A value that names a renamed entity, by its new name since.
    pub(super) fn renamed(&self, change: &Change, slot: &Slot, before: &Value, after: &Value) -> Option<EffectRule> {
        let samples = change.writes.iter().rev().filter_map(|write| self.samples.get(write));
        for sample in samples {
            let ((of, _, old), Some(new)) = (&sample.key, &sample.renamed) else { continue };
            let follows = |before: &Value, after: &Value| {
                before.as_str() == Some(old.as_str()) && after.as_str() == Some(new.as_str())
            };
            let mut steps = vec![Step::Member(slot.key().into())];
            if !follows(before, after) {
                let (Some(before), Some(after)) = (before.as_array(), after.as_array()) else { continue };
                if before.len() != after.len()
                    || !before.iter().zip(after).any(|(before, after)| follows(before, after))
                {
                    continue;
                }
                steps.push(Step::Each);
            }
            return Some(EffectRule::Renamed { holder: change.key.0, path: MemberPath(steps), of: *of });
        }
        None
    }

    /// A value that names a removed entity.
    pub(super) fn reference(&self, change: &Change, slot: &Slot, before: &Value, after: &Value) -> Option<EffectRule> {
        let holder = change.key.0;
        let key: Box<str> = slot.key().into();
        for removal in self.removals(change) {
            let (of, _, id) = &removal.key;
            let named = |value: &Value| scalar_text(value).as_deref() == Some(id);
            if named(before) {
                let gone = if after.is_null() { Gone::Null } else { Gone::Fixed(after.clone()) };
                let path = MemberPath(vec![Step::Member(key)]);
                let also = self.with_it(change, slot);
                return Some(EffectRule::Reference { holder, path, of: *of, gone, also });
            }
            let Some(items) = before.as_array().filter(|items| items.iter().any(named)) else { continue };
            let rest: Value = items.iter().filter(|item| !named(item)).cloned().collect();
            let empty = rest.as_array().is_some_and(<[Value]>::is_empty);
            let gone = match rest.same_as(after) {
                true => Gone::Remove,
                false if empty && after.as_array().is_some() => Gone::RemoveElse(after.clone()),
                false => Gone::Fixed(after.clone()),
            };
            let path = MemberPath(vec![Step::Member(key), Step::Each]);
            return Some(EffectRule::Reference { holder, path, of: *of, gone, also: Vec::new() });
        }
        None
    }
}

/// Objects inside a value that hold an identity, with their paths.
fn objects_with<'v>(value: &'v Value, key: &str, id: &str, at: &mut Vec<Step>, into: &mut Vec<(Vec<Step>, &'v Value)>) {
    if at.len() > 5 {
        return;
    }
    match value.plain() {
        Value::Object(object) => {
            if object.get(key).and_then(scalar_text).as_deref() == Some(id) {
                into.push((at.clone(), value));
                return;
            }
            for (name, inner) in object {
                if let Some(name) = name.as_str() {
                    at.push(Step::Member(name.into()));
                    objects_with(inner, key, id, at, into);
                    at.pop();
                }
            }
        }
        Value::Array(items) => {
            at.push(Step::Each);
            for item in items {
                objects_with(item, key, id, at, into);
            }
            at.pop();
        }
        _ => {}
    }
}
