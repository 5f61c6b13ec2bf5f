//! Proposing the view of a list: for each scope that may be listed, the query model its lines show and the envelope
//! around it; the proposal that reproduces most recordings is kept.

use super::derive::Derivation;
use super::entity::{at_place, list_place, listed_at};
use super::envelope::{Around, Envelope};
use super::envelope_rules::{Recorded, find_rules};
use super::evaluate::{Read, select_list};
use super::identity::{home_of, identity_text};
use super::infer::{ListCall, Surroundings, infer};
use super::list_scope::ListReads;
use super::listing::{Arrangement, Listed, Listing};
use super::observe::Seen;
use super::query::QueryModel;
use super::scope::{Scope, entities_of};
use super::store::Entity;
use super::types::{Alternate, ListView, Shape};
use crate::json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

impl Derivation<'_> {
    /// The view of a list that reproduces most of its clean recordings; `None` when none reproduces any.
    pub(super) fn list_view(&mut self, tool: usize, entity_type: usize) -> Option<ListView> {
        let models = self.list_models(tool, entity_type);
        self.best_list_view(tool, entity_type, models)
    }

    /// What the clean calls of a list say of their lines, for each scope that may be listed. No other view matters here.
    pub(super) fn list_models(&self, tool: usize, entity_type: usize) -> Vec<(Scope, QueryModel)> {
        let Shape::List { place, keyed } = &self.shapes[tool] else { return Vec::new() };
        let calls: Vec<Seen> = self.clean_calls(tool, entity_type).into_iter().cloned().collect();
        let effects = self.effects_of(tool);
        let fields = |entity: &Entity| entity.whole().clone();
        let referents = (&self.derived, &self.derived.world);
        let around = Surroundings {
            effects: &effects,
            fields: &fields,
            referents: &referents,
            others: self.scalars_of_types(),
            namings: self.naming_types(),
            identity: &self.derived.types[entity_type].identity,
            proved: &self.proved,
        };
        let of = ListReads { tool, entity_type, calls: &calls, place, keyed: *keyed };
        let model = |scope: Scope| {
            let calls: Vec<ListCall> = self.resolve_calls(&of, &scope);
            (!calls.is_empty()).then(|| (scope, infer(&calls, &around)))
        };
        if calls.is_empty() { Vec::new() } else { self.scopes(&of).into_iter().filter_map(model).collect() }
    }

    /// Of the views that read a list's lines by these models, the one that reproduces most of its clean recordings.
    pub(super) fn best_list_view(
        &mut self,
        tool: usize,
        entity_type: usize,
        models: Vec<(Scope, QueryModel)>,
    ) -> Option<ListView> {
        let Shape::List { place, keyed } = self.shapes[tool].clone() else { return None };
        let calls: Vec<Seen> = self.clean_calls(tool, entity_type).into_iter().cloned().collect();
        let representations: Vec<usize> = self.derived.types[entity_type]
            .representations
            .iter()
            .copied()
            .filter(|index| self.derived.representations[*index].tool == tool)
            .collect();
        let mut best: Option<(usize, ListView)> = None;
        for (scope, query) in models {
            let around_pages = paged_calls(&calls, &place, keyed);
            let plain: Vec<Seen> = calls
                .iter()
                .filter(|seen| !around_pages.iter().any(|paged| paged.record == seen.record))
                .cloned()
                .collect();
            let (base, empties) = base_record(&plain, &place)?;
            let mut view = ListView {
                entity_type,
                place: place.clone(),
                keyed,
                scope,
                scope_words: Vec::new(),
                representations: representations.clone(),
                query,
                envelope: Envelope::default(),
                alternate: None,
                base_record: base,
                frame: self.frame(base, &place),
                checked_bodies: Vec::new(),
                contradicted: Vec::new(),
                complete: None,
                missing_when_empty: empties,
                pages_empty: false,
                past_end: None,
            };
            self.remember(base);
            view.envelope = self.envelope_rules(tool, &view, &place, &plain);
            view.alternate = self.alternate(tool, &view, &plain, &around_pages);
            self.page_ends(tool, &mut view);
            let held = self.check_list(tool, &mut view, &calls);
            // A line whose envelope is copied from its recording says little for the scope.
            let held = if view.envelope.unexplained.is_empty() { held * 2 } else { held };
            if best.as_ref().is_none_or(|(best, _)| held > *best) {
                best = Some((held, view));
            }
        }
        let (held, mut view) = best?;
        if held == 0 {
            return None;
        }
        view.complete = self.complete_paths_of(&view);
        Some(view)
    }

    /// The entity that a listed value shows: in its home collection, else the only one with its identity.
    pub(super) fn find_entity(
        &self,
        tool: usize,
        entity_type: usize,
        seen: &Seen,
        value: &Value,
        id: &str,
    ) -> Option<Arc<Entity>> {
        let kind = &self.derived.types[entity_type];
        let template = &self.manifest.tools[tool].template;
        if let Some(home) = home_of(kind, seen, template, value)
            && let Some(entity) = self.derived.world.collection(entity_type, &home).and_then(|c| c.get(id))
        {
            return Some(entity.clone());
        }
        let mut found = self.derived.world.named(entity_type, id);
        let first = found.next()?;
        found.next().is_none().then(|| first.clone())
    }

    /// The calls whose listed entities are all known, with their scope.
    fn resolve_calls(&self, of: &ListReads<'_>, scope: &Scope) -> Vec<ListCall> {
        let ListReads { tool, entity_type, calls, place, keyed } = *of;
        let kind = &self.derived.types[entity_type];
        let referents = (&self.derived, &self.derived.world);
        let mut resolved = Vec::new();
        // Calls of one path share their scope: a list that was read page by page has thousands of them.
        let mut scopes: HashMap<(&str, &[String]), Option<Listing>> = HashMap::new();
        for seen in calls {
            let (Some(line), Some(body)) = (&seen.line, seen.body.as_deref()) else { continue };
            let found = scopes.entry((&seen.path, &seen.parameters)).or_insert_with(|| {
                entities_of(
                    scope,
                    (&self.derived.world, &self.derived.world),
                    entity_type,
                    &seen.path,
                    &seen.parameters,
                    &referents,
                )
                .map(|scoped| scoped.arranged(&Arrangement::default()))
            });
            let Some(scope) = found.clone() else { continue };
            let items = listed_at(body, place, keyed);
            let mut used: BTreeSet<(String, String)> = BTreeSet::new();
            let listed: Option<Vec<Arc<Entity>>> = items
                .iter()
                .map(|(key, value)| {
                    let entity = match identity_text(kind, *key, value) {
                        Some(id) => self.find_entity(tool, entity_type, seen, value, &id),
                        None => self.match_members(&scope, value, &used),
                    }?;
                    used.insert((entity.collection.to_string(), entity.id.to_string()));
                    Some(entity)
                })
                .collect();
            let Some(listed) = listed else { continue };
            let shown = items
                .first()
                .and_then(|(_, value)| value.as_object())
                .map(|object| object.iter().filter_map(|(name, _)| name.as_str().map(str::to_owned)).collect())
                .unwrap_or_default();
            let said = super::said::said_around(body, place);
            resolved.push(ListCall { line: line.clone(), scope, listed: listed.into(), shown, said });
        }
        resolved
    }

    /// The entity that holds every shown member: how a projection without identity is told apart.
    fn match_members(
        &self,
        scope: &[Arc<Entity>],
        value: &Value,
        used: &BTreeSet<(String, String)>,
    ) -> Option<Arc<Entity>> {
        let shown = value.as_object()?;
        scope
            .iter()
            .find(|entity| {
                !used.contains(&(entity.collection.to_string(), entity.id.to_string())) && {
                    let fields = entity.whole();
                    shown.iter().all(|(name, value)| {
                        name.as_str().and_then(|name| fields.get(name)).is_some_and(|held| held.same_as(value))
                    })
                }
            })
            .cloned()
    }

    /// What the members around the list say, from the recorded answers and what was selected for them.
    fn envelope_rules(&self, tool: usize, view: &ListView, place: &[Box<str>], calls: &[Seen]) -> Envelope {
        if place.is_empty() {
            return Envelope::default();
        }
        let world = &self.derived.world;
        let fields = |entity: &Entity| entity.whole().clone();
        let mut selections = Vec::new();
        for seen in calls {
            let (Some(line), Some(body)) = (&seen.line, seen.body.as_deref()) else { continue };
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: Some(line) };
            if let Ok(selection) = select_list(&self.derived, world, view, read, line)
                && listed_at(body, place, view.keyed).len() == selection.range.len()
            {
                selections.push((body, selection, line, path));
            }
        }
        let recorded: Vec<Recorded<'_>> = selections
            .iter()
            .map(|(body, selection, line, path)| Recorded {
                body,
                around: Around { selection, line, path, model: &view.query, fields: &fields },
            })
            .collect();
        find_rules(&recorded, place)
    }

    /// The envelope of a list that is bare on other lines: its place, and the parameters that only its lines hold.
    fn alternate(&mut self, tool: usize, view: &ListView, plain: &[Seen], paged: &[Seen]) -> Option<Alternate> {
        let bodies: Vec<&Value> = paged.iter().filter_map(|seen| seen.body.as_deref()).collect();
        let (place, _) = list_place(&bodies)?;
        let keys = |seen: &Seen| -> BTreeSet<String> {
            seen.line.iter().flat_map(|line| line.params.iter().map(|param| param.key.clone())).collect()
        };
        let elsewhere: BTreeSet<String> = plain.iter().flat_map(keys).collect();
        let when: Vec<String> = paged
            .iter()
            .flat_map(keys)
            .collect::<BTreeSet<String>>()
            .into_iter()
            .filter(|key| !elsewhere.contains(key))
            .collect();
        if when.is_empty() || !paged.iter().all(|seen| keys(seen).iter().any(|key| when.contains(key))) {
            return None;
        }
        let base = paged.iter().min_by_key(|seen| (keys(seen).len(), seen.time))?.record;
        self.remember(base);
        let envelope = self.envelope_rules(tool, view, &place, paged);
        let frame = self.frame(base, &place);
        Some(Alternate { when, place, envelope, base_record: base, frame })
    }
}

/// The calls whose answer puts a list that is bare elsewhere into an envelope.
fn paged_calls(calls: &[Seen], place: &[Box<str>], keyed: bool) -> Vec<Seen> {
    if !place.is_empty() || keyed {
        return Vec::new();
    }
    calls.iter().filter(|seen| seen.body.as_deref().is_some_and(|body| body.as_object().is_some())).cloned().collect()
}

/// The record that gives a list its envelope: the barest line; and whether an empty list leaves its member out.
fn base_record(calls: &[Seen], place: &[Box<str>]) -> Option<(usize, bool)> {
    let base = calls
        .iter()
        .filter(|seen| seen.body.as_deref().is_some_and(|body| place.is_empty() || at_place(body, place).is_some()))
        .min_by_key(|seen| (seen.line.as_ref().map_or(usize::MAX, |line| line.params.len()), seen.time))?;
    let empties = !place.is_empty()
        && calls.iter().any(|seen| seen.body.as_deref().is_some_and(|body| at_place(body, place).is_none()));
    Some((base.record, empties))
}
