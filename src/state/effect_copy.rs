//! Copies and references in other entities: values inside of their members that name an entity, refreshed, replaced or taken
//! away with it. Knows nothing of why an entity changed.

use super::derived::Derived;
use super::effect::{Done, EffectRule, Gone, put, slot_of_key};
use super::line::scalar_text;
use super::path::{MemberPath, Step};
use super::slot::{Left, Slot};
use super::store::{Entity, World};
use crate::json::{Object, Value};
use std::sync::Arc;

/// Copies of an entity's members in others, kept up with it; where it goes, they are what `gone` says.
pub(super) fn copy(
    derived: &Derived,
    world: &mut World,
    (holder, path): (usize, &MemberPath),
    (key, names): (&str, &[Box<str>]),
    gone: &Gone,
    done: &Done<'_>,
) {
    let Some(before) = done.before else { return };
    let id = before.id.to_string();
    let named = |value: &Value| value.get(key).and_then(scalar_text).as_deref() == Some(&id);
    match done.after {
        Some(after) => {
            let fields = Arc::clone(&after.fields);
            let refreshed = |value: &Value| -> Option<Value> {
                let mut object: Object = value.as_object()?.clone();
                if after.id != before.id {
                    rename_in(&mut object, (&id, &after.id));
                }
                for name in names {
                    if let Some(held) = fields.get(name) {
                        object.set(name.as_ref(), held.clone());
                    }
                }
                Some(Value::Object(object))
            };
            replace_in(derived, world, (holder, path), &named, &refreshed, &Gone::Keep, &[]);
        }
        None => {
            replace_in(derived, world, (holder, path), &named, &|_| None, gone, &[]);
        }
    }
}

/// Calls a renamed entity by its new name wherever a copy of it has the old one.
fn rename_in(object: &mut Object, (old, new): (&str, &str)) {
    let named = object.iter().filter(|(_, value)| value.as_str() == Some(old));
    let names: Vec<String> = named.filter_map(|(name, _)| name.as_str().map(str::to_owned)).collect();
    for name in names {
        object.set(name.as_str(), Value::from(new));
    }
}

/// Goes through the values at a path of all holders and replaces those that are named; `None` leaves them to `gone`. The
/// holders that it changed, as they were.
pub(super) fn replace_in(
    derived: &Derived,
    world: &mut World,
    (holder, path): (usize, &MemberPath),
    named: &dyn Fn(&Value) -> bool,
    by: &dyn Fn(&Value) -> Option<Value>,
    gone: &Gone,
    also: &[(Slot, Value)],
) -> Vec<Arc<Entity>> {
    let Some(Step::Member(key)) = path.0.first() else { return Vec::new() };
    let Some(slot) = slot_of_key(key) else { return Vec::new() };
    let mut changed: Vec<(Arc<Entity>, Value)> = Vec::new();
    for (_, collection) in world.collections(holder) {
        for entity in collection.iter() {
            let Some(value) = entity.held(slot.source, &slot.name) else { continue };
            if let Some(Replaced::Value(new) | Replaced::Whole(new)) = replaced(value, &path.0[1..], named, by, gone) {
                changed.push((Arc::clone(entity), new));
            }
        }
    }
    for (entity, value) in &changed {
        let mut slots = vec![(slot.clone(), Left::Value(value.clone()))];
        slots.extend(also.iter().map(|(slot, value)| (slot.clone(), Left::Value(value.clone()))));
        slots.extend(firsts(derived, holder, &slots[0]));
        put(derived, world, holder, entity, slots);
    }
    changed.into_iter().map(|(entity, _)| entity).collect()
}

/// The slots that show the first item of a list, where the list changes.
fn firsts(derived: &Derived, kind: usize, (slot, left): &(Slot, Left)) -> Vec<(Slot, Left)> {
    let rules = derived.effects.iter().filter_map(|rule| match rule {
        EffectRule::First { holder, slot: first, list } if *holder == kind && list == slot => Some(first),
        _ => None,
    });
    let Left::Value(list) = left else { return Vec::new() };
    let item = list.as_array().and_then(<[Value]>::first).cloned().unwrap_or_default();
    rules.map(|slot| (slot.clone(), Left::Value(item.clone()))).collect()
}

enum Replaced {
    Value(Value),
    /// The whole slot's value.
    Whole(Value),
}

fn replaced(
    value: &Value,
    steps: &[Step],
    named: &dyn Fn(&Value) -> bool,
    by: &dyn Fn(&Value) -> Option<Value>,
    gone: &Gone,
) -> Option<Replaced> {
    match steps.split_first() {
        None => {
            if !named(value) {
                return None;
            }
            match (by(value), gone) {
                (Some(new), _) => (!new.same_as(value)).then_some(Replaced::Value(new)),
                (None, Gone::Keep) => None,
                (None, Gone::Remove | Gone::RemoveElse(_) | Gone::Null) => Some(Replaced::Value(Value::Null)),
                (None, Gone::Fixed(whole)) => Some(Replaced::Whole(whole.clone())),
            }
        }
        Some((Step::Member(name), rest)) => {
            let found = replaced(value.get(name)?, rest, named, by, gone)?;
            match found {
                Replaced::Whole(_) => Some(found),
                Replaced::Value(inner) => {
                    let mut object = value.as_object()?.clone();
                    object.set(name.as_ref(), inner);
                    Some(Replaced::Value(Value::Object(object)))
                }
            }
        }
        Some((Step::Pick(_), _)) => None,
        Some((Step::Each, rest)) => {
            let items = value.as_array()?;
            let mut any = false;
            let mut list = Vec::with_capacity(items.len());
            for item in items {
                match replaced(item, rest, named, by, gone) {
                    None => list.push(item.clone()),
                    Some(Replaced::Whole(new)) => return Some(Replaced::Whole(new)),
                    Some(Replaced::Value(new)) => {
                        any = true;
                        if !(new.is_null() && matches!(gone, Gone::Remove | Gone::RemoveElse(_))) {
                            list.push(new);
                        }
                    }
                }
            }
            any.then(|| match gone {
                Gone::RemoveElse(otherwise) if list.is_empty() => Replaced::Value(otherwise.clone()),
                _ => Replaced::Value(Value::Array(list)),
            })
        }
    }
}
