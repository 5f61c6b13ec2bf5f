//! What a call without the member itself leaves: the word of an event (`{"event": "close"}`), a time that is counted on from
//! the write's, a flag that is turned over. Knows nothing of members that are sent by name.

use super::clock_format::{ClockFormat, clock_seconds};
use super::member_fit::{Case, Fitting, distinct, holds_clock};
use super::member_fit_held::kept;
use super::member_fit_switch::tells_apart;
use super::member_rule::MemberExpr;
use super::path::{MemberPath, scalar_paths};
use crate::json::Value;

/// Different events that have to be seen.
const MIN_EVENTS: usize = 2;
/// Seconds of what a sent number may count.
const UNITS: [i64; 4] = [86_400, 3_600, 60, 1];
/// Seconds: how far from a write's interval the instant may lie that it is counted from.
const SLACK: f64 = 3.0;

impl Fitting<'_> {
    /// A held flag turned over: seen both ways.
    pub(super) fn turned_over(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let turns = |case: &Case<'_>| {
            let held = case.given.before.and_then(|before| at.direct(before)).and_then(Value::as_bool);
            held.zip(case.value.and_then(Value::as_bool)).is_some_and(|(held, value)| held != value)
        };
        // What is sent may say what the flag becomes: both turns follow the same call.
        let alike = cases.windows(2).all(|pair| pair[0].given.sent.same_as(pair[1].given.sent));
        let all = alike && !self.creates && !self.answers && distinct(cases) == 2 && cases.iter().all(turns);
        all.then(|| MemberExpr::Not(at.clone()))
    }

    /// What was left for each sent word that is no member of the entity, where words were sent again and said the same.
    pub(super) fn by_event(&self, cases: &[Case<'_>]) -> Option<MemberExpr> {
        let mut paths = events(cases).into_iter();
        paths.find_map(|path| self.of_event(cases, &path))
    }

    /// The same where some calls send no event, and keep what is held.
    pub(super) fn event_or_kept(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let mut paths = events(cases).into_iter();
        paths.find_map(|path| {
            let (with, without): (Vec<Case<'_>>, Vec<Case<'_>>) =
                cases.iter().partition(|case| path.direct(case.given.sent).is_some());
            let table = self.of_event(&with, &path).filter(|_| kept(&without, at))?;
            let held = MemberExpr::Before(at.clone());
            Some(MemberExpr::IfSent(path, Box::new(table), Box::new(held)))
        })
    }

    fn of_event(&self, cases: &[Case<'_>], path: &MemberPath) -> Option<MemberExpr> {
        if self.creates || self.answers || distinct(cases) < MIN_EVENTS {
            return None;
        }
        let mut pairs: Vec<(Value, Value)> = Vec::new();
        for case in cases {
            if path.direct(case.given.after).is_some() {
                return None;
            }
            let (sent, value) = path.direct(case.given.sent).zip(case.value)?;
            match pairs.iter().find(|(from, _)| from.same_as(sent)) {
                Some((_, to)) if !to.same_as(value) => return None,
                Some(_) => {}
                None => pairs.push((sent.clone(), value.clone())),
            }
        }
        let stamps = pairs.iter().any(|(_, value)| cases.iter().any(|case| holds_clock(value, case.span)));
        let told = pairs.len() >= MIN_EVENTS && pairs.len() < cases.len() && !stamps;
        told.then(|| MemberExpr::Table(path.clone(), pairs))
    }

    /// A clock that lies as far behind the write's time as a sent number says.
    pub(super) fn due(&self, cases: &[Case<'_>]) -> Option<MemberExpr> {
        let first = cases.first()?;
        clock_seconds(first.value?)?;
        let format = ClockFormat::of(first.value?)?;
        let paths = scalar_paths(std::iter::once(first.given.sent)).into_iter().filter(|path| !path.through_array());
        let lies = |case: &Case<'_>, path: &MemberPath, unit: i64| {
            let count = path.direct(case.given.sent).and_then(Value::as_number)?.as_i64()?;
            let (start, end) = case.span?;
            let value = case.value.filter(|value| format.spells(value))?;
            #[allow(clippy::cast_precision_loss)]
            let from = clock_seconds(value)? - count.checked_mul(unit)? as f64;
            (count > 0 && from >= start / 1000.0 - SLACK && from <= end / 1000.0 + SLACK).then_some(())
        };
        let ways = paths.flat_map(|path| UNITS.map(|unit| (path.clone(), unit)));
        let found = ways.into_iter().find(|(path, unit)| cases.iter().all(|case| lies(case, path, *unit).is_some()));
        found.map(|(path, unit)| MemberExpr::Due(format.clone(), path, unit))
    }
}

/// The words that calls send.
fn events(cases: &[Case<'_>]) -> Vec<MemberPath> {
    let mut found: Vec<MemberPath> = Vec::new();
    for case in cases {
        let sent = case.given.sent.as_object().into_iter().flatten().filter(|(_, value)| tells_apart(value));
        for name in sent.filter_map(|(name, _)| name.as_str()) {
            let path = MemberPath::member(name);
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}
