//! Rules of what a write makes: its time, the next number of a sequence, a text made at random, the held number and one.

use super::clock_format::ClockFormat;
use super::generate::{Generator, SequenceScope, counted};
use super::line::scalar_text;
use super::member_fit::{Case, Fitting, distinct};
use super::member_rule::MemberExpr;
use super::path::{MemberPath, scalar_paths};
use super::write_maker::largest_held;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number that a sequence begins with.
const MAX_START: i64 = 2;
/// Numbers of a shared sequence that others may have taken between two calls.
const MAX_GAP: i64 = 64;

impl Fitting<'_> {
    /// A generated value: the next number, or a text that looks made and is never the same.
    pub(super) fn made(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let values: Vec<&Value> = cases.iter().filter_map(|case| case.value).collect();
        let distinct: BTreeSet<String> = values.iter().filter_map(|value| scalar_text(value)).collect();
        let is_identity = at == self.identity;
        if distinct.len() != values.len() {
            // Identities may repeat where each collection counts for itself.
            let sequence = if self.creates && !self.answers && is_identity { self.sequence(cases, at) } else { None };
            return sequence.filter(|_| values.len() == cases.len());
        }
        if let Some(first) = values[0].as_str()
            && let Some(mut generator) = Generator::of_text(first)
        {
            // What was held already was kept, not made.
            if !self.answers
                && cases.iter().any(|case| case.value.zip(case.here.before).is_some_and(|(a, b)| a.same_as(b)))
            {
                return None;
            }
            // What others of the type hold, too, no write made: who is signed in, say.
            if !is_identity
                && self
                    .others
                    .iter()
                    .any(|other| other.value.and_then(Value::as_str).is_some_and(|text| distinct.contains(text)))
            {
                return None;
            }
            for value in &values[1..] {
                generator = generator.joined(&Generator::of_text(value.as_str()?)?)?;
            }
            if self.creates && is_identity && self.rises(cases, &generator) {
                generator = Generator::Rising(Box::new(generator));
            }
            return Some(MemberExpr::Made(generator, !self.creates));
        }
        if self.answers {
            return None;
        }
        if self.creates
            && let Some(sequence) = self.sequence(cases, at)
        {
            return Some(sequence);
        }
        if !is_identity && self.passes_all(cases, at) {
            let digits = counted(values[0])?.1;
            return Some(MemberExpr::Made(
                Generator::Sequence { scope: SequenceScope::Type, start: 1, digits },
                !self.creates,
            ));
        }
        if self.shares_identities(cases, at) || self.passes_those_held(cases, at) {
            let digits = counted(values[0])?.1;
            let shared = Generator::Sequence { scope: SequenceScope::Shared, start: 1, digits };
            return Some(MemberExpr::Made(shared, !self.creates));
        }
        if !self.creates {
            return None;
        }
        let counts: Vec<(i64, Option<usize>)> = values.iter().map(|value| counted(value)).collect::<Option<_>>()?;
        let rising = counts.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let digits = counts[0].1;
        (is_identity && rising && counts.iter().all(|(_, other)| other.is_some() == digits.is_some()))
            .then(|| MemberExpr::Made(Generator::Sequence { scope: SequenceScope::Type, start: 1, digits }, false))
    }

    /// Whether each of several identities begins with more than all that were held, and those made before it.
    fn rises(&self, cases: &[Case<'_>], generator: &Generator) -> bool {
        let heights: Option<Vec<i64>> =
            cases.iter().map(|case| generator.height(case.value.and_then(Value::as_str)?)).collect();
        heights.filter(|heights| heights.len() > 1 && heights.is_sorted()).is_some_and(|heights| {
            cases.iter().zip(heights).all(|(case, height)| {
                let held = super::write_maker::highest_held(case.world, self.kind, generator);
                held.is_some_and(|held| held <= height)
            })
        })
    }

    /// Whether numbers each lie past all that the type held, which no two entities share: a sequence that others share.
    fn passes_all(&self, cases: &[Case<'_>], at: &MemberPath) -> bool {
        let told: BTreeSet<String> = self.others.iter().filter_map(|other| other.value.and_then(scalar_text)).collect();
        let apart = told.len() > 1 && told.len() == self.others.iter().filter(|other| other.value.is_some()).count();
        at.0.len() == 1
            && apart
            && cases.len() > 1
            && cases.iter().all(|case| {
                let number = case.value.and_then(counted).map(|(number, _)| number);
                let held = largest_held(case.world, self.kind, &SequenceScope::Type, None, at);
                number.zip(held).is_some_and(|(number, held)| number > held && number <= held + MAX_GAP)
            })
    }

    /// Whether numbers inside of the entity are taken from the sequence of the identities: each lies shortly past all of
    /// them, and they rise from call to call.
    fn shares_identities(&self, cases: &[Case<'_>], at: &MemberPath) -> bool {
        let numbers: Vec<i64> = cases.iter().filter_map(|case| Some(counted(case.value?)?.0)).collect();
        at.0.len() > 1
            && numbers.len() == cases.len()
            && numbers.len() > 1
            && numbers.windows(2).all(|pair| pair[0] < pair[1])
            && cases.iter().zip(&numbers).all(|(case, number)| {
                let held = largest_held(case.world, self.kind, &SequenceScope::Type, None, self.identity);
                held.is_some_and(|held| *number > held && *number <= held + MAX_GAP)
            })
    }

    /// The same of one number alone: it lies past all identities, and past the numbers that others of the type hold at the
    /// place, no two of them the same.
    fn passes_those_held(&self, cases: &[Case<'_>], at: &MemberPath) -> bool {
        let [case] = cases else { return false };
        let Some((number, _)) = case.value.and_then(counted).filter(|_| !self.creates && at.0.len() > 1) else {
            return false;
        };
        let identity = largest_held(case.world, self.kind, &SequenceScope::Type, None, self.identity);
        if !identity.is_some_and(|held| number > held && number <= held + MAX_GAP) {
            return false;
        }
        let names: Vec<&str> = at.names().collect();
        let mut held: Vec<i64> = Vec::new();
        for entity in case.world.collections(self.kind).flat_map(|(_, collection)| collection.iter()) {
            numbers_at(&entity.fields, &names, &mut held);
        }
        let distinct: BTreeSet<&i64> = held.iter().collect();
        distinct.len() > 1 && distinct.len() == held.len() && held.iter().all(|held| number > *held)
    }

    /// The number held at the same place, and one.
    pub(super) fn plus_here(&self, cases: &[Case<'_>]) -> Option<MemberExpr> {
        let one_more = |case: &Case<'_>| {
            let (before, after) = counted(case.here.before?).zip(counted(case.value?))?;
            (after.0 == before.0 + 1).then_some(())
        };
        (!self.creates && !self.answers && cases.iter().all(|case| one_more(case).is_some()))
            .then_some(MemberExpr::HereBefore(1))
    }

    /// The next number of the entities that count together: all, those of the collection, those that share a member.
    pub(super) fn sequence(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let first = cases[0].value?;
        let digits = counted(first)?.1;
        let numbers: Vec<i64> =
            cases.iter().map(|case| counted(case.value?).map(|(number, _)| number)).collect::<Option<_>>()?;
        if at != self.identity && numbers.iter().all(|number| *number < 2) {
            return None;
        }
        // One number says too little by itself.
        let told =
            |scope: &SequenceScope| at == self.identity || distinct(cases) > 1 || self.others_count(cases, scope);
        let mut scopes = vec![SequenceScope::Type, SequenceScope::Collection];
        scopes.extend(
            scalar_paths(std::iter::once(cases[0].given.after))
                .into_iter()
                .filter(|path| {
                    let other = path != at && path != self.identity && at != self.identity;
                    self.dependent && !path.through_array() && path.0.len() == 1 && other
                })
                .map(SequenceScope::Member),
        );
        // `past`: numbers that earlier calls took are not taken again, also where what they made is gone.
        let follows = |scope: &SequenceScope, past: bool| -> Option<i64> {
            let mut start: Option<i64> = None;
            let mut counted = false;
            let mut taken: BTreeMap<Option<String>, i64> = BTreeMap::new();
            for (case, number) in cases.iter().zip(&numbers) {
                let shared = match scope {
                    SequenceScope::Type | SequenceScope::Shared => None,
                    SequenceScope::Collection => Some(case.collection.to_owned()),
                    SequenceScope::Member(member) => member.direct(case.given.after).map(Value::to_compact),
                };
                let held = largest_held(case.world, self.kind, scope, shared.as_deref(), at);
                let held = held.max(taken.get(&shared).copied().filter(|_| past));
                match held {
                    Some(held) if held + 1 == *number => counted = true,
                    Some(_) => return None,
                    None if *number <= MAX_START && start.is_none_or(|start| start == *number) => start = Some(*number),
                    None => return None,
                }
                taken.insert(shared, *number);
            }
            (counted || start == Some(1)).then(|| start.unwrap_or(1))
        };
        let mut found = scopes
            .iter()
            .filter(|scope| told(scope))
            .find_map(|scope| follows(scope, false).map(|start| (scope.clone(), start)));
        if found.is_none() && at == self.identity {
            found = scopes.into_iter().find_map(|scope| follows(&scope, true).map(|start| (scope, start)));
        }
        let (scope, start) = found?;
        Some(MemberExpr::Made(Generator::Sequence { scope, start, digits }, false))
    }
}

/// The numbers at the end of a way of names, through lists, too.
fn numbers_at(value: &Value, names: &[&str], into: &mut Vec<i64>) {
    if let Some(items) = value.as_array() {
        items.iter().for_each(|item| numbers_at(item, names, into));
        return;
    }
    match names.split_first() {
        Some((name, rest)) => value.get(name).into_iter().for_each(|inner| numbers_at(inner, rest, into)),
        None => into.extend(counted(value).map(|(number, _)| number)),
    }
}

pub(super) fn clock(cases: &[Case<'_>]) -> Option<ClockFormat> {
    let formats: Option<Vec<ClockFormat>> =
        cases.iter().map(|case| ClockFormat::stamped(case.value?, case.span)).collect();
    let formats = formats?;
    let first = formats.iter().max_by_key(|format| match format.shape {
        super::clock_format::ClockShape::Iso { digits, .. } => digits,
        _ => 0,
    })?;
    let alike = formats.iter().all(|format| format.ahead == first.ahead)
        && cases.iter().all(|case| case.value.is_some_and(|value| first.spells(value)));
    alike.then(|| first.clone())
}

pub(super) fn plus(cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
    let steps: Option<Vec<i64>> = cases
        .iter()
        .map(|case| {
            let before = counted(at.direct(case.given.before?)?)?;
            let after = counted(case.value?)?;
            after.0.checked_sub(before.0)
        })
        .collect();
    let steps = steps?;
    let first = *steps.first()?;
    (matches!(first, 1 | -1) && steps.iter().all(|step| *step == first)).then(|| MemberExpr::Plus(at.clone(), first))
}
