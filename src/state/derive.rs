//! Derive: the whole way from a capture to a state. Observe, find types, gather entities, propose views, replay the
//! recordings against them, and keep what reproduces them.

use super::document::document_view;
use super::entity::{at_place, entity_at, listed_at, shape_of};
use super::envelope::{Around, Envelope, Recorded, find_rules};
use super::evaluate::{Read, ReadAnswer, evaluate_read, select_list};
use super::identity::{Kind, find_types, home_of, identity_text};
use super::infer::{ListCall, Surroundings, infer};
use super::limits::MAX_RENDERED_BYTES;
use super::line::Line;
use super::observe::{Observed, Seen, is_read, observe, trim_slash};
use super::path::{MemberPath, scalar_paths};
use super::query::{QueryModel, Role};
use super::representation::{Gathered, Ground, KeyEffect, Population, gather, made_members};
use super::scope::{Scope, entities_of};
use super::store::{Entity, World};
use super::term::Referents;
use super::types::{EntityType, ItemView, ListView, Representation, Shape, Slot, View};
use crate::capture::Capture;
use crate::json::{Object, Value};
use crate::manifest::{Manifest, Segment, SegmentFormat, Tool};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A recorded answer for something absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Absence {
    /// The record.
    pub record: usize,
    /// The identity that was asked for.
    pub asked: Option<String>,
    /// The body.
    pub body: Arc<Value>,
    /// Pointers of members that differ in every recording.
    pub per_response: Vec<String>,
}

/// A derived state: immutable, shared by every session.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// Types.
    pub types: Vec<EntityType>,
    /// Representations of all types.
    pub representations: Vec<Representation>,
    /// Views, by tool.
    pub views: Vec<View>,
    /// The world at the start.
    pub world: World,
    /// Whether an answer may exceed the rendered limit (else it is not measured).
    pub oversize_possible: bool,
    bodies: HashMap<usize, Arc<Value>>,
    absences: Vec<Vec<Absence>>,
    home_items: BTreeSet<(usize, usize)>,
    complete_types: BTreeSet<usize>,
    complete_paths: BTreeSet<(usize, String)>,
}

impl Derived {
    /// The recorded body around a view's entity or list.
    pub fn envelope_of(&self, record: usize) -> Option<&Value> {
        self.bodies.get(&record).map(AsRef::as_ref)
    }

    /// The parsed body of a record that a view rests on.
    pub fn body_of(&self, record: usize) -> Option<&Arc<Value>> {
        self.bodies.get(&record)
    }

    /// Whether a tool is the item route right under the home collection of a type.
    pub fn is_home_item(&self, tool: usize, entity_type: usize) -> bool {
        self.home_items.contains(&(tool, entity_type))
    }

    /// Whether the state knows every entity of a type, or of one of its collections.
    pub fn is_complete(&self, entity_type: usize, collection: Option<&str>) -> bool {
        self.complete_types.contains(&entity_type)
            || collection.is_some_and(|path| self.complete_paths.contains(&(entity_type, path.to_owned())))
    }

    /// The recorded absence answer of a tool that fits the asked identity best: of the same format.
    pub fn absence_for(&self, tool: usize, asked: &str) -> Option<&Absence> {
        let absences = self.absences.get(tool)?;
        let format = SegmentFormat::of(asked);
        absences
            .iter()
            .find(|absence| absence.asked.as_deref() == Some(asked))
            .or_else(|| absences.iter().find(|absence| absence.asked.as_deref().map(SegmentFormat::of) == Some(format)))
            .or_else(|| absences.first())
    }

    /// Whether a showing of the entity that shares the member's value left it out.
    pub fn shown_without(&self, entity: &Entity, entity_type: usize, name: &str, source: usize) -> bool {
        entity.shown_in.iter().any(|shown| {
            self.representations.get(*shown).is_some_and(|way| {
                way.entity_type == entity_type
                    && way.members.iter().any(|member| member.name.as_ref() == name && member.source == source)
            })
        })
    }

    /// The value of an entity that filters, searches and orders see: its fields, then members only views show.
    pub fn filter_fields(&self, entity: &Entity) -> Arc<Value> {
        let more: Vec<(&crate::json::Text, &Value)> = entity
            .view_fields
            .iter()
            .flat_map(|(_, fields)| fields.iter().map(|(name, value)| (name, value)))
            .filter(|(name, _)| name.as_str().is_some_and(|name| entity.fields.get(name).is_none()))
            .collect();
        if more.is_empty() {
            return entity.fields.clone();
        }
        let mut merged: Object = entity.fields.as_object().cloned().unwrap_or_default();
        for (name, value) in more {
            if name.as_str().is_some_and(|name| !merged.contains(name)) {
                merged.push(name.clone(), value.clone());
            }
        }
        Arc::new(Value::Object(merged))
    }
}

impl Derived {
    /// The type whose entities a tool's answers show.
    pub fn type_of_tool(&self, tool: usize) -> Option<usize> {
        match self.views.get(tool)? {
            View::Item(view) => Some(view.entity_type),
            View::List(view) => Some(view.entity_type),
            _ => None,
        }
    }

    /// What a made member of a type says for an entity with these members; `None` when no rule makes it.
    pub fn made_value(&self, entity_type: usize, name: &str, entity: &Value) -> Option<Value> {
        let rule = self.types.get(entity_type)?.made.iter().find(|(held, _)| held.as_ref() == name)?;
        super::text_rule::make_text(&rule.1, entity).map(Value::from)
    }

    /// Whether the initial world holds an entity with this identity.
    pub fn holds_id(&self, id: &str) -> bool {
        (0..self.types.len())
            .any(|kind| self.world.collections(kind).any(|(_, collection)| collection.get(id).is_some()))
    }
}

struct Work<'a> {
    manifest: &'a Manifest,
    shapes: &'a [Shape],
    observed: &'a Observed,
    touched: Vec<usize>,
    first_change: usize,
    derived: Derived,
}

/// Derives the state of a capture under a manifest.
pub fn derive_state(capture: &Capture, manifest: &Manifest) -> Derived {
    let observed = observe(capture, manifest);
    derive_observed(manifest, &observed)
}

fn derive_observed(manifest: &Manifest, observed: &Observed) -> Derived {
    let shapes: Vec<Shape> = manifest
        .tools
        .iter()
        .enumerate()
        .map(|(index, tool)| if is_read(tool) { shape_of(tool, index, observed) } else { Shape::None })
        .collect();
    let kinds = find_types(manifest, &shapes, observed);
    let touched: Vec<usize> = kinds.iter().map(|kind| touched_at(manifest, observed, kind)).collect();
    let mut first_change = touched.iter().copied().min().unwrap_or(usize::MAX);
    first_change = first_change.min(observed.seen.len().max(1) * 1_000_000);
    let mut work = Work { manifest, shapes: &shapes, observed, touched, first_change, derived: Derived::default() };
    work.populate(&kinds);
    work.absences();
    work.views(&kinds);
    work.derived
}

/// The time of the first 2xx write whose path lies under one of the type's collections; the largest time otherwise.
fn touched_at(manifest: &Manifest, observed: &Observed, kind: &Kind) -> usize {
    let roots: Vec<&[Segment]> = kind
        .tools
        .iter()
        .map(|tool| trimmed(&manifest.tools[*tool]))
        .map(|segments| match segments.split_last() {
            Some((Segment::Literal(_), _)) | None => segments,
            Some((_, rest)) => rest,
        })
        .chain([kind.entity_type.template.segments.as_slice()])
        .collect();
    observed
        .seen
        .iter()
        .filter(|seen| !is_read(&manifest.tools[seen.tool]) && (200..300).contains(&seen.status))
        .filter(|seen| {
            let segments = trimmed(&manifest.tools[seen.tool]);
            roots.iter().any(|root| segments.len() >= root.len() && segments[..root.len()] == **root)
        })
        .map(|seen| seen.time)
        .min()
        .unwrap_or(usize::MAX)
}

fn trimmed(tool: &Tool) -> &[Segment] {
    match tool.template.segments.split_last() {
        Some((Segment::Literal(text), rest)) if text.is_empty() && !rest.is_empty() => rest,
        _ => &tool.template.segments,
    }
}

impl Work<'_> {
    fn populate(&mut self, kinds: &[Kind]) {
        for (index, kind) in kinds.iter().enumerate() {
            let addressed = self.addressed_by_writes();
            let ground = Ground { manifest: self.manifest, shapes: self.shapes, observed: self.observed };
            let population = gather(&ground, kind, index, (self.touched[index], self.first_change), &addressed);
            let order = state_order(self, &population);
            self.hold(index, &population, order);
        }
    }

    /// Decoded path parameters of every 2xx write: identities that a write may have changed.
    fn addressed_by_writes(&self) -> BTreeSet<String> {
        self.observed
            .seen
            .iter()
            .filter(|seen| !is_read(&self.manifest.tools[seen.tool]) && (200..300).contains(&seen.status))
            .flat_map(|seen| seen.parameters.iter().cloned())
            .collect()
    }

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
        for seen in self.observed.seen.iter().filter(|seen| (200..300).contains(&seen.status)) {
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

    fn absences(&mut self) {
        let mut all = Vec::new();
        for (tool, definition) in self.manifest.tools.iter().enumerate() {
            let mut found: Vec<Absence> = Vec::new();
            for seen in self.observed.of_tool(tool) {
                let absent = matches!(seen.status, 404 | 410) || matches!(seen.status, 400 | 403 | 422);
                if !absent || definition.parameters.is_empty() || !is_read(definition) {
                    continue;
                }
                let Some(body) = seen.body.clone() else { continue };
                if found.iter().any(|held| held.asked.as_ref() == seen.parameters.last()) {
                    continue;
                }
                found.push(Absence {
                    record: seen.record,
                    asked: seen.parameters.last().cloned(),
                    body,
                    per_response: Vec::new(),
                });
            }
            found.sort_by_key(|absence| {
                let status =
                    self.observed.of_tool(tool).find(|seen| seen.record == absence.record).map(|seen| seen.status);
                (!matches!(status, Some(404 | 410)), absence.record)
            });
            all.push(found);
        }
        for absence in all.iter().flatten() {
            self.derived.bodies.insert(absence.record, absence.body.clone());
        }
        self.derived.absences = all;
    }

    fn views(&mut self, kinds: &[Kind]) {
        let type_of: HashMap<usize, usize> = kinds
            .iter()
            .enumerate()
            .flat_map(|(index, kind)| kind.tools.iter().map(move |tool| (*tool, index)))
            .collect();
        self.derived.views = vec![View::Write; self.manifest.tools.len()];
        let lists: Vec<usize> =
            (0..self.shapes.len()).filter(|tool| matches!(self.shapes[*tool], Shape::List { .. })).collect();
        for &tool in &lists {
            let view = match type_of.get(&tool) {
                Some(entity_type) => self.list_view(tool, *entity_type),
                None => None,
            };
            self.derived.views[tool] = match view {
                Some(view) => View::List(Box::new(view)),
                None => self.document(tool),
            };
        }
        self.completeness();
        for tool in 0..self.shapes.len() {
            match &self.shapes[tool] {
                Shape::Item { .. } => {
                    let view = type_of.get(&tool).and_then(|entity_type| self.item_view(tool, *entity_type));
                    self.derived.views[tool] = match view {
                        Some(view) => View::Item(view),
                        None => self.document(tool),
                    };
                }
                Shape::Document => self.derived.views[tool] = self.document(tool),
                Shape::None if is_read(&self.manifest.tools[tool]) => {
                    self.derived.views[tool] = View::Recorded { reason: "no-view" };
                }
                _ => {}
            }
        }
        self.replay();
    }

    fn document(&mut self, tool: usize) -> View {
        let root = trimmed(&self.manifest.tools[tool]).to_vec();
        let changed = self
            .observed
            .seen
            .iter()
            .filter(|seen| {
                let segments = trimmed(&self.manifest.tools[seen.tool]);
                !is_read(&self.manifest.tools[seen.tool])
                    && (200..300).contains(&seen.status)
                    && segments.len() >= root.len().min(segments.len())
                    && (segments.starts_with(&root) || root.starts_with(segments))
            })
            .map(|seen| seen.time)
            .min()
            .unwrap_or(usize::MAX);
        let mut world = std::mem::take(&mut self.derived.world);
        let changed = changed.min(self.first_change.max(self.first_read(tool) + 1));
        let view = document_view(tool, self.observed, &mut world, |seen| seen.time < changed, MAX_RENDERED_BYTES);
        self.derived.world = world;
        view
    }

    fn first_read(&self, tool: usize) -> usize {
        self.observed
            .of_tool(tool)
            .filter(|seen| (200..300).contains(&seen.status))
            .map(|seen| seen.time)
            .min()
            .unwrap_or(0)
    }

    /// The calls of a tool that nothing may have changed yet; when there are none, those before its own type changed.
    fn clean_calls(&self, tool: usize, entity_type: usize) -> Vec<&Seen> {
        let before = |limit: usize| -> Vec<&Seen> {
            self.observed
                .of_tool(tool)
                .filter(|seen| seen.time < limit && (200..300).contains(&seen.status) && seen.body.is_some())
                .collect()
        };
        let touched = self.touched[entity_type];
        let strict = before(touched.min(self.first_change));
        if strict.is_empty() { before(touched) } else { strict }
    }

    fn list_view(&mut self, tool: usize, entity_type: usize) -> Option<ListView> {
        let Shape::List { place, keyed } = self.shapes[tool].clone() else { return None };
        let calls: Vec<Seen> = self.clean_calls(tool, entity_type).into_iter().cloned().collect();
        if calls.is_empty() {
            return None;
        }
        let representations: Vec<usize> = self.derived.types[entity_type]
            .representations
            .iter()
            .copied()
            .filter(|index| self.derived.representations[*index].tool == tool)
            .collect();
        let effects = self.effects_of(tool, entity_type);
        let mut best: Option<(usize, ListView)> = None;
        for scope in self.scopes(tool, entity_type, &calls, &place, keyed) {
            let resolved = self.resolve_calls(tool, entity_type, &calls, &scope, &place, keyed);
            if resolved.is_empty() {
                continue;
            }
            let list_calls: Vec<ListCall> = resolved.iter().map(|(_, call)| call.clone()).collect();
            let derived = &self.derived;
            let world = derived.world.clone();
            let cache: HashMap<usize, Arc<Value>> = world
                .collections(entity_type)
                .flat_map(|(_, collection)| collection.iter())
                .map(|entity| (address(entity), derived.filter_fields(entity)))
                .collect();
            let fields = |entity: &Entity| match cache.get(&address(entity)) {
                Some(value) => value.clone(),
                None => derived.filter_fields(entity),
            };
            let referents = (derived, &world);
            let others: Vec<(usize, Vec<MemberPath>)> = (0..derived.types.len())
                .map(|other| {
                    let values: Vec<Arc<Value>> = world
                        .collections(other)
                        .flat_map(|(_, collection)| collection.iter().map(|entity| entity.fields.clone()))
                        .collect();
                    (other, scalar_paths(values.iter().map(AsRef::as_ref)))
                })
                .collect();
            let around = Surroundings { effects: &effects, fields: &fields, referents: &referents, others: &others };
            let query = infer(&list_calls, &around);
            let (base, empties) = self.base_record(&calls, &place, &query)?;
            let mut view = ListView {
                entity_type,
                place: place.clone(),
                keyed,
                scope: scope.clone(),
                representations: representations.clone(),
                query,
                envelope: Envelope::default(),
                base_record: base,
                checked_bodies: Vec::new(),
                contradicted: Vec::new(),
                complete: None,
                missing_when_empty: empties,
                pages_empty: false,
                past_end: None,
            };
            self.remember(base);
            view.envelope = self.envelope_rules(tool, &view, &calls);
            self.page_ends(tool, &mut view);
            let held = self.check_list(tool, &mut view, &calls);
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

    /// What parameters do to a tool's representation, as gathered.
    fn effects_of(&self, tool: usize, entity_type: usize) -> super::representation::ToolEffects {
        let mut effects = super::representation::ToolEffects::default();
        let kind = Kind { entity_type: self.derived.types[entity_type].clone(), tools: vec![tool] };
        let ground = Ground { manifest: self.manifest, shapes: self.shapes, observed: self.observed };
        let population =
            gather(&ground, &kind, entity_type, (self.touched[entity_type], self.first_change), &BTreeSet::new());
        if let Some(found) = population.effects.get(&tool) {
            effects = found.clone();
        }
        effects
    }

    /// Scopes to try, the simplest first.
    fn scopes(&self, tool: usize, entity_type: usize, calls: &[Seen], place: &[Box<str>], keyed: bool) -> Vec<Scope> {
        let kind = &self.derived.types[entity_type];
        let mut scopes = Vec::new();
        let parameters = self.manifest.tools[tool].parameters.len();
        if trimmed(&self.manifest.tools[tool]) == kind.template.segments.as_slice() && parameters > 0 {
            scopes.push(Scope::Home);
        }
        if parameters == 0 {
            scopes.push(Scope::All);
        } else {
            let values: Vec<Arc<Value>> = self
                .derived
                .world
                .collections(entity_type)
                .flat_map(|(_, collection)| collection.iter().map(|entity| self.derived.filter_fields(entity)))
                .collect();
            let paths = scalar_paths(values.iter().map(AsRef::as_ref));
            let mut checks: Vec<(usize, MemberPath)> = Vec::new();
            for index in 0..parameters {
                let found = paths.iter().filter(|path| path.0.len() <= 2).find(|path| {
                    let mut any = false;
                    calls.iter().all(|seen| {
                        let Some(body) = seen.body.as_deref() else { return false };
                        listed_at(body, place, keyed).iter().all(|(key, value)| {
                            let Some(id) = identity_text(kind, *key, value) else { return false };
                            self.derived.world.collections(entity_type).find_map(|(_, c)| c.get(&id)).is_some_and(
                                |entity| {
                                    any = true;
                                    let mut holds = false;
                                    path.visit(&entity.fields, &mut |scalar| {
                                        holds = super::line::scalar_text(scalar).as_ref() == seen.parameters.get(index);
                                        !holds
                                    });
                                    holds
                                },
                            )
                        })
                    }) && any
                });
                if let Some(path) = found {
                    checks.push((index, path.clone()));
                }
            }
            if checks.len() == parameters {
                scopes.push(Scope::Member(checks));
            } else if let Some(last) = checks.last().filter(|(index, _)| index + 1 == parameters) {
                scopes.push(Scope::Member(vec![last.clone()]));
            }
            if let Some(scope) = self.listed_scope(tool, entity_type, calls, place, keyed) {
                scopes.push(scope);
            }
        }
        let mut recorded: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for seen in calls.iter().filter(|seen| seen.line.as_ref().is_some_and(Line::is_bare)) {
            let Some(body) = seen.body.as_deref() else { continue };
            let listed: Option<Vec<(String, String)>> = listed_at(body, place, keyed)
                .iter()
                .map(|(key, value)| {
                    let id = identity_text(kind, *key, value)?;
                    self.find_entity(tool, entity_type, seen, value, &id)
                        .map(|e| (e.collection.to_string(), e.id.to_string()))
                })
                .collect();
            if let Some(listed) = listed {
                recorded.entry(seen.path.clone()).or_insert(listed);
            }
        }
        if !recorded.is_empty() {
            scopes.push(Scope::Recorded(recorded));
        }
        scopes
    }

    /// A scope that another entity lists: the entity a path parameter names holds exactly the listed identities.
    fn listed_scope(
        &self,
        tool: usize,
        entity_type: usize,
        calls: &[Seen],
        place: &[Box<str>],
        keyed: bool,
    ) -> Option<Scope> {
        let kind = &self.derived.types[entity_type];
        let referents = (&self.derived, &self.derived.world);
        for parameter in 0..self.manifest.tools[tool].parameters.len() {
            for lister in (0..self.derived.types.len()).filter(|other| *other != entity_type) {
                let values: Vec<&Value> = calls
                    .iter()
                    .filter_map(|seen| referents.referent(lister, seen.parameters.get(parameter)?))
                    .collect();
                if values.len() != calls.len() {
                    continue;
                }
                let paths = scalar_paths(values.iter().copied());
                for path in paths.iter().filter(|path| path.through_array()) {
                    let mut any = false;
                    let holds = calls.iter().zip(&values).all(|(seen, value)| {
                        let mut ids = Vec::new();
                        path.visit(value, &mut |id| {
                            ids.extend(super::line::scalar_text(id));
                            true
                        });
                        let Some(body) = seen.body.as_deref() else { return false };
                        let listed: Option<Vec<String>> = listed_at(body, place, keyed)
                            .iter()
                            .map(|(key, value)| identity_text(kind, *key, value))
                            .collect();
                        any |= !ids.is_empty();
                        listed.as_ref() == Some(&ids)
                    });
                    if holds && any {
                        return Some(Scope::Listed { parameter, entity_type: lister, path: path.clone() });
                    }
                }
            }
        }
        None
    }

    fn find_entity(
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
        let mut found = self.derived.world.collections(entity_type).filter_map(|(_, c)| c.get(id));
        let first = found.next()?;
        found.next().is_none().then(|| first.clone())
    }

    /// The calls whose listed entities are all known, with their scope.
    fn resolve_calls<'s>(
        &self,
        tool: usize,
        entity_type: usize,
        calls: &'s [Seen],
        scope: &Scope,
        place: &[Box<str>],
        keyed: bool,
    ) -> Vec<(&'s Seen, ListCall)> {
        let kind = &self.derived.types[entity_type];
        let referents = (&self.derived, &self.derived.world);
        let mut resolved = Vec::new();
        for seen in calls {
            let (Some(line), Some(body)) = (&seen.line, seen.body.as_deref()) else { continue };
            let scope = entities_of(scope, &self.derived.world, entity_type, &seen.path, &seen.parameters, &referents);
            let Some(scope) = scope else { continue };
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
            resolved.push((seen, ListCall { line: line.clone(), scope, listed, shown }));
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
                    let fields = self.derived.filter_fields(entity);
                    shown.iter().all(|(name, value)| {
                        name.as_str().and_then(|name| fields.get(name)).is_some_and(|held| held.same_as(value))
                    })
                }
            })
            .cloned()
    }

    /// The record that gives a list its envelope: the barest line; and whether an empty list leaves its member out.
    fn base_record(&self, calls: &[Seen], place: &[Box<str>], query: &QueryModel) -> Option<(usize, bool)> {
        let _ = query;
        let base = calls
            .iter()
            .filter(|seen| seen.body.as_deref().is_some_and(|body| place.is_empty() || at_place(body, place).is_some()))
            .min_by_key(|seen| (seen.line.as_ref().map_or(usize::MAX, |line| line.params.len()), seen.time))?;
        let empties = !place.is_empty()
            && calls.iter().any(|seen| seen.body.as_deref().is_some_and(|body| at_place(body, place).is_none()));
        Some((base.record, empties))
    }

    fn remember(&mut self, record: usize) {
        if let Some(seen) = self.observed.seen.iter().find(|seen| seen.record == record)
            && let Some(body) = &seen.body
        {
            self.derived.bodies.insert(record, body.clone());
        }
    }

    fn envelope_rules(&self, tool: usize, view: &ListView, calls: &[Seen]) -> Envelope {
        if view.place.is_empty() {
            return Envelope::default();
        }
        let world = &self.derived.world;
        let fields = |entity: &Entity| self.derived.filter_fields(entity);
        let mut selections = Vec::new();
        for seen in calls {
            let (Some(line), Some(body)) = (&seen.line, seen.body.as_deref()) else { continue };
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: Some(line) };
            if let Ok(selection) = select_list(&self.derived, world, view, read, line)
                && listed_at(body, &view.place, view.keyed).len() == selection.range.len()
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
        find_rules(&recorded, &view.place)
    }

    /// The path as it was recorded, trailing slash and all.
    fn raw_path(&self, seen: &Seen) -> String {
        let trailing = self.manifest.tools[seen.tool]
            .template
            .segments
            .last()
            .is_some_and(|segment| matches!(segment, Segment::Literal(text) if text.is_empty()));
        if trailing && !seen.path.ends_with('/') { format!("{}/", seen.path) } else { seen.path.clone() }
    }

    /// How pages past the end answer.
    fn page_ends(&mut self, tool: usize, view: &mut ListView) {
        let mut past = None;
        for seen in self.observed.of_tool(tool).filter(|seen| seen.time < self.touched[view.entity_type]) {
            let Some(line) = &seen.line else { continue };
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: Some(line) };
            let Ok(selection) = select_list(&self.derived, &self.derived.world, view, read, line) else { continue };
            if !selection.paged || !selection.window.past_end(selection.matched) {
                continue;
            }
            if (200..300).contains(&seen.status) {
                view.pages_empty = true;
            } else if (400..500).contains(&seen.status) && seen.body.is_some() {
                past = Some(seen.record);
            }
        }
        if let Some(record) = past {
            self.remember(record);
            view.past_end = Some(record);
        }
    }

    /// Replays the clean calls of a list; returns how many the view reproduced, with the lines written into it.
    fn check_list(&mut self, tool: usize, view: &mut ListView, calls: &[Seen]) -> usize {
        let mut held = 0;
        let mut checked = Vec::new();
        let mut contradicted = Vec::new();
        for seen in calls {
            if let Some(line) = &seen.line {
                let mut line = line.clone();
                line.in_order.clear();
                view.checked_bodies.push((seen.path.clone(), line, seen.record));
                if !view.envelope.unexplained.is_empty() {
                    self.remember(seen.record);
                }
            }
        }
        self.derived.views[tool] = View::List(Box::new(view.clone()));
        for seen in calls {
            let (Some(line), Some(body)) = (&seen.line, seen.body.as_deref()) else { continue };
            let mut key = line.clone();
            key.in_order.clear();
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: Some(line) };
            match evaluate_read(&self.derived, &self.derived.world, read) {
                ReadAnswer::State { body: rendered, .. } if rendered.same_as(body) => {
                    held += 1;
                    checked.push((seen.path.clone(), key, seen.record));
                }
                ReadAnswer::State { .. } => contradicted.push((seen.path.clone(), key)),
                ReadAnswer::Recording { .. } => {}
            }
        }
        checked.sort();
        checked.dedup_by(|a, b| a.0 == b.0 && a.1 == b.1);
        contradicted.sort();
        contradicted.dedup();
        view.checked_bodies = checked;
        demote(view, &contradicted);
        view.contradicted = contradicted;
        held
    }

    /// Paths whose list was read in full: only they are known, unless the scope does not depend on the path.
    fn complete_paths_of(&self, view: &ListView) -> Option<BTreeSet<String>> {
        match view.scope {
            Scope::All | Scope::Recorded(_) | Scope::Listed { .. } => None,
            Scope::Home | Scope::Member(_) => {
                Some(view.checked_bodies.iter().map(|(path, _, _)| path.clone()).collect())
            }
        }
    }

    /// Which types and collections are known in full: some list without a filter reproduced its recording.
    fn completeness(&mut self) {
        let mut types = BTreeSet::new();
        let mut paths = BTreeSet::new();
        for view in &self.derived.views {
            let View::List(view) = view else { continue };
            if view.query.partitions.is_some() {
                continue;
            }
            let bare = |line: &Line| {
                line.params
                    .iter()
                    .all(|param| !matches!(view.query.roles.get(&param.key), Some(Role::Filter(_)) | None))
            };
            for (path, line, _) in &view.checked_bodies {
                if bare(line) {
                    match view.scope {
                        Scope::All => {
                            types.insert(view.entity_type);
                        }
                        Scope::Home => {
                            paths.insert((view.entity_type, path.clone()));
                        }
                        _ => {}
                    }
                }
            }
        }
        self.derived.complete_types = types.clone();
        self.derived.complete_paths = paths;
        for view in &mut self.derived.views {
            if let View::List(view) = view
                && types.contains(&view.entity_type)
                && matches!(view.scope, Scope::Member(_))
            {
                view.complete = None;
            }
        }
    }

    fn item_view(&mut self, tool: usize, entity_type: usize) -> Option<ItemView> {
        let Shape::Item { place, one_element, address } = self.shapes[tool].clone() else { return None };
        let calls: Vec<Seen> = self
            .observed
            .of_tool(tool)
            .filter(|seen| (200..300).contains(&seen.status) && seen.body.is_some())
            .cloned()
            .collect();
        let clean: Vec<&Seen> = calls.iter().filter(|seen| seen.time < self.touched[entity_type]).collect();
        let base = clean.first().copied().or(calls.first())?.clone();
        self.remember(base.record);
        let effects = self.effects_of(tool, entity_type);
        let mut query = QueryModel::default();
        let slots: BTreeSet<&str> = address
            .iter()
            .filter_map(|(slot, _)| match slot {
                Slot::Key(key) => Some(key.as_str()),
                Slot::Path(_) => None,
            })
            .collect();
        let considered: Vec<&Seen> = if clean.is_empty() { calls.iter().collect() } else { clean };
        for seen in &considered {
            let Some(line) = &seen.line else { continue };
            let mut fixed = Vec::new();
            for param in line.params.iter().filter(|param| !slots.contains(param.key.as_str())) {
                match effects.effects.get(&param.key) {
                    Some(KeyEffect::Projection) => {
                        query.roles.entry(param.key.clone()).or_insert_with(|| Role::Projection(Vec::new()));
                    }
                    Some(KeyEffect::Variant) => {
                        let role =
                            query.roles.entry(param.key.clone()).or_insert_with(|| Role::Variant(BTreeSet::new()));
                        if let Role::Variant(values) = role {
                            values.insert(param.text.clone());
                        }
                    }
                    _ => {
                        let role =
                            query.roles.entry(param.key.clone()).or_insert_with(|| Role::Unchanging(BTreeSet::new()));
                        if let Role::Unchanging(values) = role {
                            values.insert(param.text.clone());
                        }
                        fixed.push(param.key.clone());
                    }
                }
            }
            query.fixed_sets.insert(fixed);
        }
        let representations: Vec<usize> = self.derived.types[entity_type]
            .representations
            .iter()
            .copied()
            .filter(|index| self.derived.representations[*index].tool == tool)
            .collect();
        let view = ItemView {
            entity_type,
            place,
            one_element,
            address,
            representations,
            query,
            base_record: base.record,
            absence: None,
        };
        self.derived.views[tool] = View::Item(view.clone());
        let clean: Vec<Seen> = self.clean_calls(tool, entity_type).into_iter().cloned().collect();
        let (mut held, mut wrong) = (0, 0);
        for seen in &clean {
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: seen.line.as_ref() };
            match evaluate_read(&self.derived, &self.derived.world, read) {
                ReadAnswer::State { body, .. } if seen.body.as_deref().is_some_and(|b| b.same_as(&body)) => held += 1,
                ReadAnswer::State { .. } => wrong += 1,
                ReadAnswer::Recording { .. } => {}
            }
        }
        (held > wrong * 4 || held > 0 && wrong == 0).then_some(view)
    }

    /// The last word: every view against every clean recording, with all views in place.
    fn replay(&mut self) {
        let longest = self.observed.seen.iter().filter_map(|seen| seen.body.as_ref()).map(|body| body_size(body)).max();
        self.derived.oversize_possible = longest.is_some_and(|longest| longest * 4 > MAX_RENDERED_BYTES);
    }
}

/// Where an entity is in memory: a key while a world is held.
fn address(entity: &Entity) -> usize {
    std::ptr::from_ref(entity).addr()
}

fn body_size(body: &Value) -> usize {
    let mut size = 0usize;
    struct Count<'a>(&'a mut usize);
    impl crate::json::Sink for Count<'_> {
        fn put(&mut self, bytes: &[u8]) {
            *self.0 += bytes.len();
        }
    }
    crate::json::write_compact(body, &mut Count(&mut size));
    size
}

/// Parameters that only contradicted lines use lose their role; then recordings answer them.
fn demote(view: &mut ListView, contradicted: &[(String, Line)]) {
    let mut blamed: BTreeSet<String> = BTreeSet::new();
    for (_, line) in contradicted {
        let Some(line) = super::reading::expand(line, &view.query.readings) else { continue };
        for param in &line.params {
            let good = view.checked_bodies.iter().any(|(_, held, _)| {
                super::reading::expand(held, &view.query.readings).is_some_and(|held| held.get(&param.key).is_some())
            });
            if !good {
                blamed.insert(param.key.clone());
            }
        }
    }
    for key in blamed {
        view.query.roles.remove(&key);
        view.query.defaults.retain(|(held, _)| *held != key);
    }
}

/// Entities in state order: the longest list without a filter gives it, entities it leaves out follow as they were first
/// seen.
fn state_order(work: &Work<'_>, population: &Population<'_>) -> Vec<(String, String)> {
    let kind = &population.entity_type;
    let mut best: Vec<(String, String)> = Vec::new();
    let known: HashMap<&str, Vec<&(String, String)>> =
        population.entities.keys().fold(HashMap::new(), |mut map, key| {
            map.entry(key.1.as_str()).or_default().push(key);
            map
        });
    let mut by_path: BTreeMap<(bool, String), Vec<(String, String)>> = BTreeMap::new();
    for &tool in &population.tools {
        let Shape::List { place, keyed } = &work.shapes[tool] else { continue };
        for seen in work.observed.of_tool(tool).filter(|seen| (200..300).contains(&seen.status)) {
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
    for (_, listed) in by_path {
        for key in listed {
            if !best.contains(&key) {
                best.push(key);
            }
        }
    }
    let mut rest: Vec<&Gathered<'_>> = population
        .entities
        .values()
        .filter(|gathered| !best.contains(&(gathered.collection.clone(), gathered.id.clone())))
        .collect();
    rest.sort_by_key(|gathered| gathered.first);
    best.extend(rest.into_iter().map(|gathered| (gathered.collection.clone(), gathered.id.clone())));
    best
}

fn build_entity(population: &Population<'_>, gathered: &Gathered<'_>, offset: usize) -> Entity {
    let mut fields = Object::new();
    let mut view_fields: BTreeMap<usize, Object> = BTreeMap::new();
    for (way, representation) in population.representations.iter().enumerate() {
        let Some(shown) = gathered.shown.get(&way) else { continue };
        for (name, value) in shown.as_object().into_iter().flatten() {
            let Some(name) = name.as_str() else { continue };
            let Some(member) = representation.members.iter().find(|member| member.name.as_ref() == name) else {
                continue;
            };
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
    }
}

/// The value of an item answer's entity, for callers that hold only the view.
pub fn entity_in<'v>(view: &ItemView, body: &'v Value) -> Option<&'v Value> {
    entity_at(body, &view.place, view.one_element)
}

/// The trimmed path of a call.
pub fn path_of(path: &str) -> &str {
    trim_slash(path)
}
