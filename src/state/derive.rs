//! Derive: the whole way from a capture to a state. Observe, find types, gather entities, propose views, replay the
//! recordings against them, and keep what reproduces them. The steps are in files of their own; this one leads them.

use super::derived::Derived;
use super::document::document_view;
use super::document_moving::moving_places;
use super::entity::shape_of;
use super::envelope::frame_of;
use super::id_names::made_id_names;
use super::identity::{Kind, find_types};
use super::infer_naming::NamingType;
use super::key_effect::ToolEffects;
use super::limits::MAX_RENDERED_BYTES;
use super::observe::{Observed, Seen, asks, is_read, observe};
use super::paging::PagingRole;
use super::parallel::{each_in_order, threads};
use super::path::{MemberPath, scalar_paths};
use super::state_document::compact_length;
use super::tree_replay::{Kept, kept_tree};
use super::types::{Shape, View};
use super::wrapped_items::{find_wraps, unwrapped};
use crate::capture::{Capture, is_success};
use crate::json::Value;
use crate::manifest::{Manifest, Segment, Tool};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// A derivation under way: what was observed, and what is derived so far.
pub(super) struct Derivation<'a> {
    /// The tools.
    pub(super) manifest: &'a Manifest,
    /// What each tool answers with, by tool.
    pub(super) shapes: &'a [Shape],
    /// The calls.
    pub(super) observed: &'a Observed,
    /// The time of the first write that may have changed a type, by type.
    pub(super) touched: Vec<usize>,
    /// The time of the first write that may have changed any type.
    pub(super) first_change: usize,
    /// The state so far.
    pub(super) derived: Derived,
    /// What parameters do to the entities that each tool shows.
    pub(super) effects: HashMap<usize, ToolEffects>,
    /// Where the entities of each type hold scalars: asked for by every list, the same until the views are proposed.
    scalars: OnceLock<Vec<(usize, Vec<MemberPath>)>>,
    /// What may name an entity, by type.
    pub(super) namings: OnceLock<Vec<NamingType>>,
    /// How many threads may work at once; what is derived is the same with any number.
    pub(super) threads: usize,
    /// What keys were seen to do on some list.
    pub(super) proved: BTreeMap<String, PagingRole>,
}

/// Derives the state of a capture under a manifest.
pub fn derive_state(capture: &Capture, manifest: &Manifest) -> Derived {
    let observed = observe(capture, manifest);
    derive_observed(manifest, &observed, threads())
}

pub(super) fn derive_observed(manifest: &Manifest, observed: &Observed, threads: usize) -> Derived {
    let tree = kept_tree(manifest, observed);
    let in_tree = |tool: usize| tree.as_ref().is_some_and(|kept| kept.tree.answers(tool));
    let shapes_of = |observed: &Observed| -> Vec<Shape> {
        let tools = manifest.tools.iter().enumerate();
        tools
            .map(|(index, tool)| match is_read(tool) && !in_tree(index) {
                true => shape_of(tool, index, observed),
                false => Shape::None,
            })
            .collect()
    };
    let shapes = shapes_of(observed);
    let wraps = find_wraps(manifest, &shapes, observed);
    if !wraps.is_empty() {
        let bare = unwrapped(observed, &wraps);
        let mut derived = derive_bare(manifest, &bare, &shapes_of(&bare), (tree.as_ref(), threads));
        derived.wraps = wraps;
        return derived;
    }
    derive_bare(manifest, observed, &shapes, (tree.as_ref(), threads))
}

/// The same where no list wraps its entities.
fn derive_bare(
    manifest: &Manifest,
    observed: &Observed,
    shapes: &[Shape],
    (tree, threads): (Option<&Kept>, usize),
) -> Derived {
    let in_tree = |tool: usize| tree.is_some_and(|kept| kept.tree.answers(tool));
    let kinds = find_types(manifest, shapes, observed);
    let touched: Vec<usize> = kinds.iter().map(|kind| touched_at(manifest, observed, kind)).collect();
    let mut first_change = touched.iter().copied().min().unwrap_or(usize::MAX);
    first_change = first_change.min(observed.seen.len().max(1) * 1_000_000);
    let mut work = Derivation {
        manifest,
        shapes,
        observed,
        touched,
        first_change,
        derived: Derived { per_response: observed.per_response.clone(), ..Derived::default() },
        effects: HashMap::new(),
        scalars: OnceLock::new(),
        namings: OnceLock::new(),
        threads,
        proved: BTreeMap::new(),
    };
    let effects = work.populate(&kinds);
    work.effects = effects.clone();
    work.hold_shown(&kinds);
    work.fill_references();
    work.fill_spellings();
    work.sorted_arrays(&kinds);
    work.reference_orders(&kinds);
    work.absences();
    work.refusals();
    work.refused_reads();
    work.views(&kinds);
    work.writes(&kinds, &effects, &in_tree);
    if let Some(kept) = tree {
        work.plant(kept);
    }
    work.document_writes();
    work.writes_by_reads();
    work.derived.id_names = made_id_names(&work.derived);
    work.derived
}

/// The time of the first 2xx write whose path lies under one of the type's collections, or names the home collection; the largest time otherwise.
fn touched_at(manifest: &Manifest, observed: &Observed, kind: &Kind) -> usize {
    let roots: Vec<&[Segment]> = kind
        .tools
        .iter()
        .map(|tool| trimmed(&manifest.tools[*tool]))
        .map(|segments| match segments.split_last() {
            // A list behind a word for asking (`/experiments/search`): what is beside the word may change it.
            Some((Segment::Literal(word), rest)) if asks(word) && !rest.is_empty() => rest,
            Some((Segment::Literal(_), _)) | None => segments,
            Some((_, rest)) => rest,
        })
        .chain([home_root(&kind.entity_type.template.segments)])
        .collect();
    // What the collection is called, wherever a path names it: `/admin/users` may change `/users`.
    let called = home_root(&kind.entity_type.template.segments).iter().rev().find_map(Segment::literal);
    observed
        .seen
        .iter()
        .filter(|seen| seen.wrote(manifest))
        .filter(|seen| {
            let segments = trimmed(&manifest.tools[seen.tool]);
            roots.iter().any(|root| segments.len() >= root.len() && segments[..root.len()] == **root)
                || called.is_some_and(|word| segments.iter().any(|segment| segment.literal() == Some(word)))
        })
        .map(|seen| seen.time)
        .min()
        .unwrap_or(usize::MAX)
}

/// A home collection without a word for asking at its end.
fn home_root(segments: &[Segment]) -> &[Segment] {
    match segments.split_last() {
        Some((Segment::Literal(word), rest)) if asks(word) && !rest.is_empty() => rest,
        _ => segments,
    }
}

/// The segments of a tool's template without the empty one that a trailing slash makes.
pub(super) fn trimmed(tool: &Tool) -> &[Segment] {
    match tool.template.segments.split_last() {
        Some((Segment::Literal(text), rest)) if text.is_empty() && !rest.is_empty() => rest,
        _ => &tool.template.segments,
    }
}

impl Derivation<'_> {
    /// Proposes a view for each tool: lists first, since they say which types are complete.
    pub(super) fn views(&mut self, kinds: &[Kind]) {
        let type_of: HashMap<usize, usize> = kinds
            .iter()
            .enumerate()
            .flat_map(|(index, kind)| kind.tools.iter().map(move |tool| (*tool, index)))
            .collect();
        self.derived.views = vec![View::Write; self.manifest.tools.len()];
        let lists: Vec<usize> =
            (0..self.shapes.len()).filter(|tool| matches!(self.shapes[*tool], Shape::List { .. })).collect();
        let work = &*self;
        let models = each_in_order(&lists, self.threads, |tool| {
            type_of.get(tool).map(|entity_type| (*entity_type, work.list_models(*tool, *entity_type)))
        });
        for (&tool, models) in lists.iter().zip(models) {
            let view = models.and_then(|(entity_type, models)| self.best_list_view(tool, entity_type, models));
            self.derived.views[tool] = match view {
                Some(view) => View::List(Box::new(view)),
                None => self.document(tool),
            };
        }
        self.paged_elsewhere(&lists, &type_of);
        self.completeness();
        self.counts();
        for tool in 0..self.shapes.len() {
            match &self.shapes[tool] {
                _ if matches!(self.derived.views[tool], View::Count(_)) => {}
                Shape::Item { .. } => {
                    let view = type_of.get(&tool).and_then(|entity_type| self.item_view(tool, *entity_type));
                    self.derived.views[tool] = match view {
                        Some(view) => View::Item(Box::new(view)),
                        None if self.analogous_item(tool) => continue,
                        None => self.document(tool),
                    };
                }
                Shape::Document => {
                    self.derived.views[tool] = match self.part_view(tool) {
                        Some(view) => View::Part(view),
                        None => self.document(tool),
                    };
                }
                Shape::None if self.analogous_item(tool) => {}
                Shape::None if is_read(&self.manifest.tools[tool]) => {
                    self.derived.views[tool] = View::Recorded { reason: "no-view" };
                }
                _ => {}
            }
        }
        self.parents();
        self.bound_answers();
    }

    /// The document view of a tool, from answers that no write of an overlapping path came before.
    fn document(&mut self, tool: usize) -> View {
        let root = trimmed(&self.manifest.tools[tool]).to_vec();
        let changed = self
            .observed
            .seen
            .iter()
            .filter(|seen| {
                let segments = trimmed(&self.manifest.tools[seen.tool]);
                seen.wrote(self.manifest)
                    && segments.len() >= root.len().min(segments.len())
                    && (segments.starts_with(&root) || root.starts_with(segments))
            })
            .map(|seen| seen.time)
            .min()
            .unwrap_or(usize::MAX);
        let mut world = std::mem::take(&mut self.derived.world);
        let changed = changed.min(self.first_change.max(self.first_read(tool) + 1));
        let writes: Vec<usize> =
            self.observed.seen.iter().filter(|seen| seen.wrote(self.manifest)).map(|seen| seen.time).collect();
        let written = |one: &Seen, other: &Seen| {
            let next = writes.partition_point(|time| *time < one.time);
            writes.get(next).is_some_and(|time| *time < other.time)
        };
        let moving = moving_places(self.observed, tool, written);
        let clean = |seen: &Seen| seen.time < changed;
        let view = document_view(tool, self.observed, &mut world, clean, moving, MAX_RENDERED_BYTES);
        self.derived.world = world;
        view
    }

    /// The time of a tool's first answered call.
    fn first_read(&self, tool: usize) -> usize {
        self.observed.of_tool(tool).filter(|seen| is_success(seen.status)).map(|seen| seen.time).min().unwrap_or(0)
    }

    /// The calls of a tool that nothing may have changed yet; when there are none, those before its own type changed.
    pub(super) fn clean_calls(&self, tool: usize, entity_type: usize) -> Vec<&Seen> {
        let before = |limit: usize| -> Vec<&Seen> {
            self.observed
                .of_tool(tool)
                .filter(|seen| seen.time < limit && is_success(seen.status) && seen.body.is_some())
                .collect()
        };
        let touched = self.touched[entity_type];
        let strict = before(touched.min(self.first_change));
        if strict.is_empty() { before(touched) } else { strict }
    }

    /// What parameters do to a tool's representation, as gathered.
    pub(super) fn effects_of(&self, tool: usize) -> ToolEffects {
        self.effects.get(&tool).cloned().unwrap_or_default()
    }

    /// Where the entities of each type hold scalars.
    pub(super) fn scalars_of_types(&self) -> &[(usize, Vec<MemberPath>)] {
        self.scalars.get_or_init(|| {
            let held = |kind: usize| -> Vec<Arc<Value>> {
                let collections = self.derived.world.collections(kind);
                collections.flat_map(|(_, held)| held.iter().map(|entity| entity.fields.clone())).collect()
            };
            let paths = |kind: usize| scalar_paths(held(kind).iter().map(AsRef::as_ref));
            (0..self.derived.types.len()).map(|kind| (kind, paths(kind))).collect()
        })
    }

    /// Keeps the body of a record that a view rests on.
    pub(super) fn remember(&mut self, record: usize) {
        if let Some(body) = self.seen_at(record).and_then(|seen| seen.body.as_ref()) {
            self.derived.bodies.insert(record, body.clone());
        }
    }

    /// The answer of a record with null at a place.
    pub(super) fn frame(&self, record: usize, place: &[Box<str>]) -> Value {
        self.seen_at(record).and_then(|seen| seen.body.as_deref()).map(|body| frame_of(body, place)).unwrap_or_default()
    }

    fn seen_at(&self, record: usize) -> Option<&Seen> {
        self.observed.of_record(record)
    }

    /// The path as it was recorded, trailing slash and all.
    pub(super) fn raw_path(&self, seen: &Seen) -> String {
        let trailing = self.manifest.tools[seen.tool]
            .template
            .segments
            .last()
            .is_some_and(|segment| matches!(segment, Segment::Literal(text) if text.is_empty()));
        if trailing && !seen.path.ends_with('/') { format!("{}/", seen.path) } else { seen.path.clone() }
    }

    /// Whether answers can come near the rendered limit: only then they are measured. An answer holds each entity at most
    /// once, in an envelope that some recording has; members that rules fill come to no more than the observed ones.
    fn bound_answers(&mut self) {
        let bodies = self.observed.seen.iter().filter_map(|seen| seen.body.as_ref());
        let longest = bodies.map(|body| compact_length(body)).max().unwrap_or_default();
        let entities = (0..self.derived.types.len()).flat_map(|kind| self.derived.world.collections(kind));
        let held: usize = entities
            .flat_map(|(_, collection)| collection.iter())
            .map(|entity| {
                let shown = entity.view_fields.iter().flat_map(|(_, fields)| fields.iter());
                compact_length(&entity.fields) + shown.map(|(_, value)| compact_length(value)).sum::<usize>()
            })
            .sum();
        self.derived.oversize_possible = (longest + held) * 2 > MAX_RENDERED_BYTES;
    }
}
