//! An entity as one representation shows it: what it holds, and for members that this representation never showed of it
//! what their rules say. Knows nothing of calls, lists or writes.

use super::derived::Derived;
use super::member_rule::MemberExpr;
use super::memo::Shown;
use super::path::MemberPath;
use super::slot::{Slot, merged};
use super::sorted_array::sorted_texts;
use super::store::Entity;
use super::text_rule::make_text;
use super::types::{Member, MemberRule, Representation};
use crate::json::{Object, Value};

/// Names of selected members, and those that are always shown.
pub(super) type Projection = (Vec<String>, Vec<Box<str>>);

/// An entity as a representation shows it, or the selected members of it. The whole is worked out and printed once for
/// each entity.
///
/// # Errors
/// `incomplete-entity` when a member was never shown for the entity and no rule proves it.
pub(super) fn render_entity(derived: &Derived, entity: &Entity, way: usize, only: Option<&Projection>) -> Shown {
    let representation = derived.representations.get(way).ok_or("no-view")?;
    let make = || make_entity(derived, entity, representation, only);
    let of_type = derived.types.get(representation.entity_type).map(|held| held.representations.as_slice());
    match of_type.unwrap_or_default() {
        // A type's representations follow each other.
        all @ [first, ..] if only.is_none() && way >= *first => entity.shown(way - first, all.len(), make),
        _ => make(),
    }
}

fn make_entity(derived: &Derived, entity: &Entity, way: &Representation, only: Option<&Projection>) -> Shown {
    let mut object = Object::new();
    let selected = |name: &str| {
        only.is_none_or(|(names, always)| {
            names.iter().any(|held| held == name) || always.iter().any(|held| held.as_ref() == name)
        })
    };
    for member in way.members.iter().filter(|member| selected(&member.name)) {
        if let Some(value) = member_value(derived, entity, way.entity_type, member)? {
            object.push(member.name.as_ref(), value);
        }
    }
    Ok(Value::Object(object))
}

/// What a representation shows at one member of an entity; `None` where it leaves it out.
fn member_value(
    derived: &Derived,
    entity: &Entity,
    kind: usize,
    member: &Member,
) -> Result<Option<Value>, &'static str> {
    let held = entity.held((!member.stored).then_some(member.source), &member.name);
    if let Some(value) = held {
        let shown = if member.sorted { sorted_texts(value) } else { None };
        return Ok(Some(shown.unwrap_or_else(|| value.clone())));
    }
    if derived.shown_without(entity, kind, &member.name, member.source) {
        return Ok(None);
    }
    let rule = member.rule.as_ref().ok_or("incomplete-entity")?;
    if matches!(rule, MemberRule::LeftOut) {
        return if entity.shown_in.is_empty() { Err("incomplete-entity") } else { Ok(None) };
    }
    rule.value(&member.name, entity.whole()).map(Some).ok_or("incomplete-entity")
}

impl MemberRule {
    /// The value that the rule makes of an entity's other values; `None` where it makes none.
    pub(super) fn value(&self, name: &str, whole: &Value) -> Option<Value> {
        match self {
            Self::Constant(value) => Some(value.clone()),
            Self::LeftOut => None,
            Self::Words(words) => {
                let held = whole.get(name)?;
                words.iter().find(|(from, _)| from.same_as(held)).map(|(_, to)| to.clone())
            }
            Self::Clock(format) => match whole.get(name)? {
                held if held.is_null() => Some(Value::Null),
                held => format.respell(held),
            },
            Self::Copy(path) => path.direct(whole).cloned(),
            Self::Parts(names) => parts_of(whole.get(name)?, names),
            Self::Text(pieces) => make_text(pieces, whole).map(Value::from),
        }
    }

    /// The rule as one of a write: a member that is always made of others is so after a write, too. `None` for rules that
    /// say nothing of other members, or that no write has.
    pub(super) fn after_write(&self, name: &str) -> Option<MemberExpr> {
        match self {
            Self::Words(words) => {
                let words = words.iter().map(|(from, to)| (from.clone(), MemberExpr::Fixed(to.clone())));
                Some(MemberExpr::Switch(MemberPath::member(name), words.collect()))
            }
            Self::Copy(path) => Some(MemberExpr::After(path.clone())),
            Self::Text(pieces) => Some(MemberExpr::Text(pieces.clone())),
            Self::Parts(names) => Some(MemberExpr::Parts(MemberPath::member(name), names.clone())),
            Self::Constant(_) | Self::LeftOut | Self::Clock(_) => None,
        }
    }
}

/// The items of a list with some of their members, in the order of the names; `None` where an item lacks one.
pub(super) fn parts_of(list: &Value, names: &[Box<str>]) -> Option<Value> {
    let part = |item: &Value| -> Option<Value> {
        let members = names.iter().map(|name| Some((name.as_ref().into(), item.get(name)?.clone())));
        Some(Value::Object(members.collect::<Option<Object>>()?))
    };
    list.as_array()?.iter().map(part).collect()
}

/// All values of an entity as one object, by [`Slot::key`], with those that no read showed of it but rules prove: what a
/// write answers of an entity is what a read would show.
pub(super) fn merged_and_proven(derived: &Derived, entity: &Entity, kind: usize) -> Value {
    let mut all = merged(entity);
    let ways = derived.types.get(kind).map(|held| held.representations.as_slice()).unwrap_or_default();
    for way in ways.iter().filter(|way| !entity.shown_in.contains(way)) {
        for member in derived.representations.get(*way).into_iter().flat_map(|way| &way.members) {
            let key = Slot { name: member.name.clone(), source: (!member.stored).then_some(member.source) }.key();
            if all.get(&key).is_none()
                && let Ok(Some(value)) = member_value(derived, entity, kind, member)
                && let Some(object) = all.as_object_mut()
            {
                object.push(key, value);
            }
        }
    }
    all
}
