//! The derived state: types, representations, views and the world at the start, and the questions that rendering asks
//! of them. Immutable once it is derived; every session shares one.

use super::absence::Absence;
use super::absent_named::NamedInLine;
use super::effect::EffectRule;
use super::line::Line;
use super::listing::Listing;
use super::observe::{is_read, names_query};
use super::per_response::MadeAnew;
use super::query::QueryModel;
use super::recorded_refusal::RecordedRefusal;
use super::refused_read::{Parent, RefusedLine};
use super::store::{Entity, World};
use super::types::{EntityType, Place, Representation, View};
use super::write_apply::{Write, Written, apply};
use super::write_by_read::WriteByRead;
use super::write_maker::LiveMaker;
use super::write_plan::{WritePlan, WriteState};
use super::write_refuse::WriteRefusal;
use crate::json::Value;
use crate::manifest::{Segment, SegmentFormat, Tool, decode_once, split_path};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
    /// POST tools that the capture shows only reading: no writes, though nothing is derived from them.
    pub reading_posts: BTreeSet<usize>,
    /// What each tool that is no read does, by tool; `None` where nothing is known.
    pub writes: Vec<Option<WriteState>>,
    /// Lines of read tools that write.
    pub by_reads: Vec<WriteByRead>,
    /// What writes change beside their targets.
    pub effects: Vec<EffectRule>,
    /// Lists that are known in full for an entity that a served write created: by tool, the parameter that names it and
    /// its type.
    pub fresh_lists: BTreeMap<usize, (usize, usize)>,
    /// Values of a list's filter that are known in full where they name an entity that a served write created: by tool, the
    /// key and the entity's type.
    pub fresh_partitions: BTreeMap<usize, (String, usize)>,
    /// Types whose identities are numbers of one sequence.
    pub(super) sequences_across: Vec<Vec<usize>>,
    /// Updates that take a number of a sequence, too.
    pub(super) numbers_taken: Vec<super::sequence_taken::NumberTaken>,
    /// Seconds since the epoch: the clock that served writes start from; `None` when the capture teaches none.
    pub write_clock: Option<i64>,
    /// How the items of lists wrap their entities, by tool.
    pub(super) wraps: BTreeMap<usize, super::wrapped_items::Wrap>,
    /// Members that each answer of a tool makes anew, by tool.
    pub(super) per_response: Vec<Vec<MadeAnew>>,
    /// Keys of lists' lines that name entities, with the refusal where there is none, by tool.
    pub(super) named_in_lines: BTreeMap<usize, Vec<NamedInLine>>,
    /// Names of members that hold a made identifier beside the identity.
    pub(super) id_names: BTreeSet<Box<str>>,
    /// The tree of items that are addressed by their whole path, where the capture has one.
    pub(super) tree: Option<Arc<super::tree::Tree>>,
    /// Bodies of the records that views rest on, by record.
    pub(super) bodies: BTreeMap<usize, Arc<Value>>,
    /// Recorded absence answers, by tool.
    pub(super) absences: Vec<Vec<Absence>>,
    /// Recorded refusals, by write tool.
    pub(super) refusals: Vec<Vec<RecordedRefusal>>,
    /// Lines of reads that were only ever refused, by tool, sorted.
    pub(super) refused_reads: Vec<Vec<RefusedLine>>,
    /// The entity that a read lies under, by tool, where the capture shows what is answered when it is absent.
    pub(super) parents: BTreeMap<usize, Parent>,
    /// Item tools right under the home collection of a type: tool and type.
    pub(super) home_items: BTreeSet<(usize, usize)>,
    /// Types known in full.
    pub(super) complete_types: BTreeSet<usize>,
    /// Collections known in full: type and path.
    pub(super) complete_paths: BTreeSet<(usize, String)>,
}

impl Derived {
    /// Whether a tool is served without a confirmed effect: a read, or a POST that only reads.
    pub fn only_reads(&self, index: usize, tool: &Tool) -> bool {
        is_read(tool) || names_query(tool) || self.reading_posts.contains(&index)
    }

    /// Members that each 2xx answer of a tool makes anew.
    pub fn per_response(&self, tool: usize) -> &[MadeAnew] {
        self.per_response.get(tool).map(Vec::as_slice).unwrap_or_default()
    }

    /// Where the documents of a read tool move by themselves.
    pub fn moving(&self, tool: usize) -> &[Place] {
        match self.views.get(tool) {
            Some(View::Document(view)) => &view.moving,
            _ => &[],
        }
    }

    /// The plan of a served write tool.
    pub fn plan(&self, tool: usize) -> Option<&WritePlan> {
        match self.writes.get(tool)?.as_ref()? {
            WriteState::Served(plan) => Some(plan),
            WriteState::Withheld { .. } => None,
        }
    }

    /// Applies a served write. `named` is the state's Evidence id and the tool's name: generated values come from them.
    ///
    /// # Errors
    /// Every call that the recorded calls do not cover; nothing has changed then.
    pub fn write(
        &self,
        world: &World,
        plan: &WritePlan,
        write: &Write<'_>,
        named: (&str, &str),
    ) -> Result<Written, WriteRefusal> {
        apply(self, world, plan, write, &mut LiveMaker::new(self, world, named))
    }

    /// The types whose identities are numbers of the same sequence as those of a type, itself among them.
    pub(super) fn counted_with(&self, kind: usize) -> Vec<usize> {
        let group = self.sequences_across.iter().find(|group| group.contains(&kind));
        group.map_or_else(|| vec![kind], Clone::clone)
    }

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

    /// Whether a list is one of an entity that a served write created, and so known in full.
    pub(super) fn is_fresh(&self, world: &World, tool: usize, parameters: &[String]) -> bool {
        self.fresh_lists.get(&tool).is_some_and(|(parameter, kind)| {
            parameters.get(*parameter).is_some_and(|id| self.made_since(world, *kind, id))
        })
    }

    /// Whether a served write created what an identity names.
    fn made_since(&self, world: &World, kind: usize, id: &str) -> bool {
        world.named(kind, id).any(|held| held.made) && self.world.named(kind, id).next().is_none()
    }

    /// Whether every value of a line's filter that is not known in full from the start names an entity that a served
    /// write created: what it holds is known in full, too.
    pub(super) fn asks_for_fresh(&self, world: &World, tool: usize, model: &QueryModel, line: &Line) -> bool {
        let Some((key, kind)) = self.fresh_partitions.get(&tool) else { return false };
        let Some(param) = line.get(key) else { return false };
        let known = model.partitions.as_ref().and_then(|partitions| partitions.get(key));
        let one = std::slice::from_ref(&param.text);
        let values = param.list.as_deref().unwrap_or(one);
        let whole = |id: &String| known.is_some_and(|known| known.contains(id)) || self.made_since(world, *kind, id);
        !values.is_empty() && values.iter().all(whole)
    }

    /// The entities of a type in the collections of the entity that a fresh list names.
    pub(super) fn fresh_listing(&self, world: &World, kind: usize, read: super::evaluate::Read<'_>) -> Listing {
        let id = self.fresh_lists.get(&read.tool).and_then(|(parameter, _)| read.parameters.get(*parameter));
        let segments = self.types.get(kind).map(|kind| kind.template.segments.as_slice()).unwrap_or_default();
        let mut places = segments.iter().enumerate().filter(|(_, segment)| !matches!(segment, Segment::Literal(_)));
        let (Some(id), Some((place, _)), None) = (id, places.next(), places.next()) else { return Listing::default() };
        let under = |path: &str| split_path(path).get(place).is_some_and(|segment| decode_once(segment) == **id);
        let held = world.collections(kind).filter(|(path, _)| under(path));
        held.flat_map(|(_, collection)| collection.iter().cloned()).collect()
    }

    /// The recorded absence answer of a tool that fits the asked identity best: the same, or one of the same format.
    pub fn absence_for(&self, tool: usize, asked: &str, beside: &[String]) -> Option<&Absence> {
        let absences = self.absences.get(tool)?;
        let format = SegmentFormat::of(asked);
        let of = |absence: &&Absence| absence.asked.as_deref() == Some(asked);
        absences
            .iter()
            .find(|absence| of(absence) && absence.beside == beside)
            .or_else(|| absences.iter().find(of))
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
        entity.whole().clone()
    }

    /// The type whose entities a tool's answers show, or that a served write is about.
    pub fn type_of_tool(&self, tool: usize) -> Option<usize> {
        match self.views.get(tool)? {
            View::Item(view) => Some(view.entity_type),
            View::List(view) => Some(view.entity_type),
            View::Part(view) => Some(view.entity_type),
            View::Tree => self.tree.as_ref().map(|tree| tree.kind),
            _ => self.plan(tool).map(|plan| plan.target.entity_type).filter(|kind| *kind < self.types.len()),
        }
    }

    /// What a made member of a type says for an entity with these members, where the rule keeps a part of `holder`'s text
    /// as it is; `None` when no rule makes both. The rule is the type's own, or that of a served write.
    pub fn made_value(&self, entity_type: usize, name: &str, entity: &Value, holder: &Value) -> Option<Value> {
        let own = self.types.get(entity_type)?.made.iter().filter(|(held, _)| held.as_ref() == name);
        let plans = self.writes.iter().filter_map(|write| match write {
            Some(WriteState::Served(plan)) if plan.target.entity_type == entity_type => Some(plan),
            _ => None,
        });
        let written = plans
            .flat_map(|plan| plan.parts.iter().flat_map(|part| &part.slots))
            .filter(|(slot, _)| slot.name.as_ref() == name)
            .filter_map(|(_, rule)| rule.text());
        let held = holder.get(name).and_then(Value::as_str)?;
        let mut rules = own.map(|(_, pieces)| pieces.as_slice()).chain(written);
        rules.find_map(|pieces| {
            let made = |entity| super::text_rule::make_text_like(pieces, entity, holder, name);
            (made(holder).as_deref() == Some(held)).then(|| made(entity)).flatten().map(Value::from)
        })
    }

    /// Whether members of this name hold made identifiers.
    pub fn names_made_id(&self, name: &str) -> bool {
        self.id_names.contains(name)
    }

    /// What stands between the identities that members of this name join, where they are made of those of other entities.
    pub fn joins_ids(&self, name: &str) -> Option<&str> {
        self.effects.iter().find_map(|rule| match rule {
            EffectRule::Gather(held) => held.joins_ids(name, &self.types.get(held.of)?.identity),
            _ => None,
        })
    }

    /// Whether members of this name list the identities of other entities, of which they are made.
    pub fn lists_ids(&self, name: &str) -> bool {
        self.effects.iter().any(|rule| match rule {
            EffectRule::Gather(held) => self.types.get(held.of).is_some_and(|of| held.lists_ids(name, &of.identity)),
            _ => false,
        })
    }

    /// Whether the initial world holds an entity with this identity.
    pub fn holds_id(&self, id: &str) -> bool {
        (0..self.types.len()).any(|kind| self.world.named(kind, id).next().is_some())
    }
}
