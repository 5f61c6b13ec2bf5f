//! Cases that are told apart: a rule for each group of recorded writes where no one rule gives all values, by whether a member
//! is sent, whether it is null, or by a word that the entity holds. Tried last: what tells few cases apart may do so by chance.

use super::clock_format::clock_seconds;
use super::generate::Generator;
use super::line::scalar_text;
use super::member_fit::{Case, Fitting, Other};
use super::member_fit_held::kept;
use super::member_fit_words::words_of;
use super::member_rule::{IfNull, MemberExpr};
use super::naming::words;
use super::path::MemberPath;
use crate::json::{Object, Value};
use std::collections::BTreeSet;

/// Values of a member that tells cases apart.
const MAX_SWITCH: usize = 4;
/// Entities that are looked at for the values of a member that tells cases apart.
const MAX_WORDED: usize = 24;

impl Fitting<'_> {
    /// A rule for each group of cases that something tells apart: whether a member is sent, or a member's value. One that
    /// tells all apart comes before one that takes several.
    pub(super) fn switch(&self, cases: &[Case<'_>], at: &MemberPath, levels: usize) -> Option<MemberExpr> {
        (0..=levels).find_map(|levels| self.switch_within(cases, at, levels))
    }

    fn switch_within(&self, cases: &[Case<'_>], at: &MemberPath, levels: usize) -> Option<MemberExpr> {
        let fit = |group: &[Case<'_>], others: &[Other<'_>]| {
            let fitting = Fitting { others, ..*self };
            let rule = self.kept_made(group, at).or_else(|| fitting.fit(group, at));
            rule.or_else(|| if levels > 0 { fitting.switch_within(group, at, levels - 1) } else { None })
                .filter(|rule| is_sound(rule, group.len()))
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
                let path = read_gate(&then, &with, &without).unwrap_or(path);
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
            // Where each call has a word of its own, other entities have to tell what the words say.
            let each = groups.len() == cases.len() && cases.len() > 2;
            let told = || words_of(self, cases, &path, at).is_some() && !self.others.is_empty();
            if !whole || !(2..=MAX_SWITCH).contains(&groups.len()) || each && !told() {
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
            // A text of members that changed exactly where it did follows those, whatever word was held beside them.
            let made = |(_, rule): &(Value, MemberExpr)| self.follows(cases, at, &path, rule);
            if let Some(mut rules) = rules.filter(|rules| !rules.iter().any(made)) {
                self.other_words(cases, &path, at, &mut rules);
                return Some(MemberExpr::Switch(path, rules));
            }
        }
        if self.answers { self.unless_sent(cases, at) } else { None }
    }

    /// A made text that a group of calls keeps: kept, too, where they sent it again and the next one does not.
    fn kept_made(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let made =
            |case: &Case<'_>| case.value.and_then(Value::as_str).is_some_and(|text| Generator::of_text(text).is_some());
        let keeps = !self.creates && !self.answers && kept(cases, at) && cases.iter().all(made);
        keeps.then(|| MemberExpr::Before(at.clone()))
    }

    /// Whether the entities of the type have few values at a path: one that is another for each says nothing of the next.
    pub(super) fn is_word(&self, path: &MemberPath) -> bool {
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

    /// A text that is made of a sent member, where no recorded call sent null for it: it is then what entities that hold null
    /// there show.
    pub(super) fn null_as_others(&self, cases: &[Case<'_>], rule: &MemberExpr) -> Option<MemberExpr> {
        let text = match rule {
            MemberExpr::IfSent(_, then, _) => then.as_ref(),
            rule => rule,
        };
        let mut paths: BTreeSet<MemberPath> = BTreeSet::new();
        if matches!(text, MemberExpr::SentText(_)) {
            text.sent_paths(&mut |path| paths.extend([path.clone()]));
        }
        let path = paths.pop_first().filter(|_| paths.is_empty())?;
        let null = |value: &Value| path.direct(value).is_some_and(Value::is_null);
        if cases.iter().any(|case| null(case.given.sent)) {
            return None;
        }
        let mut shown = self.others.iter().filter(|other| null(other.entity)).map(|other| other.value);
        let nothing = match shown.next()? {
            None => IfNull::Absent,
            Some(value) => value.is_null().then_some(IfNull::Null)?,
        };
        let alike =
            |value: Option<&Value>| value.is_none() == (nothing == IfNull::Absent) && value.is_none_or(Value::is_null);
        shown.all(alike).then(|| MemberExpr::UnlessNull(path.clone(), nothing, Box::new(rule.clone())))
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
        if names_who(cases, at, rule) {
            return None;
        }
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

    /// The others that a condition holds for.
    fn others_where(&self, holds: &dyn Fn(&Value) -> bool) -> Vec<Other<'_>> {
        self.others.iter().filter(|other| holds(other.entity)).copied().collect()
    }
}

/// The sent member that a rule reads, where that is sent in just the cases of the rule: of several members that are sent
/// with each other, it is the one that tells the cases apart.
fn read_gate(rule: &MemberExpr, with: &[Case<'_>], without: &[Case<'_>]) -> Option<MemberPath> {
    let mut read: Vec<MemberPath> = Vec::new();
    rule.sent_paths(&mut |path| read.extend(path.names().next().map(MemberPath::member)));
    let sends = |case: &Case<'_>, path: &MemberPath| path.direct(case.given.sent).is_some();
    let tells =
        |path: &MemberPath| with.iter().all(|case| sends(case, path)) && !without.iter().any(|case| sends(case, path));
    read.into_iter().find(tells)
}

/// Whether a member says who wrote: it ends with the word that one beside it ends with, which says the same in every case
/// (`updated_by` beside `created_by`, `updatedBy` beside `createdBy`).
fn names_who(cases: &[Case<'_>], at: &MemberPath, rule: &MemberExpr) -> bool {
    let (MemberExpr::Fixed(value), Some(name)) = (rule, at.last_name()) else { return false };
    let last = |name: &str| words(name).into_iter().skip(1).next_back();
    let Some(first) = cases.first().and_then(|case| case.given.before?.as_object()) else { return false };
    let mut others = first.iter().filter_map(|(other, _)| other.as_str()).filter(|other| *other != name);
    last(name).is_some()
        && others.any(|other| {
            let says = |case: &Case<'_>| {
                case.given.before.and_then(|before| before.get(other)).is_some_and(|held| held.same_as(value))
            };
            last(other) == last(name) && cases.iter().all(says)
        })
}

/// Whether a value may tell cases apart: a word, not what is another in every call anyway.
pub(super) fn tells_apart(value: &Value) -> bool {
    match value.plain() {
        Value::Bool(_) => true,
        Value::String(_) => {
            let text = value.as_str().unwrap_or_default();
            clock_seconds(value).is_none() && Generator::of_text(text).is_none()
        }
        _ => false,
    }
}

/// Whether a case sends a member of the type that the value has.
fn is_of_type(case: &Case<'_>, name: &str) -> bool {
    let sent = case.given.sent.get(name).filter(|sent| !sent.is_null());
    sent.zip(case.value).is_some_and(|(sent, value)| sent.type_name() == value.type_name())
}

/// Whether as many cases are enough for a rule: one alone proves no constant, but what members are anyway.
pub(super) fn is_sound(rule: &MemberExpr, count: usize) -> bool {
    !(matches!(rule, MemberExpr::Fixed(value) if !is_default(value)) && count < 2)
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
