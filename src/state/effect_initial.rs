//! What is not initial: entities that reads showed before any write touched their type, but that name an entity that an
//! earlier write had created, or that an earlier write named. They came with it, or after it.

use super::derive::Derivation;
use super::effect_companion::made_for;
use super::effect_named::names_listed;
use super::effect_relation::{Relation, may_name, named_ids};
use super::member_fit_named::NAMING;
use super::observe::Seen;
use super::path::{MemberPath, scalar_paths};
use super::slot::merged;
use super::store::Entity;
use super::types::View;
use super::write_sample::{Fate, Sample};
use super::write_truth::Truth;
use crate::capture::is_success;
use crate::manifest::Segment;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Named entities that a relation is proved by, at the least.
const MIN_NAMED: usize = 2;

/// An identity that did not exist at the start.
struct Since {
    /// The collection that it is in.
    home: String,
    /// The record of the write that gave it.
    ordinal: usize,
    /// Whether what has it had another one before.
    renamed: bool,
}

impl Derivation<'_> {
    /// Takes entities out of the initial world that came with what a write created; whether there were any. What showed
    /// them is no evidence of the beginning then: their types count as changed from that create on.
    pub(super) fn drop_followers(&mut self, truth: &Truth<'_>) -> bool {
        // Identities that did not exist at the start, with the ordinal of their create.
        let mut created: BTreeMap<usize, BTreeMap<String, Vec<Since>>> = BTreeMap::new();
        for sample in truth.samples.values().flatten() {
            let (kind, home, id) = &sample.key;
            let new_name = sample.renamed.as_ref().filter(|name| !self.derived.world.named(*kind, name).any(|_| true));
            let Some(name) = new_name.or_else(|| is_new(self, sample).then_some(id)) else { continue };
            let homes = created.entry(*kind).or_default().entry(name.clone()).or_default();
            if !homes.iter().any(|since| since.home == *home) {
                let (ordinal, renamed) = (sample.call.ordinal, sample.renamed.is_some());
                homes.push(Since { home: home.clone(), ordinal, renamed });
            }
        }
        let mut gone: Vec<(usize, Arc<Entity>)> = Vec::new();
        let mut since: BTreeMap<usize, usize> = BTreeMap::new();
        for kind in 0..self.derived.types.len() {
            for (parent, ordinals) in &created {
                if *parent == kind {
                    continue;
                }
                for by in self.ways_to_name(kind, *parent, 2) {
                    let entities = self.derived.world.collections(kind).flat_map(|(_, held)| held.iter());
                    for entity in entities {
                        let first = entity.record_ordinals.iter().min();
                        let named = named_ids(&by, entity);
                        let homes = named.iter().filter_map(|id| ordinals.get(id)).flatten();
                        let child = (kind, entity.collection.as_ref());
                        // What names an entity by a member was there before that had its new name; what lies under it
                        // lay elsewhere.
                        let mut made = homes
                            .filter(|since| !since.renamed || matches!(by, Relation::Segment(_)))
                            .filter(|since| may_name(&self.derived, &by, child, (*parent, &since.home)))
                            .map(|since| since.ordinal);
                        if let Some(made) = made.find(|made| first.is_some_and(|first| first > made)) {
                            gone.push((kind, Arc::clone(entity)));
                            let earliest = since.entry(kind).or_insert(made);
                            *earliest = (*earliest).min(made);
                        }
                    }
                }
            }
        }
        for (kind, entity, made) in self.named_since(truth).into_iter().chain(self.made_beside(truth)) {
            gone.push((kind, entity));
            let earliest = since.entry(kind).or_insert(made);
            *earliest = (*earliest).min(made);
        }
        let mut emptied: BTreeSet<(usize, Arc<str>)> = BTreeSet::new();
        let any = !gone.is_empty();
        for (kind, entity) in gone {
            self.derived.world.drop_entity(kind, &entity.collection, &entity.id);
            emptied.insert((kind, Arc::clone(&entity.collection)));
        }
        for (kind, path) in emptied {
            let held = self.derived.world.collection(kind, &path);
            if held.is_some_and(super::population::Collection::is_empty) {
                // There was no such collection at the start: it is not known to be empty.
                self.derived.complete_paths.remove(&(kind, path.to_string()));
                for view in &mut self.derived.views {
                    if let View::List(view) = view
                        && view.entity_type == kind
                        && let Some(complete) = &mut view.complete
                    {
                        complete.retain(|held| !held.starts_with(path.as_ref()));
                    }
                }
            }
        }
        for (kind, ordinal) in since {
            self.changed_since(kind, ordinal);
        }
        any
    }

    /// Entities that a write named before any read showed them, though the read that does was asked before it, too: the
    /// write made them. Each with the ordinal of that write.
    fn named_since(&self, truth: &Truth<'_>) -> Vec<(usize, Arc<Entity>, usize)> {
        let mut named: HashMap<&str, usize> = HashMap::new();
        for sample in truth.samples.values().flatten() {
            for name in names_listed(&sample.sent) {
                let first = named.entry(name).or_insert(sample.call.ordinal);
                *first = (*first).min(sample.call.ordinal);
            }
        }
        let mut found = Vec::new();
        for kind in (0..self.derived.types.len()).filter(|_| !named.is_empty()) {
            for entity in self.derived.world.collections(kind).flat_map(|(_, held)| held.iter()) {
                let names = NAMING.into_iter().filter_map(|by| entity.fields.get(by)?.as_str());
                let Some(made) = names.filter_map(|name| named.get(name).copied()).min() else { continue };
                if self.only_since(entity, made) {
                    found.push((kind, Arc::clone(entity), made));
                }
            }
        }
        found
    }

    /// Entities that a create shows by an identity that was made at random, before any read showed them: it made them, too.
    fn made_beside(&self, truth: &Truth<'_>) -> Vec<(usize, Arc<Entity>, usize)> {
        let mut found = Vec::new();
        for sample in truth.samples.values().flatten().filter(|sample| sample.fate == Fate::Created) {
            let made = sample.call.ordinal;
            for id in made_for(sample) {
                for kind in (0..self.derived.types.len()).filter(|kind| *kind != sample.key.0) {
                    let named = self.derived.world.named(kind, &id).filter(|entity| self.only_since(entity, made));
                    found.extend(named.map(|entity| (kind, Arc::clone(entity), made)));
                }
            }
        }
        found
    }

    /// Whether an entity is shown after a record only, though a read that shows it was asked before that record, too.
    fn only_since(&self, entity: &Entity, made: usize) -> bool {
        let shown = || {
            let ordinals = entity.record_ordinals.iter();
            ordinals.filter_map(|ordinal| self.observed.seen.iter().find(|seen| seen.ordinal == *ordinal))
        };
        let same = |seen: &Seen, other: &Seen| seen.path == other.path && seen.query == other.query;
        let asked_before = |seen: &Seen| {
            let mut calls = self.observed.of_tool(seen.tool);
            calls.any(|other| other.ordinal < made && other.status == seen.status && same(seen, other))
        };
        shown().all(|seen| seen.ordinal > made) && shown().any(asked_before)
    }

    /// Counts a type as changed from a record on, where a list of it was read before.
    fn changed_since(&mut self, kind: usize, ordinal: usize) {
        let Some(time) = self.observed.seen.iter().find(|seen| seen.ordinal == ordinal).map(|seen| seen.time) else {
            return;
        };
        let read_before =
            |tool: usize| self.observed.of_tool(tool).any(|seen| seen.time < time && is_success(seen.status));
        let lists = self.derived.views.iter().enumerate();
        let mut of_kind = lists.filter(|(_, view)| matches!(view, View::List(view) if view.entity_type == kind));
        if of_kind.any(|(tool, _)| read_before(tool)) {
            self.touched[kind] = self.touched[kind].min(time);
        }
    }

    /// How entities of a type name those of another: by a segment of their collection under the other's, or by a member
    /// of at most so many steps whose values are the other's identities.
    pub(super) fn ways_to_name(&self, kind: usize, parent: usize, steps: usize) -> Vec<Relation> {
        let (own, above) = (&self.derived.types[kind].template.segments, &self.derived.types[parent].template.segments);
        let mut ways = Vec::new();
        if own.len() > above.len()
            && own[..above.len()] == above[..]
            && !matches!(own[above.len()], Segment::Literal(_))
        {
            ways.push(Relation::Segment(above.len()));
        }
        let values: Vec<_> = self
            .derived
            .world
            .collections(kind)
            .flat_map(|(_, held)| held.iter())
            .map(|entity| merged(entity))
            .collect();
        let holds = |text: &String| self.derived.world.named(parent, text).next().is_some();
        for path in scalar_paths(values.iter()).into_iter().filter(|path| path.0.len() <= steps) {
            if path != self.derived.types[kind].identity && self.names_most(&values, &path, &holds) {
                ways.push(Relation::Member(path));
            }
        }
        ways
    }

    fn names_most(&self, values: &[crate::json::Value], path: &MemberPath, holds: &dyn Fn(&String) -> bool) -> bool {
        let mut texts: BTreeSet<String> = BTreeSet::new();
        for value in values {
            path.visit(value, &mut |scalar| {
                texts.extend(super::line::scalar_text(scalar).filter(|text| !scalar.is_null() && !text.is_empty()));
                true
            });
        }
        // What names little numbers may count something; a text that is one is none by chance.
        let numbers = texts.iter().all(|text| text.parse::<i64>().is_ok());
        let named = texts.iter().filter(|text| holds(text)).count();
        named >= if numbers { 2 * MIN_NAMED } else { MIN_NAMED } && named * 2 >= texts.len()
    }
}

fn is_new(work: &Derivation<'_>, sample: &Sample<'_>) -> bool {
    sample.fate == Fate::Created && work.derived.world.named(sample.key.0, &sample.key.2).next().is_none()
}
