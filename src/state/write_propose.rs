//! Proposing write plans: from the samples of a tool, the simplest rules that give what was recorded. What is proposed is
//! served only when the replay confirms it (`write_replay.rs`).

use super::absence::{Absence, asked_beside};
use super::coverage::Effect;
use super::derive::Derivation;
use super::line::{Line, scalar_text};
use super::member_fit::{Case, Fitting, Here, Other};
use super::member_fit_named::Named;
use super::member_fit_noted::Noted;
use super::member_rule::{Given, MemberExpr};
use super::path::MemberPath;
use super::precondition_propose::Refused;
use super::slot::{Slot, merged, slots_of};
use super::types::MemberRule;
use super::write_accepted::accepted;
use super::write_plan::{BodyEnvelope, Example, Part, Target, TargetPlace, WritePlan};
use super::write_referred::Referred;
use super::write_sample::{Fate, Sample};
use crate::capture::is_success;
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Entities of a type that are looked at as evidence for texts.
const MAX_EVIDENCE: usize = 24;

/// The plan of one tool from its samples; parts that nothing explains are missing.
pub(super) fn propose(
    work: &Derivation<'_>,
    tool: usize,
    target: &Target,
    envelope: &BodyEnvelope,
    samples: &[Sample<'_>],
    refused: &[&Refused<'_>],
) -> WritePlan {
    let missed: Vec<&Sample<'_>> = samples.iter().filter(|sample| sample.fate == Fate::Missed).collect();
    let proposer = Proposer::new(work, tool, target);
    /// What became of the target, and the query.
    type Group = (u8, Vec<(String, String)>);
    let mut groups: BTreeMap<Group, Vec<&Sample<'_>>> = BTreeMap::new();
    for sample in samples {
        let rank = match sample.fate {
            Fate::Created => 0,
            Fate::Changed => 1,
            Fate::Removed => 2,
            Fate::Missed => continue,
        };
        groups.entry((rank, target.other_query(&sample.call.query))).or_default().push(sample);
    }
    let referred = work.told_apart(target.entity_type, samples);
    let parts = groups.iter().filter_map(|((rank, query), samples)| {
        let effect = [Effect::Create, Effect::Update, Effect::Delete][usize::from(*rank)];
        let mut part = proposer.part(effect, samples)?;
        part.query.clone_from(query);
        let referred = referred.as_ref().filter(|_| effect != Effect::Create);
        part.referred = referred.map(|by| Referred { holds: effect == Effect::Update, by: by.clone() });
        if effect == Effect::Update && target.place == TargetPlace::Collection {
            part.same_by = Some(same_by(samples)?);
        }
        Some(part)
    });
    let parts = parts.collect();
    let absences = absences(work, tool, target, (&missed, refused));
    let (target, envelope) = (target.clone(), envelope.clone());
    let plan = WritePlan { tool, target, envelope, bulk: None, parts, absences, preconditions: Vec::new() };
    let preconditions = work.preconditions(&plan, samples, refused);
    WritePlan { preconditions, ..plan }
}

/// What a create of a type leaves, from calls that made entities of it, whatever tool they were of.
pub(super) fn made_part(work: &Derivation<'_>, tool: usize, kind: usize, samples: &[&Sample<'_>]) -> Option<Part> {
    let target = Target { entity_type: kind, place: TargetPlace::Collection };
    let part = Proposer::new(work, tool, &target).part(Effect::Create, samples)?;
    Some(Part { answer: None, ..part })
}

/// The sent member that the held entity equals, where a create found it there.
fn same_by(samples: &[&Sample<'_>]) -> Option<MemberPath> {
    let befores: Vec<Value> = samples.iter().map(|sample| Sample::object(&sample.before)).collect();
    let first = samples.first()?;
    let names = first.sent.as_object()?.iter().filter_map(|(name, _)| name.as_str()).map(MemberPath::member);
    let mut names: Vec<MemberPath> = names.collect();
    names.sort_by_key(|path| {
        let name = path.last_name().unwrap_or_default();
        super::entity::IDENTITY_NAMES.iter().position(|known| *known == name).unwrap_or(usize::MAX)
    });
    names.into_iter().find(|path| {
        samples.iter().zip(&befores).all(|(sample, before)| {
            path.direct(&sample.sent).zip(path.direct(before)).is_some_and(|(sent, held)| {
                let text = held.as_str().is_some();
                text && sent.same_as(held)
            })
        })
    })
}

/// Recorded answers to calls of a tool whose target was absent: refusals, and successes that did nothing.
pub(super) fn absences(
    work: &Derivation<'_>,
    tool: usize,
    target: &Target,
    (missed, refusals): (&[&Sample<'_>], &[&Refused<'_>]),
) -> Vec<Absence> {
    let keyed = match &target.place {
        TargetPlace::Entity(address) => address.is_keyed().then_some(address),
        TargetPlace::Collection | TargetPlace::Document(_) | TargetPlace::Tree => None,
    };
    let refused = work.observed.of_tool(tool).filter(|seen| matches!(seen.status, 404 | 410));
    // What refuses a target that is held is no absence; what refuses one that is not may be, if nothing else is.
    let held = |seen: &super::observe::Seen| {
        refusals.iter().any(|refused| refused.call.record == seen.record && refused.held.is_some())
    };
    let other = work.observed.of_tool(tool).filter(|seen| seen.status == 400 && !held(seen));
    let calls = refused.chain(missed.iter().map(|sample| sample.call));
    let mut found: Vec<Absence> = Vec::new();
    let mut add = |call: &super::observe::Seen| {
        let (asked, beside) = match keyed {
            Some(address) => {
                let line = Line::new(&call.query, call.sent.as_deref());
                let beside = asked_beside(&address.view.address, &call.parameters, line.as_ref());
                (line.and_then(|line| address.asked(&call.parameters, &line)), beside)
            }
            None => (call.parameters.last().cloned(), Vec::new()),
        };
        if !found.iter().any(|held| held.asked == asked && held.beside == beside) {
            found.push(Absence::new(call, asked, beside));
        }
    };
    let mut calls: Vec<&super::observe::Seen> = calls.chain(other).collect();
    if calls.is_empty() && matches!(target.place, TargetPlace::Entity(_)) {
        let absent = refusals.iter().filter(|refused| refused.is_absent(work, target.entity_type));
        calls.extend(absent.map(|refused| refused.call));
    }
    calls.into_iter().for_each(&mut add);
    // Where bodies name the target, a 400 may as well be about the rest of the body.
    let absent = |held: &Absence| work.observed.of_record(held.record).is_some_and(|seen| seen.status != 400);
    if keyed.is_some() && found.iter().any(absent) {
        found.retain(absent);
    }
    work.made_anew_in(tool, &mut found);
    found
}

/// Whether rules may read other members, tell cases apart, and leave gaps: the plainer rules of all members come first.
const ROUNDS: [(bool, bool, bool); 8] = [
    (false, false, false),
    (true, false, false),
    (true, true, false),
    (true, true, false),
    (true, true, false),
    (true, true, true),
    (true, true, true),
    (true, true, true),
];

struct Proposer<'w, 'a> {
    work: &'w Derivation<'a>,
    tool: usize,
    kind: usize,
    identity: MemberPath,
    others: Vec<Value>,
    /// Members of the body that name the target.
    named_by: BTreeSet<Box<str>>,
    /// Notes on what values name.
    named: Named,
}

impl<'w, 'a> Proposer<'w, 'a> {
    fn new(work: &'w Derivation<'a>, tool: usize, target: &Target) -> Self {
        let kind = target.entity_type;
        let others = work
            .derived
            .world
            .collections(kind)
            .flat_map(|(_, collection)| collection.iter())
            .take(MAX_EVIDENCE)
            .map(|entity| merged(entity))
            .collect();
        let identity = work.derived.types[kind].identity.clone();
        let named_by = match &target.place {
            TargetPlace::Entity(address) => {
                let keys = address.view.address.iter().filter_map(|(slot, _)| match slot {
                    super::types::Slot::Key(key) => key.strip_prefix("body/").map(Box::from),
                    super::types::Slot::Path(_) => None,
                });
                keys.collect()
            }
            TargetPlace::Collection | TargetPlace::Document(_) | TargetPlace::Tree => BTreeSet::new(),
        };
        Self { work, tool, kind, identity, others, named_by, named: Named::default() }
    }

    fn part(&self, effect: Effect, samples: &[&Sample<'_>]) -> Option<Part> {
        let exemplar = samples.first()?;
        let befores: Vec<Value> = samples.iter().map(|sample| Sample::object(&sample.before)).collect();
        let afters: Vec<Value> = samples.iter().map(|sample| self.whole(sample, effect)).collect();
        let slots = if effect == Effect::Delete { Vec::new() } else { self.slots(effect, samples, &befores, &afters) };
        let identity = match effect {
            Effect::Create => Some(self.identity_rule(samples, &afters)),
            _ => None,
        };
        Some(Part {
            accepted: accepted(samples, &slots, identity.as_ref(), (&self.named_by, &self.others)),
            identity,
            slots,
            answer: self.answer(effect, samples, &befores, &afters),
            example: example(exemplar),
            ..Part::new(effect, exemplar.call.record, exemplar.call.ordinal)
        })
    }

    /// All that the entity holds after the write: what is shown then, and for slots that are not, what was held before.
    fn whole(&self, sample: &Sample<'_>, effect: Effect) -> Value {
        let mut all = sample.after.clone();
        if effect == Effect::Update {
            for (slot, value) in &sample.before {
                all.entry(slot.clone()).or_insert_with(|| value.clone());
            }
        }
        let mut object = Sample::object(&all);
        if self.identity.direct(&object).is_none()
            && let [super::path::Step::Member(name)] = self.identity.0.as_slice()
            && let Some(members) = object.as_object_mut()
        {
            let id = sample.renamed.as_deref().unwrap_or(sample.key.2.as_str());
            let numeric = self
                .others
                .iter()
                .any(|other| self.identity.direct(other).is_some_and(|held| held.as_number().is_some()));
            let number = if numeric { crate::json::Number::from_literal(id) } else { None };
            members.set(name.as_ref(), number.map_or_else(|| Value::from(id), Value::Number));
        }
        object
    }

    fn fitting<'f>(&'f self, effect: Effect, answers: bool, others: &'f [Other<'f>]) -> Fitting<'f> {
        Fitting {
            creates: effect == Effect::Create,
            kind: self.kind,
            types: &self.work.derived.types,
            identity: &self.identity,
            others,
            world: &self.work.derived.world,
            named: Some(&self.named),
            noted: None,
            answers,
            dependent: true,
            tables: true,
        }
    }

    fn slots(
        &self,
        effect: Effect,
        samples: &[&Sample<'_>],
        befores: &[Value],
        afters: &[Value],
    ) -> Vec<(Slot, MemberExpr)> {
        let partial = effect == Effect::Update && self.is_partial(samples);
        let all = slots_of(&self.work.derived, self.kind);
        let mut found: BTreeMap<usize, Option<MemberExpr>> = BTreeMap::new();
        // What is made of other members comes after those: each round may use what the rounds before it explain.
        let mut known: Vec<Value> = match effect {
            Effect::Create => samples.iter().zip(afters).map(|(_, after)| self.only_identity(after)).collect(),
            _ => befores.to_vec(),
        };
        for (index, slot) in all.iter().enumerate() {
            if let Some(rule) = self.shown_rule(slot, samples, afters) {
                found.insert(index, Some(rule));
            }
        }
        // Cases are told apart only where no one rule explains them all.
        let mut quiet = false;
        for (dependent, switches, tables) in ROUNDS {
            // What leaves a gap, or says nothing of other values, comes when nothing else is found any more.
            if quiet && !tables {
                continue;
            }
            let fitting = Fitting { dependent, tables, ..self.fitting(effect, false, &[]) };
            let mut any = false;
            for (index, slot) in all.iter().enumerate() {
                if found.contains_key(&index) {
                    continue;
                }
                if let Some(rule) =
                    self.slot_rule((&fitting, switches), effect, slot, samples, befores, &known, partial)
                {
                    found.insert(index, rule);
                    any = true;
                    for (known, after) in known.iter_mut().zip(afters) {
                        take_member(known, after, &slot.key());
                    }
                }
            }
            quiet = switches && !any;
            if quiet && tables {
                break;
            }
        }
        let mut rules = Vec::new();
        for (index, slot) in all.into_iter().enumerate() {
            match found.remove(&index) {
                Some(None) => {}
                Some(Some(rule)) => rules.push((slot, rule)),
                None if effect == Effect::Update && self.changes_elsewhere(&slot) => {}
                None => rules.push((slot, MemberExpr::Unknown)),
            }
        }
        rules
    }

    /// The rule by which one view makes its own value of others in all reads, where the recorded calls leave it so.
    fn shown_rule(&self, slot: &Slot, samples: &[&Sample<'_>], afters: &[Value]) -> Option<MemberExpr> {
        let way = self.work.derived.representations.get(slot.source?)?;
        let rule = way.members.iter().find(|member| member.name == slot.name)?.rule.as_ref()?;
        // A list may have been shown only after more writes; what it is made of says what it is.
        if matches!(rule, MemberRule::Parts(_)) {
            return rule.after_write(&slot.name);
        }
        let mut shown = samples.iter().zip(afters).filter_map(|(sample, after)| Some((sample.after.get(slot)?, after)));
        let made = |(value, after): (&Option<Value>, &Value)| {
            let made = rule.value(&slot.name, after);
            made.zip(value.as_ref()).is_some_and(|(made, value)| made.same_as(value))
        };
        shown.all(made).then(|| rule.after_write(&slot.name)).flatten()
    }

    /// An object that holds the identity alone.
    fn only_identity(&self, after: &Value) -> Value {
        let Some(identity) = self.identity.direct(after) else { return Value::Object(Object::new()) };
        let names: Vec<&str> = self.identity.names().collect();
        names.into_iter().rev().fold(identity.clone(), |inner, name| Object::new().with(name, inner).into())
    }

    /// The rule of one slot: `Some(None)` is a slot that the write keeps, `None` one that nothing explains yet.
    #[allow(clippy::too_many_arguments)]
    fn slot_rule(
        &self,
        (fitting, switches): (&Fitting<'_>, bool),
        effect: Effect,
        slot: &Slot,
        samples: &[&Sample<'_>],
        befores: &[Value],
        afters: &[Value],
        partial: bool,
    ) -> Option<Option<MemberExpr>> {
        let path = MemberPath(vec![super::path::Step::Member(slot.key().into())]);
        if let Some(none) = self.work.derived.left_to_a_match(self.kind, slot) {
            let rule = none.cloned().map_or(MemberExpr::Absent, MemberExpr::Fixed);
            return Some((effect == Effect::Create).then_some(rule));
        }
        let known = |sample: &&Sample<'_>| {
            sample.after.contains_key(slot)
                && (effect == Effect::Create
                    || sample.before.contains_key(slot)
                    || sample.sent.get(&slot.name).is_some())
        };
        // Answers count as reads do where every recorded one agrees with the read that follows.
        let read = samples.iter().any(|sample| known(sample) && !sample.only_answered.contains(slot));
        let mut both = samples.iter().filter_map(|sample| sample.answer_agrees.get(slot)).peekable();
        let read = read && !(both.peek().is_some() && both.all(|agrees| *agrees));
        let cases: Vec<Case<'_>> = samples
            .iter()
            .zip(befores.iter().zip(afters))
            .filter(|(sample, _)| known(sample) && (!read || !sample.only_answered.contains(slot)))
            .map(|(sample, (before, after))| Case {
                given: Given {
                    sent: &sample.sent,
                    params: &sample.call.parameters,
                    before: (effect == Effect::Update).then_some(before),
                    after,
                    item: None,
                    beside: None,
                },
                span: sample.call.span,
                value: sample.after.get(slot).and_then(Option::as_ref),
                world: &sample.world,
                collection: &sample.key.1,
                here: Here {
                    before: (effect == Effect::Update).then(|| before.get(&slot.key())).flatten(),
                    ..Here::default()
                },
            })
            .collect();
        if cases.is_empty() {
            return (effect == Effect::Update).then_some(None);
        }
        let key = slot.key();
        let others: Vec<Other<'_>> =
            self.others.iter().map(|entity| Other { entity, value: entity.get(&key), beside: None }).collect();
        let noted = Noted::default();
        let fitting = &Fitting { others: &others, noted: Some(&noted), ..*fitting };
        // What effects of other writes change is kept by this one; else calls that send one more member may change it.
        let unless = || {
            let here = fitting.tables && !self.changes_elsewhere(slot);
            if here { fitting.unless_sent(&cases, &path) } else { None }
        };
        let switch = || if switches { fitting.switch(&cases, &path, 1) } else { None };
        let found = fitting.fit(&cases, &path).filter(|rule| fitting.tables || !rule.leaves_gap());
        // What only the recorded calls show of a text, other entities do not, may as well come with what turned in them.
        let proven = found.as_ref().is_some_and(|rule| !fitting.is_contradicted(rule));
        let turn = if switches && !proven { fitting.turn(&cases, &path) } else { None };
        let turn = turn.filter(|rule| fitting.tables || !rule.leaves_gap());
        let found = turn.or(found).or_else(switch).or_else(unless);
        // What is made at random may as well be that of what is made with it.
        let random = |rule: &MemberExpr| matches!(rule, MemberExpr::Made(..));
        let list = |rule: &MemberExpr| matches!(rule, MemberExpr::Array(items) if items.iter().any(random));
        let loose = |rule: &MemberExpr| rule.leaves_gap() || random(rule) || list(rule);
        if effect == Effect::Create
            && found.as_ref().is_none_or(loose)
            && let Some(empty) = self.work.derived.gathers_companions(self.kind, &path)
        {
            return Some(Some(empty.cloned().map_or(MemberExpr::Unknown, MemberExpr::Gathered)));
        }
        let mut rule = found?;
        rule = fitting.kept_unless(&cases, &path, &rule).unwrap_or(rule);
        rule = fitting.null_as_others(&cases, &rule).unwrap_or(rule);
        rule = fitting.unless_taken(&cases, &path, rule);
        // What effects change is kept by this write.
        if effect == Effect::Update && rule.leaves_gap() && self.changes_elsewhere(slot) {
            rule = rule.otherwise(&MemberExpr::Before(path.clone()));
        }
        if !fitting.dependent && rule.is_unknown() {
            return None;
        }
        if partial && let MemberExpr::Sent(sent, _) = &rule {
            rule = MemberExpr::IfSent(sent.clone(), Box::new(rule.clone()), Box::new(MemberExpr::Before(path.clone())));
        }
        if effect == Effect::Update && rule == MemberExpr::Before(path) {
            return Some(self.remade(slot, samples).map(MemberExpr::Text));
        }
        Some(Some(rule))
    }

    /// Whether an effect of other writes changes the slot: then what changed it is not this write.
    fn changes_elsewhere(&self, slot: &Slot) -> bool {
        let key = slot.key();
        self.work.derived.effects.iter().any(|effect| {
            super::effect_propose::explains(effect).is_some_and(|(kind, held)| kind == self.kind && *held == *key)
                || matches!(effect, super::effect::EffectRule::Forget { kind, slot: held, .. } if *kind == self.kind && held == slot)
        })
    }

    /// The text that every entity of the type makes of other members: it follows them also where no recorded call changed
    /// them, unless one shows that it does not.
    fn remade(&self, slot: &Slot, samples: &[&Sample<'_>]) -> Option<Vec<super::text_rule::Piece>> {
        if slot.source.is_some() {
            return None;
        }
        let made = &self.work.derived.types[self.kind].made;
        let (_, pieces) = made.iter().find(|(name, _)| *name == slot.name)?;
        let holds = samples.iter().all(|sample| {
            let after = self.whole(sample, Effect::Update);
            let text = super::text_rule::make_text(pieces, &after);
            text.is_some() && after.get(&slot.name).and_then(Value::as_str) == text.as_deref()
        });
        holds.then(|| pieces.clone())
    }

    /// Whether the recorded calls leave members out that others send, or the method says that it changes only what is sent.
    fn is_partial(&self, samples: &[&Sample<'_>]) -> bool {
        let sets: BTreeSet<Vec<&str>> = samples
            .iter()
            .map(|sample| {
                let mut names: Vec<&str> =
                    sample.sent.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                names
            })
            .collect();
        self.work.manifest.tools[self.tool].method == "PATCH" || sets.len() > 1
    }

    fn identity_rule(&self, samples: &[&Sample<'_>], afters: &[Value]) -> MemberExpr {
        let values: Vec<Value> = samples
            .iter()
            .zip(afters)
            .map(|(sample, after)| {
                let held = self.identity.direct(after).filter(|value| scalar_text(value).is_some());
                held.cloned().unwrap_or_else(|| Value::from(sample.key.2.as_str()))
            })
            .collect();
        let cases: Vec<Case<'_>> = samples
            .iter()
            .zip(afters.iter().zip(&values))
            .map(|(sample, (after, value))| Case {
                given: Given {
                    sent: &sample.sent,
                    params: &sample.call.parameters,
                    before: None,
                    after,
                    item: None,
                    beside: None,
                },
                span: sample.call.span,
                value: Some(value),
                world: &sample.world,
                collection: &sample.key.1,
                here: Here::default(),
            })
            .collect();
        let others: Vec<Other<'_>> = self
            .others
            .iter()
            .map(|entity| Other { entity, value: self.identity.direct(entity), beside: None })
            .collect();
        self.fitting(Effect::Create, false, &others).fit_identity(&cases).unwrap_or(MemberExpr::Unknown)
    }

    fn answer(
        &self,
        effect: Effect,
        samples: &[&Sample<'_>],
        befores: &[Value],
        afters: &[Value],
    ) -> Option<MemberExpr> {
        let cases: Vec<Case<'_>> = samples
            .iter()
            .zip(befores.iter().zip(afters))
            .filter_map(|(sample, (before, after))| {
                Some(Case {
                    given: Given {
                        sent: &sample.sent,
                        params: &sample.call.parameters,
                        before: (effect != Effect::Create).then_some(before),
                        after: if effect == Effect::Delete { before } else { after },
                        item: None,
                        beside: None,
                    },
                    span: sample.call.span,
                    value: Some(sample.call.body.as_deref()?),
                    world: &sample.world,
                    collection: &sample.key.1,
                    here: Here {
                        before: (effect != Effect::Create).then_some(before),
                        after: Some(if effect == Effect::Delete { before } else { after }),
                        beside: None,
                    },
                })
            })
            .collect();
        if cases.is_empty() {
            return None;
        }
        let noted = Noted::default();
        let fitting = Fitting { noted: Some(&noted), ..self.fitting(effect, true, &[]) };
        Some(fitting.fit(&cases, &MemberPath::default()).unwrap_or(MemberExpr::Unknown))
    }
}

/// What a recorded call answered and what it was about.
fn example(sample: &Sample<'_>) -> Option<Arc<Example>> {
    let id = sample.renamed.as_deref().unwrap_or(&sample.key.2).into();
    Some(Arc::new(Example { body: sample.call.body.clone()?, id }))
}

/// Takes a member over, or out where there is none.
fn take_member(into: &mut Value, from: &Value, name: &str) {
    if let Some(object) = into.as_object_mut() {
        match from.get(name) {
            Some(value) => {
                object.set(name, value.clone());
            }
            None => {
                object.remove(name);
            }
        }
    }
}

/// How the bodies of a tool hold the entity's members: inside one member that no slot of the type is called.
pub(super) fn body_envelope(work: &Derivation<'_>, tool: usize, kind: usize) -> BodyEnvelope {
    let slots = slots_of(&work.derived, kind);
    let bodies: Vec<&Object> = work
        .observed
        .of_tool(tool)
        .filter(|seen| is_success(seen.status))
        .filter_map(|seen| seen.sent.as_deref()?.as_object())
        .collect();
    let Some(first) = bodies.first().filter(|body| body.len() == 1) else { return BodyEnvelope::default() };
    let Some((name, inner)) = first.iter().next().and_then(|(name, inner)| Some((name.as_str()?, inner))) else {
        return BodyEnvelope::default();
    };
    let one_element = inner.as_array().is_some();
    let alike = bodies.iter().all(|body| {
        body.len() == 1
            && body.get(name).is_some_and(|inner| match inner.as_array() {
                Some(items) => one_element && items.len() == 1 && items[0].as_object().is_some(),
                None => !one_element && inner.as_object().is_some(),
            })
    });
    if !alike || slots.iter().any(|slot| slot.name.as_ref() == name) {
        return BodyEnvelope::default();
    }
    BodyEnvelope { member: Some(name.into()), one_element }
}
