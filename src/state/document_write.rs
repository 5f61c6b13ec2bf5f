//! Document writes: the calls of write tools at the path of a document, each with the document before and after it; the
//! ways of meeting that give what was recorded; and their replay. Kept only where a later read shows the change.

use super::coverage::Effect;
use super::derive::{Derivation, trimmed};
use super::document::document_key;
use super::document_apply::read_path;
use super::document_change::{DocumentChange, Meeting, Members};
use super::document_meeting::{Found, Sample, accepted, find_meeting, sent_of};
use super::entity::at_place;
use super::member_cast::Cast;
use super::member_fit::{Case, Fitting, Here};
use super::member_rule::{Given, MemberExpr};
use super::observe::{Seen, is_read};
use super::path::MemberPath;
use super::store::{Document, World};
use super::types::{Place, View};
use super::write_apply::apply;
use super::write_maker::RecordedMaker;
use super::write_plan::{
    AcceptedMember, BodyEnvelope, DocumentAddress, NO_TYPE, Part, Target, TargetPlace, WritePlan, WriteState,
};
use super::write_reason::WriteReason;
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::Segment;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Calls of one tool with one query.
type Groups<'a> = BTreeMap<Vec<(String, String)>, Vec<Sample<'a>>>;

impl Derivation<'_> {
    /// The plans of write tools whose target is a document: of those that no type is the target of.
    pub(super) fn document_writes(&mut self) {
        let mut targets: BTreeMap<usize, DocumentAddress> = BTreeMap::new();
        for tool in 0..self.manifest.tools.len() {
            if is_read(&self.manifest.tools[tool]) || self.derived.writes[tool].is_some() || !self.succeeded(tool) {
                continue;
            }
            targets.extend(self.document_at(tool).map(|address| (tool, address)));
        }
        if targets.is_empty() {
            return;
        }
        let mut plans: BTreeMap<usize, WritePlan> = BTreeMap::new();
        let mut others: BTreeMap<usize, WriteState> = BTreeMap::new();
        {
            let samples = self.document_samples(&targets);
            for (tool, address) in &targets {
                match samples.get(tool).map(|samples| self.document_plan(*tool, *address, samples)) {
                    Some(Ok(plan)) => {
                        plans.insert(*tool, plan);
                    }
                    Some(Err(state)) => {
                        others.insert(*tool, state);
                    }
                    None => {
                        let first = self.observed.of_tool(*tool).find(|seen| is_success(seen.status));
                        let ordinal = first.map(|seen| seen.ordinal);
                        others.insert(*tool, withheld(WriteReason::Unconfirmed, None, ordinal));
                    }
                }
            }
        }
        tell_whole_from_parts(&self.manifest.tools, &targets, &mut plans);
        accept_of_both(&self.manifest.tools, &mut plans);
        let served = plans.into_iter().map(|(tool, plan)| (tool, WriteState::Served(Arc::new(plan))));
        for (tool, state) in served.chain(others) {
            self.derived.writes[tool] = Some(state);
        }
    }

    /// The read whose documents are at a tool's path: the whole of it, or with the name of an action behind it.
    fn document_at(&self, tool: usize) -> Option<DocumentAddress> {
        let segments = trimmed(&self.manifest.tools[tool]);
        let reads = |count: usize| {
            (0..self.manifest.tools.len()).find(|read| {
                matches!(self.derived.views[*read], View::Document(_))
                    && super::write_target::same_place(trimmed(&self.manifest.tools[*read]), &segments[..count])
            })
        };
        let action = |count: &usize| {
            *count == segments.len() || *count > 0 && matches!(segments.last(), Some(Segment::Literal(_)))
        };
        [segments.len(), segments.len().saturating_sub(1)]
            .into_iter()
            .filter(action)
            .find_map(|count| Some(DocumentAddress { read_tool: reads(count)?, segments: count }))
    }

    /// Walks the timeline: what reads show of the documents around each write.
    fn document_samples(&self, targets: &BTreeMap<usize, DocumentAddress>) -> BTreeMap<usize, Groups<'_>> {
        let mut known: BTreeMap<(usize, String), Arc<Value>> = self
            .derived
            .world
            .documents()
            .map(|(tool, key, document)| ((tool, key.to_owned()), Arc::clone(&document.value)))
            .collect();
        let mut open: BTreeMap<(usize, &str), &Seen> = BTreeMap::new();
        let mut samples: BTreeMap<usize, Groups<'_>> = BTreeMap::new();
        for seen in self.observed.seen.iter().filter(|seen| is_success(seen.status)) {
            if let Some(address) = targets.get(&seen.tool) {
                let place = (address.read_tool, read_path(&seen.path, address.segments));
                // What the write before this one left is not known where no read showed it.
                if let Some(unread) = open.insert(place, seen) {
                    let shown: BTreeSet<String> = samples
                        .get(&unread.tool)
                        .into_iter()
                        .flat_map(|groups| groups.values().flatten())
                        .filter(|sample| std::ptr::eq(sample.call, unread))
                        .map(|sample| format!("{}{}", place.1, sample.line))
                        .collect();
                    known.retain(|(tool, key), _| {
                        *tool != place.0 || line_of(key, place.1).is_none() || shown.contains(key)
                    });
                }
                continue;
            }
            let (View::Document(_), Some(line), Some(body)) = (&self.derived.views[seen.tool], &seen.line, &seen.body)
            else {
                continue;
            };
            let mut line = line.clone();
            line.in_order.clear();
            let key = document_key(&seen.path, &line);
            let writing = open.get(&(seen.tool, seen.path.as_str())).copied();
            let overlaps = writing.and_then(|call| call.span).zip(seen.span);
            if overlaps.is_some_and(|((_, end), (start, _))| start < end) {
                continue;
            }
            let before = known.insert((seen.tool, key.clone()), Arc::clone(body));
            let (Some(call), Some(before), Some(line)) = (writing, before, line_of(&key, &seen.path)) else { continue };
            let mut query = call.query.clone();
            query.sort();
            let group = samples.entry(call.tool).or_default().entry(query).or_default();
            if !group.iter().any(|sample| std::ptr::eq(sample.call, call) && *sample.line == *line) {
                let (line, after) = (line.into(), Arc::clone(body));
                group.push(Sample { call, before, after, line, shown_by: seen.ordinal });
            }
        }
        samples
    }

    fn document_plan(
        &self,
        tool: usize,
        address: DocumentAddress,
        groups: &Groups<'_>,
    ) -> Result<WritePlan, WriteState> {
        let target = Target { entity_type: NO_TYPE, place: TargetPlace::Document(address) };
        let absences = super::write_propose::absences(self, tool, &target, (&[], &[]));
        let mut plan = WritePlan { absences, ..WritePlan::new(tool, target, Vec::new()) };
        let mut why = None;
        for (query, samples) in groups {
            match self.document_part(&plan, query, samples) {
                Ok((envelope, part)) if plan.parts.is_empty() || plan.envelope == envelope => {
                    plan.envelope = envelope;
                    plan.parts.push(part);
                }
                Ok(_) => {}
                Err(state) => why = why.or(Some(state)),
            }
        }
        if plan.parts.is_empty() {
            return Err(why.unwrap_or_else(|| withheld(WriteReason::Unconfirmed, None, None)));
        }
        Ok(plan)
    }

    fn document_part(
        &self,
        plan: &WritePlan,
        query: &[(String, String)],
        samples: &[Sample<'_>],
    ) -> Result<(BodyEnvelope, Part), WriteState> {
        // The line that most samples are of; others are kept where the same rules give them.
        let mut lines: Vec<&str> = samples.iter().map(|sample| sample.line.as_ref()).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.sort_by_key(|line| {
            (std::cmp::Reverse(samples.iter().filter(|sample| *sample.line == **line).count()), line.len())
        });
        let of_line = |line: &str| samples.iter().filter(|sample| *sample.line == *line).collect::<Vec<_>>();
        let first = lines.first().map(|line| of_line(line)).unwrap_or_default();
        let ordinal = first.first().map(|sample| sample.call.ordinal);
        let unexplained = |reason, pointer| withheld(reason, pointer, ordinal);
        let found = find_meeting(&first).ok_or_else(|| unexplained(WriteReason::UnexplainedChange, None))?;
        let stamps = self.stamps(&first, &found).map_err(|name| {
            let place: String = found.place.iter().map(|name| format!("/{name}")).collect();
            unexplained(WriteReason::UnexplainedChange, Some(format!("{place}/{name}")))
        })?;
        let Some(exemplar) = first.first() else { return Err(unexplained(WriteReason::Unconfirmed, None)) };
        let (accepted, open, alike) = accepted(&first, &found);
        let sent_types: BTreeSet<&'static str> =
            first.iter().map(|sample| sent_of(sample, &found.envelope).type_name()).collect();
        let answer = self.document_answer(&first, &found.envelope);
        if answer.as_ref().is_some_and(MemberExpr::is_unknown) {
            return Err(unexplained(WriteReason::UnexplainedAnswer, None));
        }
        let change = DocumentChange {
            place: found.place,
            meetings: found.meetings,
            sent_types: sent_types.into_iter().collect(),
            open,
            alike,
            stamps,
            lines: lines.iter().map(|line| Box::from(*line)).collect(),
        };
        let mut part = Part {
            accepted,
            answer,
            query: query.to_vec(),
            document: Some(change),
            ..Part::new(Effect::DocumentWrite, exemplar.call.record, exemplar.call.ordinal)
        };
        let trial =
            |part: &Part| WritePlan { envelope: found.envelope.clone(), parts: vec![part.clone()], ..plan.clone() };
        let whole = trial(&part);
        if !first.iter().all(|sample| self.document_reproduces(&whole, sample)) {
            return Err(unexplained(WriteReason::UnexplainedChange, None));
        }
        let holds = |line: &str| of_line(line).iter().all(|sample| self.document_reproduces(&whole, sample));
        if let Some(change) = part.document.as_mut() {
            change.lines.retain(|line| holds(line));
            let shows =
                |sample: &&Sample<'_>| change.lines.contains(&sample.line) && !sample.before.same_as(&sample.after);
            part.confirmed_by = samples.iter().filter(shows).map(|sample| sample.shown_by).collect();
        }
        if part.confirmed_by.is_empty() {
            return Err(unexplained(WriteReason::Unconfirmed, None));
        }
        Ok((found.envelope, part))
    }

    /// The rules of members that come out otherwise than by meeting.
    fn stamps(&self, samples: &[&Sample<'_>], found: &Found) -> Result<Vec<(Box<str>, MemberExpr)>, Box<str>> {
        let identity = MemberPath::default();
        let fitting = self.document_fitting(&identity, false);
        let empty = World::default();
        let mut stamps = Vec::new();
        for name in &found.differ {
            let mut cases = Vec::new();
            for sample in samples {
                let held = at_place(&sample.before, &found.place).ok_or_else(|| name.clone())?;
                let after = at_place(&sample.after, &found.place).ok_or_else(|| name.clone())?;
                let sent = sent_of(sample, &found.envelope);
                cases.push(Case {
                    given: Given {
                        sent,
                        params: &sample.call.parameters,
                        before: Some(held),
                        after,
                        item: None,
                        beside: None,
                    },
                    span: sample.call.span,
                    value: after.get(name),
                    world: &empty,
                    collection: "",
                    here: Here::default(),
                });
            }
            let rule = fitting.fit(&cases, &MemberPath::member(name));
            let quiet = samples.iter().all(|sample| sent_of(sample, &found.envelope).is_null());
            let proven = |rule: &MemberExpr| match rule {
                MemberExpr::Unknown | MemberExpr::Table(..) => false,
                // One call with one value says nothing about others, unless nothing was sent that could decide it.
                MemberExpr::Fixed(_) => quiet || samples.len() > 1,
                _ => true,
            };
            stamps.push((name.clone(), rule.filter(proven).ok_or_else(|| name.clone())?));
        }
        Ok(stamps)
    }

    fn document_fitting<'f>(&'f self, identity: &'f MemberPath, answers: bool) -> Fitting<'f> {
        Fitting {
            creates: false,
            kind: NO_TYPE,
            types: &self.derived.types,
            identity,
            others: &[],
            world: &self.derived.world,
            named: None,
            noted: None,
            answers,
            dependent: true,
            tables: true,
        }
    }

    /// What the write answers: the document, what was sent, or what rules make; nothing where no body was recorded.
    fn document_answer(&self, samples: &[&Sample<'_>], envelope: &BodyEnvelope) -> Option<MemberExpr> {
        let empty = World::default();
        let cases: Vec<Case<'_>> = samples
            .iter()
            .filter_map(|sample| {
                let sent = sent_of(sample, envelope);
                let (before, after) = (Some(sample.before.as_ref()), sample.after.as_ref());
                Some(Case {
                    given: Given { sent, params: &sample.call.parameters, before, after, item: None, beside: None },
                    span: sample.call.span,
                    value: Some(sample.call.body.as_deref()?),
                    world: &empty,
                    collection: "",
                    here: Here::default(),
                })
            })
            .collect();
        if cases.is_empty() {
            return None;
        }
        let whole = MemberPath::default();
        let is = |given: fn(&Given<'_>) -> Option<Value>| {
            cases.iter().all(|case| given(&case.given).zip(case.value).is_some_and(|(one, other)| one.same_as(other)))
        };
        if is(|given| Some(given.after.clone())) {
            return Some(MemberExpr::After(whole));
        }
        if is(|given| Some(given.sent.clone())) {
            return Some(MemberExpr::Sent(whole, Cast::Same));
        }
        if is(|given| given.before.cloned()) {
            return Some(MemberExpr::Before(whole));
        }
        let identity = MemberPath::default();
        Some(self.document_fitting(&identity, true).fit(&cases, &whole).unwrap_or(MemberExpr::Unknown))
    }

    /// Whether a plan gives a recorded call's document and answer.
    fn document_reproduces(&self, plan: &WritePlan, sample: &Sample<'_>) -> bool {
        let TargetPlace::Document(address) = &plan.target.place else { return false };
        let key = format!("{}{}", read_path(&sample.call.path, address.segments), sample.line);
        let mut world = World::default();
        world.set_document(
            address.read_tool,
            &key,
            Document { value: Arc::clone(&sample.before), record_ordinal: None },
        );
        let mut maker = RecordedMaker::new(
            &self.derived.world,
            sample.after.as_ref().clone(),
            ("", "/\u{0}".to_owned()),
            sample.call.body.as_deref(),
        );
        let call = sample.call;
        let Ok(written) = apply(&self.derived, &world, plan, &call.as_write(), &mut maker) else { return false };
        let answers = match (&written.body, &call.body) {
            (Some(body), Some(recorded)) => body.same_as(recorded),
            _ => true,
        };
        let held = written.world.as_ref().and_then(|world| world.document(address.read_tool, &key));
        answers && held.is_some_and(|held| held.value.same_as(&sample.after))
    }
}

/// Where PUT and another method write the same document and the other does not replace it, PUT does.
fn tell_whole_from_parts(
    tools: &[crate::manifest::Tool],
    targets: &BTreeMap<usize, DocumentAddress>,
    plans: &mut BTreeMap<usize, WritePlan>,
) {
    let is_whole = |meeting: &Meeting| meeting.members == Members::Whole;
    let meetings = |plan: &WritePlan| -> Vec<Meeting> {
        plan.parts.iter().filter_map(|part| part.document.as_ref()).flat_map(|change| change.meetings.clone()).collect()
    };
    let in_part: BTreeSet<DocumentAddress> = plans
        .iter()
        .filter(|(tool, plan)| tools[**tool].method != "PUT" && !meetings(plan).iter().any(is_whole))
        .filter_map(|(tool, _)| targets.get(tool).copied())
        .collect();
    for (tool, plan) in plans.iter_mut().filter(|(tool, _)| tools[**tool].method == "PUT") {
        if targets.get(tool).is_none_or(|address| !in_part.contains(address)) {
            continue;
        }
        for change in plan.parts.iter_mut().filter_map(|part| part.document.as_mut()) {
            if change.meetings.iter().any(is_whole) {
                change.meetings.retain(is_whole);
            }
        }
    }
}

/// What PUT stores of a document, PATCH takes, too, and the other way round: both name the members of one document.
fn accept_of_both(tools: &[crate::manifest::Tool], plans: &mut BTreeMap<usize, WritePlan>) {
    let about = |plan: &WritePlan, part: &Part| -> Option<(DocumentAddress, Place)> {
        let TargetPlace::Document(address) = &plan.target.place else { return None };
        let named = matches!(tools[plan.tool].method.as_str(), "PUT" | "PATCH");
        let change = part.document.as_ref().filter(|_| named)?;
        let whole = address.segments == trimmed(&tools[plan.tool]).len();
        whole.then(|| (*address, change.place.clone()))
    };
    let mut taken: Vec<((DocumentAddress, Place), AcceptedMember)> = Vec::new();
    for plan in plans.values() {
        for part in &plan.parts {
            let Some(about) = about(plan, part) else { continue };
            taken.extend(
                part.accepted
                    .iter()
                    .filter(|member| member.only.is_empty())
                    .map(|member| (about.clone(), member.clone())),
            );
        }
    }
    for plan in plans.values_mut() {
        let places: Vec<Option<_>> = plan.parts.iter().map(|part| about(plan, part)).collect();
        for (part, place) in plan.parts.iter_mut().zip(places) {
            for (_, member) in taken.iter().filter(|(about, _)| place.as_ref() == Some(about)) {
                if !part.accepted.iter().any(|held| held.name == member.name) {
                    part.accepted.push(AcceptedMember { required: false, ..member.clone() });
                }
            }
        }
    }
}

/// The query of a document's key at a path.
fn line_of<'k>(key: &'k str, path: &str) -> Option<&'k str> {
    let line = key.strip_prefix(path)?;
    (line.is_empty() || line.starts_with('?')).then_some(line)
}

fn withheld(reason: WriteReason, pointer: Option<String>, exemplar_ordinal: Option<usize>) -> WriteState {
    WriteState::Withheld { effect: Effect::DocumentWrite, reason, pointer, exemplar_ordinal, contradicted_by: None }
}
