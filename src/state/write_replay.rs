//! The replay: all recorded calls in their order through the engine, each write by its proposed plan with the recorded
//! values of what it generates, each read against what was recorded. A plan is confirmed by a read that comes out as
//! recorded and would not have without the write.

use super::coverage::Effect;
use super::derive::Derivation;
use super::effect_companion::{fresh_lists, propose_companions};
use super::effect_document::propose_documents;
use super::effect_propose::{needed, propose_effects, propose_forgetting};
use super::evaluate::{Read, ReadAnswer, evaluate_read, select_list};
use super::identity::Kind;
use super::key_effect::ToolEffects;
use super::observe::{Seen, is_read};
use super::parallel::each_in_order;
use super::store::{Entity, World};
use super::types::View;
use super::write_apply::{Write, apply_one};
use super::write_bulk::Bulk;
use super::write_history::{EntityKey, History, Showing};
use super::write_maker::RecordedMaker;
use super::write_plan::{BodyEnvelope, Target, WritePlan, WriteState};
use super::write_propose::{body_envelope, propose};
use super::write_reason::WriteReason;
use super::write_sample::{Fate, Sample, entity_of, followed};
use super::write_truth::{Truth, truth};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// How many reads a confirmation is looked for with, for each recorded write.
const MAX_TRIALS: usize = 12;

/// How often rules are followed and those that are not needed taken away.
const MAX_ROUNDS: usize = 4;

/// A write whose effect no read has shown yet.
struct Pending {
    tool: usize,
    part: usize,
    key: EntityKey,
    before: Option<Arc<Entity>>,
    end: Option<f64>,
    trials: usize,
    /// The identity that the write gave it.
    renamed: Option<String>,
}

impl Derivation<'_> {
    /// Finds the plans of all write tools, and replays the capture against them.
    pub(super) fn writes(&mut self, kinds: &[Kind], effects: &HashMap<usize, ToolEffects>) {
        self.derived.writes = vec![None; self.manifest.tools.len()];
        let from = self
            .observed
            .seen
            .iter()
            .position(|seen| (200..300).contains(&seen.status) && !is_read(&self.manifest.tools[seen.tool]));
        let from = from.unwrap_or(self.observed.seen.len());
        let history = History::new(self, kinds, effects, from);
        let mut targets: BTreeMap<usize, (Target, BodyEnvelope)> = BTreeMap::new();
        let mut bulks: BTreeMap<usize, Bulk> = BTreeMap::new();
        for tool in 0..self.manifest.tools.len() {
            if is_read(&self.manifest.tools[tool]) || !self.succeeded(tool) {
                continue;
            }
            let known = self.write_target(tool, &history);
            let bulk = self.bulk_target(tool, known.as_ref(), &history);
            let (target, bulk) = bulk.map_or((known, None), |(target, bulk)| (Some(target), Some(bulk)));
            let Some(target) = target else { continue };
            let envelope = match &bulk {
                Some(_) => BodyEnvelope::default(),
                None => body_envelope(self, tool, target.entity_type),
            };
            targets.insert(tool, (target, envelope));
            bulks.extend(bulk.map(|bulk| (tool, bulk)));
        }
        let singles = self.singles(&bulks);
        let plans = {
            let look = |work: &Self| truth(work, &history, &targets, &singles, from);
            let mut without = look(self);
            if self.drop_followers(&without) {
                self.views(kinds);
                without = look(self);
            }
            if !without.hidden.is_empty() {
                self.late_scopes(&without.hidden);
                without = look(self);
            }
            self.derived.effects = propose_effects(self, &history, &without);
            // A rule that leaves as much unexplained as there is without it goes; others may do better then.
            let mut with = look(self);
            for _ in 0..MAX_ROUNDS {
                let needed = needed(&self.derived.effects, &without, &with);
                if needed.len() == self.derived.effects.len() {
                    break;
                }
                self.derived.effects = needed;
                with = look(self);
            }
            let documents = propose_documents(self, &with);
            self.derived.effects.extend(documents);
            let companions = propose_companions(self, &history, &with);
            self.derived.fresh_lists = fresh_lists(self, &history, &with, &companions);
            self.derived.effects.extend(companions);
            let forgetting = propose_forgetting(self, &history, &without, &with);
            self.derived.effects.extend(forgetting);
            let truth = look(self);
            self.late_orders(&truth.lists);
            let Truth { samples, .. } = truth;
            let work = &*self;
            let by_tool: Vec<(&usize, &Vec<Sample<'_>>)> = samples.iter().collect();
            let proposed = each_in_order(&by_tool, self.threads, |(tool, samples)| {
                let (target, envelope) = targets.get(tool)?;
                let plan = propose(work, **tool, target, envelope, samples);
                Some((**tool, WritePlan { bulk: bulks.get(tool).cloned(), ..plan }))
            });
            let mut plans: BTreeMap<usize, WritePlan> = proposed.into_iter().flatten().collect();
            self.sequence_starts(&mut plans, &samples, &history);
            let confirmed = self.replay(&plans, &samples, &history);
            for ((tool, part), ordinals) in confirmed {
                if let Some(part) = plans.get_mut(&tool).and_then(|plan| plan.parts.get_mut(part)) {
                    part.confirmed_by = ordinals;
                }
            }
            plans
        };
        for (tool, mut plan) in plans {
            let proposed = plan.clone();
            plan.parts.retain(|part| !part.confirmed_by.is_empty());
            self.derived.writes[tool] =
                Some(if !plan.parts.is_empty() { WriteState::Served(Arc::new(plan)) } else { withheld(&proposed) });
        }
    }

    pub(super) fn succeeded(&self, tool: usize) -> bool {
        self.observed.of_tool(tool).any(|seen| (200..300).contains(&seen.status))
    }

    /// Replays the capture; the ordinals that confirm each part of each plan.
    fn replay(
        &self,
        plans: &BTreeMap<usize, WritePlan>,
        samples: &BTreeMap<usize, Vec<Sample<'_>>>,
        history: &History<'_>,
    ) -> BTreeMap<(usize, usize), Vec<usize>> {
        let mut by_call: HashMap<usize, Vec<&Sample<'_>>> = HashMap::new();
        for sample in samples.values().flatten() {
            by_call.entry(sample.index).or_default().push(sample);
        }
        let mut world = self.derived.world.clone();
        let mut pending: Vec<Pending> = Vec::new();
        let mut confirmed: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (index, call) in self.observed.seen.iter().enumerate() {
            for sample in by_call.get(&index).into_iter().flatten().filter(|sample| sample.fate != Fate::Missed) {
                let before = entity_of(&world, &sample.key);
                let planned = plans.get(&call.tool).and_then(|plan| self.replayed(plan, sample, sample.call, &world));
                let (next, part) = match planned {
                    Some((next, part)) => (next, Some(part)),
                    None => (followed(&self.derived, &world, sample), None),
                };
                world = next;
                pending.retain(|pending| pending.key != sample.key);
                if let Some(part) = part {
                    pending.push(Pending {
                        tool: call.tool,
                        part,
                        key: sample.key.clone(),
                        before,
                        end: call.span.map(|(_, end)| end),
                        trials: 0,
                        renamed: sample.renamed.clone(),
                    });
                }
            }
            if by_call.contains_key(&index) {
                continue;
            }
            if pending.is_empty() || !is_read(&self.manifest.tools[call.tool]) {
                continue;
            }
            let shown = history.by_call.get(&index).map(Vec::as_slice).unwrap_or_default();
            self.confirm((call, shown), &world, &mut pending, &mut confirmed);
        }
        confirmed
    }

    /// The world after a write by its plan; `None` when the plan does not cover it.
    fn replayed(&self, plan: &WritePlan, sample: &Sample<'_>, call: &Seen, world: &World) -> Option<(World, usize)> {
        let after = Sample::object(&sample.after);
        let place: String = self.derived.types[sample.key.0].identity.names().map(|name| format!("/{name}")).collect();
        let mut maker = RecordedMaker::new(world, after, (&sample.key.2, place), call.body.as_deref());
        let write =
            Write { parameters: &call.parameters, path: &call.path, query: &call.query, body: call.sent.as_deref() };
        let written = apply_one(&self.derived, world, plan, &write, &mut maker);
        let written = written.ok()?;
        if let (Some(body), Some(recorded)) = (&written.body, &call.body)
            && !recorded.same_as(body)
        {
            return None;
        }
        Some((written.world?, written.part?))
    }

    /// Confirms what a read shows: it comes out as recorded, and would not without the write. Of a list that does not, for
    /// what others hold, it may still be told which entities it lists: that confirms what makes one and what takes one away.
    fn confirm(
        &self,
        (call, shown): (&Seen, &[(EntityKey, Showing<'_>)]),
        world: &World,
        pending: &mut [Pending],
        confirmed: &mut BTreeMap<(usize, usize), Vec<usize>>,
    ) {
        let kind = match &self.derived.views[call.tool] {
            View::Item(view) => view.entity_type,
            View::List(view) => view.entity_type,
            _ => return,
        };
        let start = call.span.map(|(start, _)| start);
        let overlaps = |pending: &Pending| pending.end.zip(start).is_some_and(|(end, start)| start < end);
        if !pending.iter().any(|pending| pending.key.0 == kind && !overlaps(pending)) {
            return;
        }
        let whole = self.reproduces(call, world);
        let as_shown = |world: &World| match whole {
            true => self.reproduces(call, world),
            false => self.lists(call, world, shown),
        };
        if !whole && !as_shown(world) {
            return;
        }
        for pending in pending.iter_mut().filter(|pending| pending.key.0 == kind && !overlaps(pending)) {
            if pending.trials >= MAX_TRIALS {
                continue;
            }
            let there = entity_of(world, &pending.key).is_some();
            if !whole && there == pending.before.is_some() {
                continue;
            }
            pending.trials += 1;
            let mut without = world.clone();
            match &pending.before {
                Some(before) => without.set_entity(kind, before.as_ref().clone()),
                None => {
                    without.drop_entity(kind, &pending.key.1, &pending.key.2);
                }
            }
            if let Some(name) = &pending.renamed {
                without.drop_entity(kind, &pending.key.1, name);
            }
            if !as_shown(&without) {
                confirmed.entry((pending.tool, pending.part)).or_default().push(call.ordinal);
                pending.trials = MAX_TRIALS;
            }
        }
    }

    /// Whether a list from a world lists the entities that it was recorded with.
    fn lists(&self, call: &Seen, world: &World, shown: &[(EntityKey, Showing<'_>)]) -> bool {
        let (View::List(view), Some(line)) = (&self.derived.views[call.tool], call.line.as_ref()) else { return false };
        let path = self.raw_path(call);
        let read = Read { tool: call.tool, parameters: &call.parameters, path: &path, line: Some(line) };
        let Ok(selection) = select_list(&self.derived, world, view, read, line) else { return false };
        let recorded: BTreeSet<(&str, &str)> = shown.iter().map(|(key, _)| (key.1.as_str(), key.2.as_str())).collect();
        let listed: BTreeSet<(&str, &str)> =
            selection.listed().iter().map(|entity| (entity.collection.as_ref(), entity.id.as_ref())).collect();
        (200..300).contains(&call.status) && !recorded.is_empty() && recorded == listed
    }

    /// Whether a read from a world comes out as it was recorded.
    pub(super) fn reproduces(&self, call: &Seen, world: &World) -> bool {
        let path = self.raw_path(call);
        let read = Read { tool: call.tool, parameters: &call.parameters, path: &path, line: call.line.as_ref() };
        match evaluate_read(&self.derived, world, read) {
            ReadAnswer::State { body, .. } => call.body.as_deref().is_some_and(|recorded| recorded.same_as(&body)),
            // The absence of what a write took away shows it as well as a body does.
            ReadAnswer::Absent { record, .. } => {
                !(200..300).contains(&call.status)
                    && self.observed.of_record(record).is_some_and(|absence| absence.status == call.status)
            }
            ReadAnswer::Refused { .. } | ReadAnswer::Recording { .. } => false,
        }
    }
}

/// Why a plan that nothing confirmed is withheld.
fn withheld(plan: &WritePlan) -> WriteState {
    let part = plan.parts.first();
    let pointer = part.and_then(|part| {
        let unknown = part.slots.iter().find(|(_, rule)| rule.is_unknown());
        unknown.map(|(slot, _)| format!("/{}", slot.name))
    });
    let answer = part.and_then(|part| part.answer.as_ref()).is_some_and(|answer| answer.is_unknown());
    let reason = match (&pointer, part.map(|part| part.effect)) {
        (Some(_), Some(Effect::Create)) => WriteReason::UnexplainedCreate,
        (Some(_), _) => WriteReason::UnexplainedChange,
        (None, _) if answer => WriteReason::UnexplainedAnswer,
        _ => WriteReason::Unconfirmed,
    };
    WriteState::Withheld {
        effect: plan.effect(),
        reason,
        pointer,
        exemplar_ordinal: part.map(|part| part.ordinal),
        contradicted_by: None,
    }
}
