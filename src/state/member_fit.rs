//! Fitting member rules to recorded writes: the simplest rule that gives the recorded value in every case. A rule that
//! two cases could have told apart from a constant is preferred only when they do. This file holds the order in which
//! rules are tried, and the cases that are told apart; the rules themselves are in the files beside it, by what they are
//! made of: what was sent (`member_fit_sent.rs`), what is held (`member_fit_held.rs`), what the write makes
//! (`member_fit_made.rs`), texts (`member_fit_text.rs`). What was found is noted (`member_fit_noted.rs`).

use super::clock_format::{ClockFormat, clock_seconds};
use super::generate::Generator;
use super::line::scalar_text;
use super::member_fit_held::{kept, same_here};
use super::member_fit_made::{clock, plus};
use super::member_fit_named::Named;
use super::member_fit_noted::Noted;
use super::member_fit_sent::{cast_of, item_path, param, same_named};
use super::member_fit_text::{holds_any, holds_token, sent_texts};
use super::member_rule::{Given, IfNull, MemberExpr};
use super::path::{MemberPath, Step};
use super::store::World;
use crate::json::{Object, Value};
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
    /// How many types there are.
    pub kinds: usize,
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

/// Values of a member that tells cases apart.
const MAX_SWITCH: usize = 4;
/// Entities that are looked at for the values of a member that tells cases apart.
const MAX_WORDED: usize = 24;
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
            return Some(MemberExpr::Absent);
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
            let rest = if without.is_empty() { None } else { self.rest(&without, at) };
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
            return Some(MemberExpr::Absent);
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
            return Some(rule);
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
        if let Some(first) = cases[0].value
            && cases.iter().all(|case| case.value.is_some_and(|value| value.same_as(first)))
            && !(first.as_object().is_some_and(|object| !object.is_empty()) && holds_clock(first, cases[0].span))
        {
            return Some(MemberExpr::Fixed(first.clone()));
        }
        if let Some(rule) = plus(cases, at).or_else(|| self.plus_here(cases)).or_else(|| self.put(cases, at)) {
            return Some(rule);
        }
        self.text(cases, at).or_else(|| self.unique(cases, at)).or_else(|| self.parts(cases, at))
    }

    /// A rule for each group of cases that something tells apart: whether a member is sent, or a member's value. One that
    /// tells all apart comes before one that takes several.
    pub(super) fn switch(&self, cases: &[Case<'_>], at: &MemberPath, levels: usize) -> Option<MemberExpr> {
        (0..=levels).find_map(|levels| self.switch_within(cases, at, levels))
    }

    fn switch_within(&self, cases: &[Case<'_>], at: &MemberPath, levels: usize) -> Option<MemberExpr> {
        let sound = |rule: &MemberExpr, count: usize| {
            !(matches!(rule, MemberExpr::Fixed(value) if !is_default(value)) && count < 2)
        };
        let fit = |group: &[Case<'_>], others: &[Other<'_>]| {
            let fitting = Fitting { others, ..*self };
            let rule = fitting.fit(group, at);
            rule.or_else(|| if levels > 0 { fitting.switch_within(group, at, levels - 1) } else { None })
                .filter(|rule| sound(rule, group.len()))
        };
        let mut names: Vec<&str> = Vec::new();
        for case in cases {
            let sent = case.given.sent.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str());
            names.extend(sent.filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        if let Some(rule) = self.unless_null(cases, at, &names) {
            return Some(rule);
        }
        // Of several that are sent with each other, one of the value's own type is the likelier cause.
        names.sort_by_key(|name| !cases.iter().any(|case| is_of_type(case, name)));
        for name in names {
            let path = MemberPath::member(name);
            let (with, without): (Vec<Case<'_>>, Vec<Case<'_>>) =
                cases.iter().partition(|case| path.direct(case.given.sent).is_some());
            if with.is_empty() || without.is_empty() {
                continue;
            }
            let has = |entity: &Value| path.direct(entity).is_some_and(|held| !held.is_null());
            let others = (self.others_where(&has), self.others_where(&|entity| !has(entity)));
            if let (Some(then), Some(otherwise)) = (fit(&with, &others.0), fit(&without, &others.1)) {
                return Some(MemberExpr::IfSent(path, Box::new(then), Box::new(otherwise)));
            }
        }
        let first = cases.first()?.given.after.as_object()?;
        for (name, value) in first.iter().filter(|_| self.dependent) {
            let path = MemberPath::member(name.as_str()?);
            if path == *at || !tells_apart(value) || !self.is_word(&path) {
                continue;
            }
            let mut groups: Vec<(Value, Vec<Case<'_>>)> = Vec::new();
            for case in cases {
                let Some(held) = path.direct(case.given.after) else { break };
                match groups.iter_mut().find(|(value, _)| value.same_as(held)) {
                    Some((_, group)) => group.push(*case),
                    None => groups.push((held.clone(), vec![*case])),
                }
            }
            let whole = groups.iter().map(|(_, group)| group.len()).sum::<usize>() == cases.len();
            if !whole || !(2..=MAX_SWITCH).contains(&groups.len()) || groups.len() == cases.len() && cases.len() > 2 {
                continue;
            }
            let rules: Option<Vec<(Value, MemberExpr)>> = {
                let alike = |value: &Value| {
                    self.others_where(&|entity| path.direct(entity).is_some_and(|held| held.same_as(value)))
                };
                groups
                    .into_iter()
                    .map(|(value, group)| {
                        let rule = fit(&group, &alike(&value))?;
                        Some((value, rule))
                    })
                    .collect()
            };
            if let Some(rules) = rules {
                return Some(MemberExpr::Switch(path, rules));
            }
        }
        if self.answers { self.unless_sent(cases, at) } else { None }
    }

    /// Whether the entities of the type have few values at a path: one that is another for each says nothing of the next.
    fn is_word(&self, path: &MemberPath) -> bool {
        let entities = self.world.collections(self.kind).flat_map(|(_, collection)| collection.iter());
        let values: Vec<String> =
            entities.take(MAX_WORDED).filter_map(|entity| path.direct(&entity.fields).and_then(scalar_text)).collect();
        let distinct: BTreeSet<&String> = values.iter().collect();
        values.len() < 2 || distinct.len() < values.len()
    }

    /// A member that is null, or left out, where null was sent for another one, and else has a rule.
    fn unless_null(&self, cases: &[Case<'_>], at: &MemberPath, names: &[&str]) -> Option<MemberExpr> {
        names.iter().find_map(|name| {
            let path = MemberPath::member(name);
            let (null, other): (Vec<Case<'_>>, Vec<Case<'_>>) =
                cases.iter().partition(|case| path.direct(case.given.sent).is_some_and(Value::is_null));
            let nulls = null.iter().all(|case| case.value.is_some_and(Value::is_null));
            let absent = null.iter().all(|case| case.value.is_none());
            if null.is_empty() || other.is_empty() || !nulls && !absent {
                return None;
            }
            let rule = self.fit(&other, at).filter(|rule| !rule.is_unknown() && !matches!(rule, MemberExpr::Fixed(_)));
            let rule = Box::new(rule?);
            Some(MemberExpr::UnlessNull(path, if absent { IfNull::Absent } else { IfNull::Null }, rule))
        })
    }

    /// What is one value in all calls, but was kept by those that did not send a member which all others sent: kept unless
    /// that is sent. Where the value holds what was sent, what another one does is not known.
    pub(super) fn kept_unless(&self, cases: &[Case<'_>], at: &MemberPath, rule: &MemberExpr) -> Option<MemberExpr> {
        if self.creates || self.answers || !matches!(rule, MemberExpr::Fixed(_) | MemberExpr::Object(_)) {
            return None;
        }
        let (same, changed): (Vec<Case<'_>>, Vec<Case<'_>>) =
            cases.iter().partition(|case| kept(std::slice::from_ref(*case), at));
        let first = changed.first().filter(|_| !same.is_empty())?;
        let sends = |case: &Case<'_>, name: &str| case.given.sent.get(name).is_some();
        let names = first.given.sent.as_object()?.iter().filter_map(|(name, _)| name.as_str());
        let name = names
            .into_iter()
            .find(|name| changed.iter().all(|case| sends(case, name)) && !same.iter().any(|case| sends(case, name)))?;
        let holds = |case: &Case<'_>| {
            let mut texts = BTreeSet::new();
            case.value.iter().for_each(|value| super::effect::texts_of(value, &mut texts));
            case.given.sent.get(name).and_then(scalar_text).is_some_and(|sent| texts.contains(&sent))
        };
        let then = if changed.iter().any(holds) { MemberExpr::Unknown } else { rule.clone() };
        let kept = MemberExpr::Before(at.clone());
        Some(MemberExpr::IfSent(MemberPath::member(name), Box::new(then), Box::new(kept)))
    }

    /// What holds unless some member is sent: what calls that send it do to this one is not explained.
    pub(super) fn unless_sent(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if self.creates || !self.dependent {
            return None;
        }
        let sent = |case: &Case<'_>| case.given.sent.as_object().cloned().unwrap_or_default();
        let objects: Vec<Object> = cases.iter().map(sent).collect();
        let mut names: Vec<&str> = Vec::new();
        for name in objects.iter().flatten().filter_map(|(name, _)| name.as_str()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        // The member that the fewest calls sent leaves the most explained.
        names.sort_by_key(|name| objects.iter().filter(|object| object.contains(name)).count());
        names.into_iter().find_map(|name| {
            let path = MemberPath::member(name);
            let without: Vec<Case<'_>> =
                cases.iter().filter(|case| path.direct(case.given.sent).is_none()).copied().collect();
            if without.is_empty() || without.len() == cases.len() {
                return None;
            }
            let rule = self.fit(&without, at).filter(|rule| self.answers || matches!(rule, MemberExpr::Before(_)))?;
            (!rule.is_unknown()).then(|| MemberExpr::IfSent(path, Box::new(MemberExpr::Unknown), Box::new(rule)))
        })
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

    /// The others that a condition holds for.
    fn others_where(&self, holds: &dyn Fn(&Value) -> bool) -> Vec<Other<'_>> {
        self.others.iter().filter(|other| holds(other.entity)).copied().collect()
    }
}

/// Whether a case sends a member of the type that the value has.
fn is_of_type(case: &Case<'_>, name: &str) -> bool {
    let sent = case.given.sent.get(name).filter(|sent| !sent.is_null());
    sent.zip(case.value).is_some_and(|(sent, value)| sent.type_name() == value.type_name())
}

/// Whether a value is an object or a list that holds something.
pub(super) fn is_filled(value: &Value) -> bool {
    value.as_object().is_some_and(|object| !object.is_empty()) || value.as_array().is_some_and(|list| !list.is_empty())
}

/// Whether a value may tell cases apart: a word, not what is another in every call anyway.
fn tells_apart(value: &Value) -> bool {
    match value.plain() {
        Value::Bool(_) => true,
        Value::String(_) => {
            let text = value.as_str().unwrap_or_default();
            clock_seconds(value).is_none() && Generator::of_text(text).is_none()
        }
        _ => false,
    }
}

/// Whether a value is one that members have when nothing was said about them.
fn is_default(value: &Value) -> bool {
    match value.plain() {
        Value::Null | Value::Bool(_) => true,
        Value::Number(number) => number.to_f64() == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Shared(_) | Value::Rendered(_) => false,
    }
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
