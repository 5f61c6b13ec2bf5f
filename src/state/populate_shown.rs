//! Entities that only lists of another read show: a type that nothing lists has its entities from item reads, and those of
//! them that a list elsewhere (the notes under an article) shows whole are held, too. Nothing here knows of writes.

use super::derive::{Derivation, trimmed};
use super::identity::Kind;
use super::line::scalar_text;
use super::memo::Memo;
use super::observe::is_read;
use super::store::Entity;
use super::types::{Member, Shape};
use crate::capture::is_success;
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Held entities that a list must show as they are at the least.
const MIN_AGREEING: usize = 2;
/// How deep in an answer a list is looked for.
const MAX_DEPTH: usize = 3;

/// The lists of one place of a tool's answers: items, each with the ordinal of its record.
type Listed<'a> = BTreeMap<(usize, String), Vec<(&'a Value, usize)>>;

impl Derivation<'_> {
    /// Holds what lists elsewhere show of types that have no list.
    pub(super) fn hold_shown(&mut self, kinds: &[Kind]) {
        for (index, kind) in kinds.iter().enumerate() {
            let home = &self.derived.types[index].template.segments;
            let lists = |tool: &usize| {
                matches!(self.shapes[*tool], Shape::List { .. })
                    && trimmed(&self.manifest.tools[*tool]) == home.as_slice()
            };
            if kind.tools.iter().any(lists) {
                continue;
            }
            for entity in self.shown_elsewhere(index, kind) {
                self.derived.world.set_entity(index, entity);
            }
        }
    }

    fn shown_elsewhere(&self, index: usize, kind: &Kind) -> Vec<Entity> {
        let entity_type = &self.derived.types[index];
        let homes: Vec<&str> = self.derived.world.collections(index).map(|(path, _)| path).collect();
        let [home] = homes[..] else { return Vec::new() };
        let ways = || {
            entity_type.representations.iter().filter_map(|way| Some((way, self.derived.representations.get(*way)?)))
        };
        let item = |tool: usize| matches!(self.shapes[tool], Shape::Item { .. });
        let Some((way, shown)) = ways().find(|(_, shown)| item(shown.tool) && shown.variant.is_empty()) else {
            return Vec::new();
        };
        let names: BTreeSet<&str> = shown.members.iter().map(|member| member.name.as_ref()).collect();
        let mut lists: Listed<'_> = BTreeMap::new();
        for seen in &self.observed.seen {
            let early = seen.time < self.first_change && is_success(seen.status);
            if early
                && is_read(&self.manifest.tools[seen.tool])
                && !kind.tools.contains(&seen.tool)
                && let Some(body) = seen.body.as_deref()
            {
                collect(body, (seen.tool, String::new()), seen.ordinal, &names, MAX_DEPTH, &mut lists);
            }
        }
        let held = |id: &str| self.derived.world.collection(index, home).and_then(|held| held.get(id));
        // What is shown in several ways may be any of them.
        let mut new: BTreeMap<String, Option<Entity>> = BTreeMap::new();
        for items in lists.values() {
            let mut agreeing: BTreeSet<String> = BTreeSet::new();
            let mut others: Vec<(String, &Value, usize)> = Vec::new();
            let agrees = items.iter().all(|(item, ordinal)| {
                let Some(id) = entity_type.identity.direct(item).and_then(scalar_text) else { return false };
                match held(&id) {
                    Some(entity) => {
                        agreeing.insert(id);
                        shown.members.iter().all(|member| {
                            let shown = item.get(&member.name);
                            value_of(entity, member).is_some_and(|held| shown.is_some_and(|shown| shown.same_as(held)))
                        })
                    }
                    None => {
                        others.push((id, item, *ordinal));
                        true
                    }
                }
            });
            if agrees && agreeing.len() >= MIN_AGREEING {
                for (id, item, ordinal) in others {
                    let made = entity_of(item, &shown.members, (home, &id), *way, ordinal);
                    let first = new.entry(id).or_insert_with(|| Some(made.clone()));
                    if first.as_ref().is_some_and(|first| !first.same_values(&made)) {
                        *first = None;
                    }
                }
            }
        }
        new.into_values().flatten().collect()
    }
}

/// Lists of objects that have just these members, down an answer.
fn collect<'a>(
    value: &'a Value,
    (tool, place): (usize, String),
    ordinal: usize,
    names: &BTreeSet<&str>,
    deep: usize,
    into: &mut Listed<'a>,
) {
    if deep == 0 {
        return;
    }
    if let Some(items) = value.as_array() {
        let whole = |item: &Value| {
            item.as_object()
                .is_some_and(|item| item.len() == names.len() && names.iter().all(|name| item.contains(name)))
        };
        if !items.is_empty() && items.iter().all(whole) {
            into.entry((tool, place)).or_default().extend(items.iter().map(|item| (item, ordinal)));
        } else {
            items.iter().for_each(|item| collect(item, (tool, format!("{place}/*")), ordinal, names, deep, into));
        }
        return;
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        if let Some(name) = name.as_str().filter(|_| value.as_array().is_some() || value.as_object().is_some()) {
            collect(value, (tool, format!("{place}/{name}")), ordinal, names, deep - 1, into);
        }
    }
}

fn value_of<'e>(entity: &'e Entity, member: &Member) -> Option<&'e Value> {
    entity.held((!member.stored).then_some(member.source), &member.name)
}

/// An entity as a list shows it.
fn entity_of(item: &Value, members: &[Member], (home, id): (&str, &str), way: usize, ordinal: usize) -> Entity {
    let mut fields = Object::new();
    let mut view_fields: BTreeMap<usize, Object> = BTreeMap::new();
    for member in members {
        let Some(value) = item.get(&member.name) else { continue };
        let into = if member.stored { &mut fields } else { view_fields.entry(member.source).or_default() };
        into.push(member.name.as_ref(), value.clone().into_shared());
    }
    Entity {
        collection: home.into(),
        id: id.into(),
        fields: Arc::new(Value::Object(fields)),
        view_fields: view_fields.into_iter().map(|(way, fields)| (way, Arc::new(fields))).collect(),
        shown_in: Arc::new([way]),
        record_ordinals: Arc::new([ordinal]),
        made: false,
        memo: Memo::default(),
    }
}
