//! Slots: the values that an entity holds. A stored field is one slot for every representation that shows it; a member
//! that one representation shows its own way is a slot of that representation.

use super::derived::Derived;
use super::memo::Memo;
use super::store::Entity;
use super::types::MemberRule;
use crate::json::{Object, Value};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Where an entity holds one value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The member.
    pub name: Box<str>,
    /// The representation whose own value it is; `None` for a stored field.
    pub source: Option<usize>,
}

impl Slot {
    /// The name in a merged object ([`merged`]): the member's, for a view's own value with the view behind it.
    pub fn key(&self) -> String {
        match self.source {
            None => self.name.to_string(),
            Some(way) => format!("{}\u{0}{way}", self.name),
        }
    }
}

/// What a write leaves in a slot.
#[derive(Clone, Debug, PartialEq)]
pub enum Left {
    /// A value.
    Value(Value),
    /// The entity has no such member.
    Absent,
    /// Nothing that the capture proves.
    Unknown,
}

/// The slots of a type: those of its representations in their order, each once.
pub fn slots_of(derived: &Derived, kind: usize) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    let Some(entity_type) = derived.types.get(kind) else { return slots };
    let mut known: HashSet<(&str, Option<usize>)> = HashSet::new();
    for way in &entity_type.representations {
        for member in derived.representations.get(*way).into_iter().flat_map(|way| &way.members) {
            let source = (!member.stored).then_some(member.source);
            if known.insert((&member.name, source)) {
                slots.push(Slot { name: member.name.clone(), source });
            }
        }
    }
    slots
}

/// The slot of a member of a representation.
pub fn slot_of(derived: &Derived, way: usize, name: &str) -> Option<Slot> {
    let members = &derived.representations.get(way)?.members;
    let member = members.iter().find(|member| member.name.as_ref() == name)?;
    Some(Slot { name: member.name.clone(), source: (!member.stored).then_some(member.source) })
}

/// All values of an entity as one object, by [`Slot::key`].
pub fn merged(entity: &Entity) -> Value {
    entity.merged(|| {
        if entity.view_fields.is_empty() {
            return None;
        }
        let mut all: Object = entity.fields.as_object().cloned().unwrap_or_default();
        for (way, fields) in &entity.view_fields {
            for (name, value) in fields.iter() {
                if let Some(name) = name.as_str() {
                    all.push(format!("{name}\u{0}{way}"), value.clone());
                }
            }
        }
        Some(Value::Object(all))
    })
}

/// An entity of a type with what a write leaves in its slots; slots that are not named keep what `before` has.
pub fn entity_with(
    derived: &Derived,
    kind: usize,
    (collection, id): (Arc<str>, Arc<str>),
    before: Option<&Entity>,
    slots: Vec<(Slot, Left)>,
) -> Entity {
    let mut fields: Object = before.and_then(|held| held.fields.as_object().cloned()).unwrap_or_default();
    let mut views: BTreeMap<usize, Object> = before
        .map(|held| held.view_fields.iter().map(|(way, fields)| (*way, fields.as_ref().clone())).collect())
        .unwrap_or_default();
    let mut unknown: Vec<Slot> = Vec::new();
    for (slot, left) in slots {
        let into = match slot.source {
            None => &mut fields,
            Some(way) => views.entry(way).or_default(),
        };
        match left {
            Left::Value(value) => {
                into.set(slot.name.as_ref(), value.into_shared());
            }
            Left::Absent => {
                into.remove(&slot.name);
            }
            Left::Unknown => {
                into.remove(&slot.name);
                unknown.push(slot);
            }
        }
    }
    let ways = derived.types.get(kind).map(|kind| kind.representations.as_slice()).unwrap_or_default();
    let knows = |way: usize| {
        derived.representations.get(way).is_some_and(|held| {
            !held.members.iter().any(|member| {
                unknown
                    .iter()
                    .any(|slot| slot.name == member.name && slot.source == (!member.stored).then_some(member.source))
            })
        })
    };
    let late = |slot: &Slot| {
        let members = ways.iter().filter_map(|way| derived.representations.get(*way)).flat_map(|way| &way.members);
        let mut late = members.filter(|member| matches!(member.rule, Some(MemberRule::LeftOut)));
        late.any(|member| slot.name == member.name && slot.source == (!member.stored).then_some(member.source))
    };
    let shown_in: Arc<[usize]> = match before {
        None => ways.iter().copied().filter(|way| knows(*way)).collect(),
        Some(held) if unknown.is_empty() => Arc::clone(&held.shown_in),
        // What is left out unless a write puts it there may be there now: then nothing is known to be left out.
        Some(_) if unknown.iter().any(late) => Arc::from([]),
        Some(held) => held.shown_in.iter().copied().filter(|way| knows(*way)).collect(),
    };
    Entity {
        collection,
        id,
        fields: Arc::new(Value::Object(fields)),
        view_fields: views
            .into_iter()
            .filter(|(_, fields)| !fields.is_empty())
            .map(|(way, fields)| (way, Arc::new(fields)))
            .collect(),
        shown_in,
        record_ordinals: before.map_or_else(|| Arc::from([]), |held| Arc::clone(&held.record_ordinals)),
        made: before.is_none_or(|held| held.made),
        memo: Memo::default(),
    }
}
