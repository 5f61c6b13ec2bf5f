//! What the recordings show of each entity from the first write on: every showing with its representation. Facts only;
//! what a write does is concluded in `write_propose.rs`.

use super::derive::Derivation;
use super::derived::Derived;
use super::identity::{Kind, home_of, identity_text, sightings};
use super::key_effect::ToolEffects;
use super::slot::{Slot, slot_of};
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An entity's key: its type, collection and identity.
pub(super) type EntityKey = (usize, String, String);

/// One showing of an entity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Showing<'a> {
    /// The call, as an index into the observed calls.
    pub seen: usize,
    /// The representation.
    pub way: usize,
    /// What was shown.
    pub value: &'a Value,
}

/// All showings after the first write, by entity and by call, in timeline order.
#[derive(Debug, Default)]
pub(super) struct History<'a> {
    /// By entity.
    pub showings: HashMap<EntityKey, Vec<Showing<'a>>>,
    /// The entities that a call shows, in its order.
    pub by_call: HashMap<usize, Vec<(EntityKey, Showing<'a>)>>,
    /// Collections of an identity, by type.
    pub homes: HashMap<(usize, String), Vec<String>>,
}

/// The values of slots: `None` is a member that is left out.
pub(super) type Shown = BTreeMap<Slot, Option<Value>>;

impl<'a> History<'a> {
    /// Gathers the showings of all types from a call on.
    pub(super) fn new(
        work: &Derivation<'a>,
        kinds: &[Kind],
        effects: &HashMap<usize, ToolEffects>,
        from: usize,
    ) -> Self {
        let mut history = Self::default();
        for (index, kind) in kinds.iter().enumerate() {
            for (path, collection) in work.derived.world.collections(index) {
                for entity in collection.iter() {
                    history.add_home(index, &entity.id, path);
                }
            }
            history.gather(work, index, kind, effects, from);
        }
        for showings in history.showings.values_mut() {
            showings.sort_by_key(|showing| (showing.seen, showing.way));
        }
        history
    }

    fn add_home(&mut self, kind: usize, id: &str, home: &str) {
        let homes = self.homes.entry((kind, id.to_owned())).or_default();
        if !homes.iter().any(|held| held == home) {
            homes.push(home.to_owned());
        }
    }

    fn add(&mut self, key: EntityKey, showing: Showing<'a>) {
        self.by_call.entry(showing.seen).or_default().push((key.clone(), showing));
        self.showings.entry(key).or_default().push(showing);
    }

    fn gather(
        &mut self,
        work: &Derivation<'a>,
        index: usize,
        kind: &Kind,
        effects: &HashMap<usize, ToolEffects>,
        from: usize,
    ) {
        let entity_type = &work.derived.types[index];
        let mut homeless = Vec::new();
        for &tool in &kind.tools {
            let template = &work.manifest.tools[tool].template;
            let mut ways: HashMap<Vec<(String, String)>, Option<usize>> = HashMap::new();
            for sighting in sightings(tool, &work.shapes[tool], work.observed) {
                if sighting.seen < from {
                    continue;
                }
                let seen = &work.observed.seen[sighting.seen];
                let Some(line) = seen.line.as_ref() else { continue };
                let variant = match effects.get(&tool) {
                    Some(effects) if effects.projects(line) => continue,
                    Some(effects) => effects.variant(line),
                    None => Vec::new(),
                };
                let way = *ways.entry(variant).or_insert_with_key(|variant| {
                    entity_type.representations.iter().copied().find(|way| {
                        let held = &work.derived.representations[*way];
                        held.tool == tool && held.variant == *variant
                    })
                });
                let Some(way) = way else { continue };
                let Some(id) = identity_text(entity_type, sighting.key, sighting.value) else { continue };
                let showing = Showing { seen: sighting.seen, way, value: sighting.value };
                match home_of(entity_type, seen, template, sighting.value) {
                    Some(home) => {
                        self.add_home(index, &id, &home);
                        self.add((index, home, id), showing);
                    }
                    None => homeless.push((id, showing)),
                }
            }
        }
        for (id, showing) in homeless {
            if let Some([home]) = self.homes.get(&(index, id.clone())).map(Vec::as_slice) {
                let key = (index, home.clone(), id);
                self.add(key, showing);
            }
        }
    }

    /// Types of which one answer shows two entities with the same identity and other values: what becomes of one is not
    /// told from what becomes of the other.
    pub(super) fn ambiguous(&self) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for shown in self.by_call.values() {
            let mut first: HashMap<(&EntityKey, usize), &Value> = HashMap::new();
            for (key, showing) in shown {
                let held = *first.entry((key, showing.way)).or_insert(showing.value);
                if !held.same_as(showing.value) {
                    found.insert(key.0);
                }
            }
        }
        found
    }

    /// The showings of an entity.
    pub(super) fn of(&self, key: &EntityKey) -> &[Showing<'a>] {
        self.showings.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// What reads first show of a member of an entity after a call and before another, where there is one.
    pub(super) fn shown_between<'h>(
        &'h self,
        derived: &Derived,
        key: &EntityKey,
        name: &str,
        (from, next): (usize, Option<usize>),
    ) -> Option<&'h Value> {
        self.of(key).iter().find_map(|showing| {
            let between = showing.seen > from && next.is_none_or(|next| showing.seen < next);
            let way = derived.representations.get(showing.way).filter(|_| between)?;
            way.members.iter().find(|member| *member.name == *name)?;
            showing.value.get(name)
        })
    }
}

/// Adds what a showing says to slots that are not said yet.
pub(super) fn add_showing(work: &Derivation<'_>, showing: &Showing<'_>, into: &mut Shown) {
    let Some(way) = work.derived.representations.get(showing.way) else { return };
    for member in &way.members {
        if let Some(slot) = slot_of(&work.derived, showing.way, &member.name) {
            into.entry(slot).or_insert_with(|| showing.value.get(&member.name).cloned());
        }
    }
}
