//! The replay: all recorded calls in their order through the engine, each write by its proposed plan with the recorded
//! values of what it generates, each read against what was recorded. A plan is confirmed by a read that comes out as
//! recorded and would not have without the write.

use super::absence::says_absent;
use super::derive::{Derivation, trimmed};
use super::effect_companion::{fresh_lists, propose_companions};
use super::effect_document::propose_documents;
use super::effect_empty::propose_emptied;
use super::effect_follow::propose_touches;
use super::effect_named::propose_named;
use super::effect_only::propose_only;
use super::effect_propose::{needed, propose_effects, propose_forgetting};
use super::effect_shift::propose_shifts;
use super::evaluate::{Read, ReadAnswer, evaluate_read, select_list};
use super::fresh_partition::fresh_partitions;
use super::identity::Kind;
use super::key_effect::ToolEffects;
use super::observe::{Seen, is_read};
use super::parallel::each_in_order;
use super::precondition_propose::Refused;
use super::slot::Slot;
use super::store::{Entity, World};
use super::types::View;
use super::write_accepted::{accept_alike, borrow_alike};
use super::write_alike::leave_alike;
use super::write_answer::same_but;
use super::write_apply::{Written, apply_one};
use super::write_bulk::Bulk;
use super::write_cast::cast_alike;
use super::write_doubt::{Doubt, contradiction, withheld};
use super::write_history::{EntityKey, History, Showing};
use super::write_maker::RecordedMaker;
use super::write_plan::{BodyEnvelope, Target, TargetPlace, WritePlan, WriteState};
use super::write_propose::{body_envelope, propose};
use super::write_sample::{Fate, Sample, entity_of, filled, followed};
use super::write_settle::set_elsewhere;
use super::write_truth::{Truth, truth};
use crate::capture::is_success;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// How many reads a confirmation is looked for with, for each recorded write.
const MAX_TRIALS: usize = 12;

/// How often rules are followed and those that are not needed taken away.
const MAX_ROUNDS: usize = 4;

/// What an identity ends in that nothing has: of the one that a create would have made beside the one it found.
const ANOTHER: &str = "\u{0}another";

/// A write whose effect no read has shown yet.
struct Pending {
    index: usize,
    tool: usize,
    part: usize,
    key: EntityKey,
    before: Option<Arc<Entity>>,
    end: Option<f64>,
    trials: usize,
    /// The identity that the write gave it.
    renamed: Option<String>,
    /// Whether no other write came since.
    last: bool,
    /// Whether it is a create that found the entity there: without the rule there would be another one like it.
    found: bool,
}

/// What a plan does with a recorded write.
enum Replayed {
    /// It answers as recorded, and leaves this world by this part.
    As(World, usize),
    /// This part of it answers something else.
    AnswersOtherwise(usize),
    /// It does not cover the call.
    Uncovered,
}

/// What the replay says of each part of each plan, by the tool and the part's place.
#[derive(Debug, Default)]
struct Verdicts {
    /// Ordinals of the reads that confirm it.
    confirmed: BTreeMap<(usize, usize), Vec<usize>>,
    /// What speaks against it.
    doubts: BTreeMap<(usize, usize), Doubt>,
}

impl Derivation<'_> {
    /// Finds the plans of all write tools, and replays the capture against them.
    pub(super) fn writes(
        &mut self,
        kinds: &[Kind],
        effects: &HashMap<usize, ToolEffects>,
        elsewhere: &dyn Fn(usize) -> bool,
    ) {
        self.derived.writes = vec![None; self.manifest.tools.len()];
        let from = self.observed.seen.iter().position(|seen| seen.wrote(self.manifest));
        let from = from.unwrap_or(self.observed.seen.len());
        let history = History::new(self, kinds, effects, from);
        let mut targets: BTreeMap<usize, (Target, BodyEnvelope)> = BTreeMap::new();
        let mut bulks: BTreeMap<usize, Bulk> = BTreeMap::new();
        for tool in 0..self.manifest.tools.len() {
            if is_read(&self.manifest.tools[tool]) || !self.succeeded(tool) || elsewhere(tool) {
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
        let (plans, doubts) = {
            let look = |work: &Self| truth(work, &history, &targets, &singles, from);
            let mut without = look(self);
            if self.drop_followers(&without) {
                self.views(kinds);
                without = look(self);
            }
            if self.held_orders(&without) {
                without = look(self);
            }
            if !without.hidden.is_empty() {
                self.late_scopes(&without.hidden);
                without = look(self);
                // What a scope leaves out is no longer cut off.
                if self.late_sizes(&without.hidden, &without.lists) {
                    without = look(self);
                }
            }
            self.derived.effects = propose_effects(self, &history, &without);
            self.settle_rivals(look);
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
            let emptied = propose_emptied(self);
            self.derived.effects.extend(emptied);
            let companions = propose_companions(self, &history, &with);
            self.derived.fresh_lists = fresh_lists(self, &history, &with, &companions);
            self.derived.fresh_partitions = fresh_partitions(self, &history, &with);
            self.derived.effects.extend(companions);
            let touches = propose_touches(self, &history, &with);
            self.derived.effects.extend(touches);
            let shifts = propose_shifts(self, &history, &with);
            self.derived.effects.extend(shifts);
            let only = propose_only(self, &history, &with);
            self.derived.effects.extend(only);
            let named = propose_named(self, &history, &with);
            self.derived.effects.extend(named);
            let forgetting = propose_forgetting(self, &history, &without, &with);
            self.derived.effects.extend(forgetting);
            let mut truth = look(self);
            // A partition that is known only since a create made it leaves out what was marked, too.
            if !truth.hidden.is_empty() {
                self.late_scopes(&truth.hidden);
                truth = look(self);
            }
            self.late_orders(&truth.lists);
            let truth = self.late_places(truth, look);
            self.late_words(&truth.words);
            self.names_in_lines(&truth.asked);
            let Truth { samples, refused, .. } = truth;
            let work = &*self;
            let by_tool: Vec<(&usize, &Vec<Sample<'_>>)> = samples.iter().collect();
            let proposed = each_in_order(&by_tool, self.threads, |(tool, samples)| {
                let (target, envelope) = targets.get(tool)?;
                let refused: Vec<&Refused<'_>> = refused.iter().filter(|refused| refused.call.tool == **tool).collect();
                let plan = propose(work, **tool, target, envelope, samples, &refused);
                Some((**tool, WritePlan { bulk: bulks.get(tool).cloned(), ..plan }))
            });
            let mut plans: BTreeMap<usize, WritePlan> = proposed.into_iter().flatten().collect();
            self.derived.sequences_across = self.sequences_across(&plans, &samples);
            self.derived.numbers_taken = self.numbers_taken(&plans, &samples);
            self.sequence_starts(&mut plans, &samples, &history);
            leave_alike(&mut plans, &samples);
            accept_alike(&mut plans);
            cast_alike(&mut plans, &samples);
            self.borrow(&mut plans);
            let verdicts = self.replay(&plans, &samples, &history);
            for ((tool, part), ordinals) in verdicts.confirmed {
                if let Some(part) = plans.get_mut(&tool).and_then(|plan| plan.parts.get_mut(part)) {
                    part.confirmed_by = ordinals;
                }
            }
            (plans, verdicts.doubts)
        };
        for (tool, mut plan) in plans {
            let proposed = plan.clone();
            plan.parts.retain(|part| !part.confirmed_by.is_empty());
            let doubt = doubts.get(&(tool, 0)).cloned().unwrap_or_default();
            let confirmed = !plan.parts.is_empty();
            if confirmed {
                let explained: Vec<usize> = plan.preconditions.iter().flat_map(|held| held.explains.clone()).collect();
                self.derived.hang_on_the_state(tool, &explained);
            }
            self.derived.writes[tool] =
                Some(if confirmed { WriteState::Served(Arc::new(plan)) } else { withheld(&proposed, &doubt) });
        }
    }

    /// Lets the writes about whole entities take what others of their type store.
    fn borrow(&self, plans: &mut BTreeMap<usize, WritePlan>) {
        let about_whole = |plan: &&WritePlan| {
            let segments = trimmed(&self.manifest.tools[plan.tool]);
            match &plan.target.place {
                TargetPlace::Collection => self.collection_at(segments).is_some(),
                TargetPlace::Entity(address) => address.segments == segments.len() && address.parameters > 0,
                TargetPlace::Document(_) | TargetPlace::Tree => false,
            }
        };
        let whole: BTreeSet<usize> = plans.values().filter(about_whole).map(|plan| plan.tool).collect();
        let types = &self.derived.types;
        // What tells entities apart, or says where they are, is not moved so.
        let own = |kind: usize, name: &str| {
            types.get(kind).is_some_and(|kind| {
                let parents = kind.parents.iter().flatten();
                parents.chain([&kind.identity]).any(|path| path.names().any(|member| member == name))
            })
        };
        borrow_alike(plans, &whole, &own);
    }

    pub(super) fn succeeded(&self, tool: usize) -> bool {
        self.observed.of_tool(tool).any(|seen| is_success(seen.status))
    }

    /// Replays the capture; what it says of each part of each plan.
    fn replay(
        &self,
        plans: &BTreeMap<usize, WritePlan>,
        samples: &BTreeMap<usize, Vec<Sample<'_>>>,
        history: &History<'_>,
    ) -> Verdicts {
        let mut by_call: HashMap<usize, Vec<&Sample<'_>>> = HashMap::new();
        for sample in samples.values().flatten() {
            by_call.entry(sample.index).or_default().push(sample);
        }
        let mut world = self.derived.world.clone();
        let mut pending: Vec<Pending> = Vec::new();
        let mut verdicts = Verdicts::default();
        let elsewhere = set_elsewhere(&self.derived);
        for (index, call) in self.observed.seen.iter().enumerate() {
            for sample in by_call.get(&index).into_iter().flatten().filter(|sample| sample.fate != Fate::Missed) {
                let before = entity_of(&world, &sample.key);
                let planned = plans.get(&call.tool).map(|plan| self.replayed(plan, sample, sample.call, &world));
                let (next, part) = match planned {
                    Some(Replayed::As(next, part)) => (filled(&self.derived, next, &world, sample), Some(part)),
                    Some(Replayed::AnswersOtherwise(part)) => {
                        let doubt = verdicts.doubts.entry((call.tool, part)).or_default();
                        doubt.answered.get_or_insert(call.ordinal);
                        (followed(&self.derived, &world, sample), None)
                    }
                    Some(Replayed::Uncovered) | None => (followed(&self.derived, &world, sample), None),
                };
                // What was written since the last read is still to be shown: without it this write leaves something else.
                pending.retain_mut(|pending| {
                    if pending.key != sample.key {
                        return true;
                    }
                    let plan = plans.get(&call.tool).filter(|_| part.is_some() && pending.trials == 0);
                    let without = plan.and_then(|plan| self.without(pending, &world, plan, sample));
                    let kept = without.is_some();
                    pending.before = without.or(pending.before.take());
                    kept
                });
                world = next;
                if let Some(part) = part {
                    verdicts.doubts.entry((call.tool, part)).or_default().clocks(sample);
                    let parts = plans.get(&call.tool).map(|plan| plan.parts.as_slice()).unwrap_or_default();
                    pending.push(Pending {
                        found: parts.get(part).is_some_and(|part| part.same_by.is_some()),
                        index,
                        tool: call.tool,
                        part,
                        key: sample.key.clone(),
                        before,
                        end: call.span.map(|(_, end)| end),
                        trials: 0,
                        renamed: sample.renamed.clone(),
                        last: true,
                    });
                }
            }
            if call.wrote(self.manifest) {
                pending.iter_mut().for_each(|pending| pending.last &= pending.index == index);
            }
            if by_call.contains_key(&index) {
                continue;
            }
            if pending.is_empty() || !is_read(&self.manifest.tools[call.tool]) {
                continue;
            }
            let shown = history.by_call.get(&index).map(Vec::as_slice).unwrap_or_default();
            self.take_over(shown, &elsewhere, plans, (&mut world, &mut pending));
            self.confirm((call, shown), &world, &mut pending, &mut verdicts);
        }
        verdicts
    }

    /// Takes over what a read shows of clocks that effects set, but where a write that is still to be confirmed sets one.
    fn take_over(
        &self,
        shown: &[(EntityKey, Showing<'_>)],
        elsewhere: &BTreeSet<(usize, Slot)>,
        plans: &BTreeMap<usize, WritePlan>,
        (world, pending): (&mut World, &mut [Pending]),
    ) {
        for one in shown {
            let mut clocks = self.moved_clocks(elsewhere, one, world);
            let of_entity = |pending: &&mut Pending| pending.key == one.0;
            for pending in pending.iter_mut().filter(of_entity) {
                let part = plans.get(&pending.tool).and_then(|plan| plan.parts.get(pending.part));
                clocks.retain(|(slot, _)| !part.is_some_and(|part| part.slots.iter().any(|(held, _)| held == slot)));
            }
            if clocks.is_empty() {
                continue;
            }
            self.settle(world, &one.0, &clocks);
            for pending in pending.iter_mut().filter(of_entity) {
                pending.before = pending.before.take().map(|before| self.settled(&one.0, &before, &clocks));
            }
        }
    }

    /// What the target of an earlier write that no read has shown yet would hold after another one, had it not been.
    fn without(&self, earlier: &Pending, world: &World, plan: &WritePlan, sample: &Sample<'_>) -> Option<Arc<Entity>> {
        let mut without = world.clone();
        without.set_entity(sample.key.0, earlier.before.as_deref()?.clone());
        let written = self.applied(plan, sample, sample.call, &without)?;
        entity_of(&written.world?, &sample.key)
    }

    /// A write by its plan, and what it answers.
    fn replayed(&self, plan: &WritePlan, sample: &Sample<'_>, call: &Seen, world: &World) -> Replayed {
        let written = self.applied(plan, sample, call, world);
        let Some(Written { world: Some(world), part: Some(part), body, recorded: unknown, .. }) = written else {
            return Replayed::Uncovered;
        };
        match (&body, &call.body) {
            (Some(body), Some(recorded)) if !same_but(recorded, body, "", &unknown) => Replayed::AnswersOtherwise(part),
            _ => Replayed::As(world, part),
        }
    }

    /// A write by its plan, with the recorded values of what it generates.
    fn applied(&self, plan: &WritePlan, sample: &Sample<'_>, call: &Seen, world: &World) -> Option<Written> {
        let after = Sample::object(&sample.after);
        let place = self.derived.types[sample.key.0].identity.place();
        let mut maker = RecordedMaker::new(world, after, (&sample.key.2, place), call.body.as_deref());
        apply_one(&self.derived, world, plan, &call.as_write(), &mut maker).ok()
    }

    /// Confirms what a read shows: it comes out as recorded, and would not without the write. Of a list that does not, for
    /// what others hold, it may still be told which entities it lists: that confirms what makes one and what takes one away.
    fn confirm(
        &self,
        (call, shown): (&Seen, &[(EntityKey, Showing<'_>)]),
        world: &World,
        pending: &mut [Pending],
        verdicts: &mut Verdicts,
    ) {
        let kind = match &self.derived.views[call.tool] {
            View::Item(view) => view.entity_type,
            View::List(view) => view.entity_type,
            _ => return,
        };
        let start = call.span.map(|(start, _)| start);
        let overlaps = |pending: &Pending| pending.end.zip(start).is_some_and(|(end, start)| start < end);
        if !pending.iter().any(|pending| pending.key.0 == kind) {
            return;
        }
        let whole = self.reproduces(call, world);
        let as_shown = |world: &World| match whole {
            true => self.reproduces(call, world),
            false => self.lists(call, world, shown),
        };
        let shows = whole || as_shown(world);
        for pending in pending.iter_mut().filter(|pending| pending.key.0 == kind) {
            let (place, overlaps) = ((pending.tool, pending.part), overlaps(pending));
            if !whole && pending.last && !overlaps {
                let seen = contradiction(self, (call, shown), world, &pending.key);
                if let Some(seen) = seen {
                    verdicts.doubts.entry(place).or_default().contradicted.get_or_insert(seen);
                }
            }
            let there = entity_of(world, &pending.key).is_some();
            let tells = shows && (whole || there != pending.before.is_some());
            let known = overlaps && verdicts.doubts.get(&place).is_some_and(|doubt| doubt.overlapped.is_some());
            if !tells || known || pending.trials >= MAX_TRIALS {
                continue;
            }
            pending.trials += usize::from(!overlaps);
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
            if let Some(held) = entity_of(world, &pending.key).filter(|_| pending.found) {
                let id = Arc::from(format!("{}{ANOTHER}", held.id));
                without.set_entity(kind, Entity { id, ..held.as_ref().clone() });
            }
            match (as_shown(&without), overlaps) {
                (true, _) => {}
                (false, true) => verdicts.doubts.entry(place).or_default().overlapped = Some(call.ordinal),
                (false, false) => {
                    verdicts.confirmed.entry(place).or_default().push(call.ordinal);
                    pending.trials = MAX_TRIALS;
                }
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
        is_success(call.status) && !recorded.is_empty() && recorded == listed
    }

    /// Whether a read from a world comes out as it was recorded.
    pub(super) fn reproduces(&self, call: &Seen, world: &World) -> bool {
        let path = self.raw_path(call);
        let read = Read { tool: call.tool, parameters: &call.parameters, path: &path, line: call.line.as_ref() };
        match evaluate_read(&self.derived, world, read) {
            ReadAnswer::State { body, .. } => call.body.as_deref().is_some_and(|recorded| recorded.same_as(&body)),
            // The absence of what a write took away shows it as well as a body does.
            ReadAnswer::Absent { record, .. } => {
                (says_absent(call.status) || !is_success(call.status))
                    && self.observed.of_record(record).is_some_and(|absence| absence.status == call.status)
            }
            ReadAnswer::Refused { .. } | ReadAnswer::Recording { .. } => false,
        }
    }
}
