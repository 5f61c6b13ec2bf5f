//! Fitting member rules to recorded writes: the simplest rule that gives the recorded value in every case. A rule that
//! two cases could have told apart from a constant is preferred only when they do. This file holds the order in which
//! rules are tried; the rules themselves are in the files beside it, by what they are made of: what was sent
//! (`member_fit_sent.rs`), what is held (`member_fit_held.rs`), what the write makes (`member_fit_made.rs`), texts
//! (`member_fit_text.rs`), texts with something made in them (`member_fit_framed.rs`). Cases are told apart in `member_fit_switch.rs`. What was found is noted (`member_fit_noted.rs`).

use super::clock_format::ClockFormat;
use super::line::scalar_text;
use super::member_fit_held::{kept, same_here};
use super::member_fit_made::{clock, plus};
use super::member_fit_named::Named;
use super::member_fit_noted::Noted;
use super::member_fit_sent::{cast_of, item_path, param, same_named};
use super::member_fit_text::{holds_any, holds_token, sent_texts};
use super::member_rule::{Given, MemberExpr, is_told};
use super::path::{MemberPath, Step};
use super::store::World;
use super::types::EntityType;
use crate::json::Value;
use std::collections::BTreeSet;

/// One recorded value and what it may depend on.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    /// What was sent and held.
    pub given: Given<'a>,
    /// The write's start and end, in milliseconds.
    pub span: Option<(f64, f64)>,
    /// The value; `None` is no member.
    pub value: Option<&'a Value>,
    /// What the state held before the write.
    pub world: &'a World,
    /// The entity's collection.
    pub collection: &'a str,
    /// What is held at the same place.
    pub here: Here<'a>,
}

/// What is held at the place of a value, and the members beside it.
#[derive(Clone, Copy, Default)]
pub(super) struct Here<'a> {
    /// Before the write.
    pub before: Option<&'a Value>,
    /// After it.
    pub after: Option<&'a Value>,
    /// The object that the value is a member of.
    pub beside: Option<&'a Value>,
}

impl<'a> Here<'a> {
    /// What is held one level further in.
    fn within(self, inner: impl Fn(&'a Value) -> Option<&'a Value>, beside: Option<&'a Value>) -> Self {
        Self { before: self.before.and_then(&inner), after: self.after.and_then(&inner), beside }
    }
}

/// Another entity of the type, which no recorded call made: evidence for texts made of members.
#[derive(Clone, Copy)]
pub(super) struct Other<'a> {
    /// All that it holds.
    pub entity: &'a Value,
    /// Its value of the member that is fitted.
    pub value: Option<&'a Value>,
    /// The object that the value is a member of.
    pub beside: Option<&'a Value>,
}

/// What the cases of a member have in common.
#[derive(Clone, Copy)]
pub(super) struct Fitting<'a> {
    /// Whether the write creates: a member is then never what it was before.
    pub creates: bool,
    /// The type.
    pub kind: usize,
    /// The types.
    pub types: &'a [EntityType],
    /// The slot key of the identity.
    pub identity: &'a MemberPath,
    /// Other entities of the type, as evidence for texts made of members.
    pub others: &'a [Other<'a>],
    /// What the state holds at the start, where the others are.
    pub world: &'a World,
    /// Notes on what values name.
    pub named: Option<&'a Named>,
    /// The rules that were found for the member already.
    pub noted: Option<&'a Noted>,
    /// Whether an answer is fitted: then what the entity holds comes first.
    pub answers: bool,
    /// Whether members may be made of other members of the entity: first those that need none are found, so that no two
    /// are made of each other.
    pub dependent: bool,
    /// Whether pairs of what was sent and what was stored may be the rule though no two calls show the same pair: last, as
    /// they say nothing of any other value.
    pub tables: bool,
}

/// Levels of objects and lists that are taken apart.
const MAX_LEVELS: usize = 6;
/// Items of a list that is taken apart.
const MAX_ITEMS: usize = 8;
/// Characters: shorter texts of another name are equal by chance.
pub(super) const MIN_COPY: usize = 4;

impl Fitting<'_> {
    /// The rule of a member at a path of the merged entity (or of the answer).
    pub(super) fn fit_anew(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if cases.is_empty() {
            return None;
        }
        if cases.iter().all(|case| case.value.is_none()) {
            return Some(self.left_out(cases, at));
        }
        if self.creates && !self.answers && at == self.identity {
            return Some(MemberExpr::After(at.clone()));
        }
        if self.answers
            && let Some(rule) = self.of_entity(cases, at)
        {
            return Some(rule);
        }
        if let Some(path) = same_named(cases, at) {
            let (with, without): (Vec<Case<'_>>, Vec<Case<'_>>) =
                cases.iter().partition(|case| path.direct(case.given.sent).is_some());
            let sent = self.where_sent(&with, &path, at);
            let rest = || self.rest(&without, at).or_else(|| self.event_or_kept(&without, at));
            let rest = if without.is_empty() { None } else { rest() };
            return match (sent, rest, without.is_empty()) {
                (None, None, _) => None,
                (Some(sent), None, true) => Some(sent),
                (sent, rest, _) => Some(MemberExpr::IfSent(
                    path,
                    Box::new(sent.unwrap_or(MemberExpr::Unknown)),
                    Box::new(rest.unwrap_or(MemberExpr::Unknown)),
                )),
            };
        }
        self.rest(cases, at)
    }

    /// The rule of a new entity's identity.
    pub(super) fn fit_identity(&self, cases: &[Case<'_>]) -> Option<MemberExpr> {
        let sent = same_named(cases, self.identity).and_then(|path| {
            let cast = cast_of(cases, &path)?;
            Some(MemberExpr::Sent(path, cast))
        });
        sent.or_else(|| param(cases))
            .or_else(|| self.other_sent(cases, self.identity).filter(|_| distinct(cases) > 1))
            .or_else(|| self.made(cases, self.identity))
            .or_else(|| self.text(cases, self.identity))
    }

    /// A rule that reads no sent member of the same name.
    pub(super) fn rest(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if cases.iter().all(|case| case.value.is_none()) {
            return Some(self.left_out(cases, at));
        }
        if !self.creates && !self.answers && kept(cases, at) {
            return Some(MemberExpr::Before(at.clone()));
        }
        if cases.iter().any(|case| case.value.is_none()) {
            return None;
        }
        if !self.creates && !self.answers && same_here(cases, |here| here.before) {
            return Some(MemberExpr::HereBefore(0));
        }
        if let Some(path) = item_path(cases) {
            return Some(path);
        }
        if let Some(format) = clock(cases) {
            return Some(MemberExpr::Clock(format));
        }
        if let Some(rule) = self.due(cases).or_else(|| self.measured(cases, at)).or_else(|| self.excerpt(cases, at)) {
            return Some(rule);
        }
        if let Some(index) = param(cases) {
            return Some(index);
        }
        if let Some(rule) = self.other_sent(cases, at) {
            return Some(rule);
        }
        if let Some(rule) = self.other_each(cases, at) {
            return Some(rule);
        }
        if let Some(rule) = self.copied(cases, at) {
            return Some(rule);
        }
        if let Some(rule) = self.first_of(cases, at).or_else(|| self.lookup(cases, at)) {
            return Some(self.own_text_instead(cases, at, &rule).unwrap_or(rule));
        }
        if let Some(rule) = self.made(cases, at) {
            return Some(rule);
        }
        if self.answers
            && cases.iter().all(|case| case.value.is_some_and(is_filled))
            && let Some(parts) = self.parts(cases, at)
        {
            return Some(parts);
        }
        // Others of the type may show what makes it of other members: those come first.
        let no_constant = !self.dependent && self.is_no_constant(cases);
        if no_constant && !cases[0].value.is_some_and(is_filled) {
            return None;
        }
        // One text in all cases may still be made of something: other entities show it, or it holds what was sent.
        if cases[0].value.and_then(Value::as_str).is_some_and(|text| text.len() >= MIN_COPY)
            && let Some(rule) =
                self.text(cases, at).or_else(|| self.sent_once(cases, at)).or_else(|| self.own_once(cases))
        {
            return Some(rule);
        }
        if let Some(rule) = self.parts_of_one(cases, at) {
            return Some(rule);
        }
        if no_constant {
            return None;
        }
        if let Some(first) = cases[0].value
            && cases.iter().all(|case| case.value.is_some_and(|value| value.same_as(first)))
            && !(first.as_object().is_some_and(|object| !object.is_empty()) && holds_clock(first, cases[0].span))
        {
            let fixed = MemberExpr::Fixed(first.clone());
            // One that follows nothing may be the first of a count as well as what is always put there.
            let counts = at.0.len() > 1 && self.plus_here(cases).is_some();
            return Some(if counts { unless_held(fixed) } else { fixed });
        }
        if let Some(rule) = plus(cases, at).or_else(|| self.plus_here(cases)).or_else(|| self.put(cases, at)) {
            return Some(rule);
        }
        self.turned_over(cases, at)
            .or_else(|| self.text(cases, at))
            .or_else(|| self.unique(cases, at))
            .or_else(|| self.parts_or_more(cases, at))
            .or_else(|| self.framed(cases, at))
            .or_else(|| self.by_event(cases))
    }

    /// The rule of a member that no call shows: one that an update neither found nor sent is as it was, not taken away.
    fn left_out(&self, cases: &[Case<'_>], at: &MemberPath) -> MemberExpr {
        let sends = |case: &Case<'_>| at.direct(case.given.sent).is_some();
        let keeps = !self.creates && !self.answers && at.0.len() == 1 && kept(cases, at);
        if keeps && !cases.iter().any(sends) { MemberExpr::Before(at.clone()) } else { MemberExpr::Absent }
    }

    /// An object or a list, member by member. Where no call found an item in a list inside of the entity, it is not known
    /// what becomes of those that it holds.
    fn parts_or_more(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let rule = self.parts(cases, at)?;
        let first = !self.creates && !self.answers && at.0.len() > 1 && matches!(rule, MemberExpr::Array(_));
        let untold = first && !cases.iter().any(|case| is_told(case.here.before));
        Some(if untold { unless_held(rule) } else { rule })
    }

    /// The parts of a value that only one recorded call shows, where a text in it holds what that call sent.
    fn parts_of_one(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let value = cases[0].value.filter(|value| is_filled(value))?;
        let sent = sent_texts(cases).unwrap_or_default();
        let own = self.identity.direct(cases[0].given.after).and_then(scalar_text).unwrap_or_default();
        let tells = || holds_any(value, &sent) || self.creates && !own.is_empty() && holds_token(value, &own);
        (distinct(cases) == 1 && tells()).then(|| self.parts(cases, at)).flatten()
    }

    /// An object or a list, member by member.
    fn parts(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if at.0.len() >= MAX_LEVELS {
            return None;
        }
        if let Some(first) = cases[0].value?.as_object() {
            let names: BTreeSet<&str> = first.iter().filter_map(|(name, _)| name.as_str()).collect();
            let mut order: Vec<&str> = first.iter().filter_map(|(name, _)| name.as_str()).collect();
            for case in &cases[1..] {
                let object = case.value?.as_object()?;
                order.extend(object.iter().filter_map(|(name, _)| name.as_str()).filter(|name| !names.contains(name)));
            }
            let mut seen = BTreeSet::new();
            order.retain(|name| seen.insert(*name));
            let mut members = Vec::new();
            for name in order {
                let inner: Vec<Case<'_>> = cases
                    .iter()
                    .map(|case| Case {
                        value: case.value.and_then(|value| value.get(name)),
                        here: case.here.within(|value| value.get(name), case.value),
                        ..*case
                    })
                    .collect();
                let path = within(at, Step::Member(name.into()));
                let others = self.others_at(&|value| value.get(name), true);
                let fitting = Fitting { others: &others, ..*self };
                let fitted = fitting.fit(&inner, &path);
                // Whether something was held is the plainest of what tells cases apart.
                let fitted = if self.tables { fitted.or_else(|| fitting.made_or_kept(&inner, &path)) } else { fitted };
                let switches = self.answers || self.tables && self.dependent;
                let fitted = if switches { fitted.or_else(|| fitting.switch(&inner, &path, 0)) } else { fitted };
                let rule = match fitted {
                    Some(rule) => rule,
                    // What an answer shows is fitted member by member, so that it can be said which is not explained.
                    None if self.answers => MemberExpr::Unknown,
                    None => return None,
                };
                members.push((name.into(), rule));
            }
            return Some(MemberExpr::Object(members));
        }
        let first = cases[0].value?.as_array().filter(|items| !items.is_empty() && items.len() <= MAX_ITEMS)?;
        let mut items = Vec::new();
        for index in 0..first.len() {
            let inner: Option<Vec<Case<'_>>> = cases
                .iter()
                .map(|case| {
                    let list = case.value?.as_array().filter(|list| list.len() == first.len())?;
                    let here = case.here.within(|value| value.as_array()?.get(index), None);
                    Some(Case { value: list.get(index), here, ..*case })
                })
                .collect();
            let others = self.others_at(&|value| value.as_array()?.get(index), false);
            items.push(Fitting { others: &others, ..*self }.fit(&inner?, at)?);
        }
        Some(MemberExpr::Array(items))
    }

    /// The others with what `inner` finds in their values.
    fn others_at(&self, inner: &dyn Fn(&Value) -> Option<&Value>, member: bool) -> Vec<Other<'_>> {
        let others = self.others.iter().map(|other| {
            let value = other.value.and_then(inner);
            Other { value, beside: other.value.filter(|_| member), ..*other }
        });
        others.collect()
    }
}

/// A rule for where nothing was held; what a write makes of something is not known.
fn unless_held(rule: MemberExpr) -> MemberExpr {
    MemberExpr::IfHeld(Box::new(MemberExpr::Unknown), Box::new(rule))
}

/// Whether a value is an object or a list that holds something.
pub(super) fn is_filled(value: &Value) -> bool {
    value.as_object().is_some_and(|object| !object.is_empty()) || value.as_array().is_some_and(|list| !list.is_empty())
}

pub(super) fn within(at: &MemberPath, step: Step) -> MemberPath {
    let mut steps = at.0.clone();
    steps.push(step);
    MemberPath(steps)
}

pub(super) fn holds_clock(value: &Value, span: Option<(f64, f64)>) -> bool {
    match value.plain() {
        Value::Object(object) => object.iter().any(|(_, inner)| holds_clock(inner, span)),
        Value::Array(items) => items.iter().any(|item| holds_clock(item, span)),
        _ => ClockFormat::stamped(value, span).is_some(),
    }
}

/// How many different values the cases have.
pub(super) fn distinct(cases: &[Case<'_>]) -> usize {
    cases.iter().filter_map(|case| case.value).map(Value::to_compact).collect::<BTreeSet<_>>().len()
}
