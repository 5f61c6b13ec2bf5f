//! Members of documents that move by themselves: an uptime, statistics, a time of day (`derivation.md`, volatile reads).
//! The rest of such a document is answered from the state, these members as they were recorded, and the answer says so.
//! Nothing here knows of types, entities or writes but when one was made.

use super::entity::at_place;
use super::envelope::set_at;
use super::line::Param;
use super::observe::{Observed, Seen};
use super::path::{MemberPath, Step};
use super::types::Place;
use crate::capture::is_success;
use crate::json::{Number, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Levels of objects in a document that members are looked for in.
const MAX_LEVELS: usize = 4;
/// Readings from which on a number that rose at every one of them is taken for one that measures time.
const MIN_RISES: usize = 3;
/// How many times as fast it may rise at one time as at another: sums of what is written rise as they come.
const MAX_UNEVEN: f64 = 1.5;

/// What a reading asked for: its path, and its line's parameters.
type Asked<'s> = (&'s str, &'s [Param]);

/// Places at which the documents of a read tool move by themselves, sorted: two readings of one line in a row differ there
/// though nothing was written between them; or a number that is not whole rose from each of three readings to the next,
/// as fast as time went on. None of them where what moves is no member, or all that there is.
pub(super) fn moving_places(observed: &Observed, tool: usize, written: impl Fn(&Seen, &Seen) -> bool) -> Vec<Place> {
    let mut lines: HashMap<Asked<'_>, Vec<(&Seen, &Value)>> = HashMap::new();
    for seen in observed.of_tool(tool).filter(|seen| is_success(seen.status)) {
        if let (Some(line), Some(body)) = (seen.line.as_ref().filter(|line| !line.repeated), &seen.body) {
            lines.entry((&seen.path, &line.params)).or_default().push((seen, body));
        }
    }
    let mut found: BTreeSet<Place> = BTreeSet::new();
    for readings in lines.values().filter(|readings| readings.len() > 1) {
        let mut rising: Option<Vec<(MemberPath, f64, f64)>> = None;
        for pair in readings.windows(2) {
            let ((before, one), (after, other)) = (pair[0], pair[1]);
            let differs = differing(one, other);
            let rates = differs.iter().filter_map(|path| Some((path, rate(path, pair[0], pair[1])?)));
            rising = Some(match rising {
                None => rates.map(|(path, rate)| (path.clone(), rate, rate)).collect(),
                Some(held) => {
                    let rates: Vec<(&MemberPath, f64)> = rates.collect();
                    let again = held.into_iter().filter_map(|(path, slow, fast)| {
                        let (_, rate) = rates.iter().find(|(other, _)| **other == path)?;
                        Some((path, rate.min(slow), rate.max(fast)))
                    });
                    again.collect()
                }
            });
            if !written(before, after) {
                found.extend(differs.iter().map(place));
            }
        }
        if readings.len() >= MIN_RISES {
            let even = rising.iter().flatten().filter(|(_, slow, fast)| *fast <= *slow * MAX_UNEVEN);
            found.extend(even.map(|(path, _, _)| place(path)));
        }
    }
    let found: Vec<Place> = found.into_iter().collect();
    let mut bodies = lines.values().flatten().map(|(_, body)| *body);
    let stays = |body: &Value| {
        let mut rest = body.clone();
        found.iter().for_each(|place| set_at(&mut rest, place, None));
        holds_something(&rest)
    };
    let sound = !found.iter().any(Vec::is_empty) && bodies.all(stays);
    if sound { found } else { Vec::new() }
}

fn holds_something(value: &Value) -> bool {
    match value.as_object() {
        Some(object) => object.iter().any(|(_, inner)| holds_something(inner)),
        None => true,
    }
}

fn place(path: &MemberPath) -> Place {
    path.names().map(Box::from).collect()
}

/// How much a number that is not whole rises in a second between two readings; `None` where it does not, or nobody knows
/// when they were.
fn rate(path: &MemberPath, (before, one): (&Seen, &Value), (after, other): (&Seen, &Value)) -> Option<f64> {
    let number = |value| path.direct(value).and_then(Value::as_number).map(Number::to_f64);
    let (one, other) = number(one).zip(number(other))?;
    let seconds = (after.span?.0 - before.span?.0) / 1000.0;
    let whole = one.fract() == 0.0 && other.fract() == 0.0;
    (one < other && !whole && seconds > 0.0).then(|| (other - one) / seconds)
}

/// A document with what moves by itself as another one has it; places that one of them lacks stay.
pub(super) fn settled(value: &Arc<Value>, like: &Value, moving: &[Place]) -> Arc<Value> {
    let mut settled = Arc::clone(value);
    for place in moving {
        let held = at_place(&settled, place).zip(at_place(like, place));
        if let Some((held, shown)) = held
            && !held.same_as(shown)
        {
            let shown = shown.clone();
            set_at(Arc::make_mut(&mut settled), place, Some(shown));
        }
    }
    settled
}

/// Paths at which two documents differ, down objects; what one lacks is at the path of the object around it.
pub(super) fn differing(one: &Value, other: &Value) -> Vec<MemberPath> {
    fn walk(at: &mut Vec<Step>, one: &Value, other: &Value, into: &mut Vec<MemberPath>) {
        if one.same_as(other) {
            return;
        }
        if let (Some(first), Some(second)) = (one.as_object(), other.as_object())
            && first.len() == second.len()
            && at.len() < MAX_LEVELS
            && first.iter().all(|(name, _)| name.as_str().is_some_and(|name| second.contains(name)))
        {
            for (name, inner) in first {
                if let Some(name) = name.as_str()
                    && let Some(against) = second.get(name)
                {
                    at.push(Step::Member(name.into()));
                    walk(at, inner, against, into);
                    at.pop();
                }
            }
            return;
        }
        into.push(MemberPath(at.clone()));
    }
    let mut found = Vec::new();
    walk(&mut Vec::new(), one, other, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    #[rstest]
    #[case::same(r#"{"a":1}"#, r#"{"a":1}"#, &[])]
    #[case::deep(r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":3,"c":2}}"#, &["a.b"])]
    #[case::another_member(r#"{"a":{"b":1}}"#, r#"{"a":{"c":1}}"#, &["a"])]
    #[case::a_list(r#"{"a":[1]}"#, r#"{"a":[2]}"#, &["a"])]
    fn where_documents_differ(#[case] one: &str, #[case] other: &str, #[case] expected: &[&str]) {
        let found: Vec<String> = differing(&value(one), &value(other)).iter().map(MemberPath::spelling).collect();
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case::as_the_other(r#"{"up":1.5,"n":3}"#, r#"{"up":9,"n":4}"#, r#"{"up":9,"n":3}"#)]
    #[case::not_in_the_other(r#"{"up":1.5,"n":3}"#, r#"{"n":4}"#, r#"{"up":1.5,"n":3}"#)]
    #[case::not_in_it(r#"{"n":3}"#, r#"{"up":9}"#, r#"{"n":3}"#)]
    fn settling(#[case] held: &str, #[case] like: &str, #[case] expected: &str) {
        let settled = settled(&Arc::new(value(held)), &value(like), &[vec!["up".into()]]);
        assert_eq!(settled.to_compact(), expected);
    }
}
