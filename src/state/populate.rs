//! The world at the start: the entities that the recordings show, under their types, in state order.

use super::derive::{Derivation, trimmed};
use super::entity::listed_at;
use super::identity::{Kind, home_of, identity_text};
use super::key_effect::ToolEffects;
use super::line::Line;
use super::memo::Memo;
use super::representation::{Gathered, Ground, Population, gather};
use super::showing_rule::made_members;
use super::store::Entity;
use super::types::Shape;
use crate::capture::is_success;
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

impl Derivation<'_> {
    /// Gathers the entities of every type into the world; what parameters do to each tool's entities.
    pub(super) fn populate(&mut self, kinds: &[Kind]) -> HashMap<usize, ToolEffects> {
        let mut effects = HashMap::new();
        let addressed = self.addressed_by_writes();
        for (index, kind) in kinds.iter().enumerate() {
            let ground = Ground { manifest: self.manifest, shapes: self.shapes, observed: self.observed };
            let population = gather(&ground, kind, index, (self.touched[index], self.first_change), &addressed);
            let order = state_order(self, &population);
            self.hold(index, &population, order);
            effects.extend(population.effects);
        }
        effects
    }

    /// Decoded path parameters of every 2xx write: identities that a write may have changed.
    fn addressed_by_writes(&self) -> BTreeSet<String> {
        self.observed
            .seen
            .iter()
            .filter(|seen| seen.wrote(self.manifest))
            .flat_map(|seen| seen.parameters.iter().cloned())
            .collect()
    }

    /// Puts a type, its representations and its entities into the state; members name their source among the
    /// representations of all types from here on.
    fn hold(&mut self, index: usize, population: &Population<'_>, order: Vec<(String, String)>) {
        let offset = self.derived.representations.len();
        let mut entity_type = population.entity_type.clone();
        entity_type.made = made_members(population);
        entity_type.representations = (offset..offset + population.representations.len()).collect();
        for mut way in population.representations.clone() {
            for member in &mut way.members {
                member.source += offset;
            }
            self.derived.representations.push(way);
        }
        for seen in self.observed.seen.iter().filter(|seen| is_success(seen.status)) {
            // Collections that were read are known, even when they were empty.
            if matches!(self.shapes[seen.tool], Shape::List { .. })
                && population.tools.contains(&seen.tool)
                && trimmed(&self.manifest.tools[seen.tool]) == entity_type.template.segments.as_slice()
            {
                self.derived.world.ensure_collection(index, &seen.path);
            }
        }
        for tool in &population.tools {
            let segments = trimmed(&self.manifest.tools[*tool]);
            let home = &entity_type.template.segments;
            if matches!(self.shapes[*tool], Shape::Item { .. })
                && segments.len() == home.len() + 1
                && segments[..home.len()] == home[..]
            {
                self.derived.home_items.insert((*tool, index));
            }
        }
        self.derived.types.push(entity_type);
        for key in order {
            if let Some(gathered) = population.entities.get(&key) {
                let entity = build_entity(population, gathered, offset);
                self.derived.world.set_entity(index, entity);
            }
        }
    }
}

/// Entities in state order: the longest list without a filter gives it, entities it leaves out follow as they were first
/// seen.
fn state_order(work: &Derivation<'_>, population: &Population<'_>) -> Vec<(String, String)> {
    let kind = &population.entity_type;
    let known: HashMap<&str, Vec<&(String, String)>> =
        population.entities.keys().fold(HashMap::new(), |mut map, key| {
            map.entry(key.1.as_str()).or_default().push(key);
            map
        });
    let mut by_path: BTreeMap<(bool, String), Vec<(String, String)>> = BTreeMap::new();
    for &tool in &population.tools {
        let Shape::List { place, keyed } = &work.shapes[tool] else { continue };
        for seen in work.observed.of_tool(tool).filter(|seen| is_success(seen.status)) {
            let Some(body) = seen.body.as_deref() else { continue };
            let bare = seen.line.as_ref().is_some_and(Line::is_bare);
            let mut listed = Vec::new();
            for (key, value) in listed_at(body, place, *keyed) {
                let Some(id) = identity_text(kind, key, value) else { continue };
                let home = home_of(kind, seen, &work.manifest.tools[tool].template, value);
                let found = known.get(id.as_str()).and_then(|keys| match &home {
                    Some(home) => keys.iter().find(|key| key.0 == *home),
                    None => keys.first(),
                });
                if let Some(key) = found {
                    listed.push((*key).clone());
                }
            }
            let held = by_path.entry((!bare, seen.path.clone())).or_default();
            if listed.len() > held.len() && (held.is_empty() || seen.time < work.first_change) {
                *held = listed;
            }
        }
    }
    // The list that shows most comes first: it tells of more places than the lists of parts.
    let mut lists: Vec<_> = by_path.into_iter().collect();
    lists.sort_by_key(|((asked, _), listed)| (*asked, usize::MAX - listed.len()));
    let mut placed: HashSet<(String, String)> = HashSet::new();
    let mut order: Vec<(String, String)> = Vec::new();
    for (_, listed) in lists {
        for key in listed {
            if placed.insert(key.clone()) {
                order.push(key);
            }
        }
    }
    let mut rest: Vec<(&(String, String), &Gathered<'_>)> =
        population.entities.iter().filter(|(key, _)| !placed.contains(key)).collect();
    rest.sort_by_key(|(_, gathered)| gathered.first);
    order.extend(rest.into_iter().map(|(key, _)| key.clone()));
    order
}

/// An entity from what was shown of it: members that all representations share once, others with theirs.
fn build_entity(population: &Population<'_>, gathered: &Gathered<'_>, offset: usize) -> Entity {
    let mut fields = Object::new();
    let mut view_fields: BTreeMap<usize, Object> = BTreeMap::new();
    let showings = gathered.shown.iter().map(|(way, shown)| (*way, *shown)).chain(gathered.partial.iter().copied());
    for (way, shown) in showings {
        let Some(representation) = population.representations.get(way) else { continue };
        for (at, (name, value)) in shown.as_object().into_iter().flatten().enumerate() {
            let Some(name) = name.as_str() else { continue };
            // Most entities show every member, in one order.
            let near = representation.members.get(at).filter(|member| member.name.as_ref() == name);
            let named = || representation.members.iter().find(|member| member.name.as_ref() == name);
            let Some(member) = near.or_else(named) else { continue };
            let into = if member.stored { &mut fields } else { view_fields.entry(member.source + offset).or_default() };
            if !into.contains(name) {
                into.push(name, value.clone().into_shared());
            }
        }
    }
    Entity {
        collection: gathered.collection.as_str().into(),
        id: gathered.id.as_str().into(),
        fields: Arc::new(Value::Object(fields)),
        view_fields: view_fields.into_iter().map(|(way, fields)| (way, Arc::new(fields))).collect(),
        shown_in: gathered.shown.keys().map(|way| way + offset).collect(),
        record_ordinals: gathered.ordinals.iter().copied().collect(),
        made: false,
        memo: Memo::default(),
    }
}
