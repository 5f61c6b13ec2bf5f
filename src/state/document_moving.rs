//! Members of documents that move by themselves: an uptime, statistics, a time of day (`derivation.md`, volatile reads).
//! The rest of such a document is answered from the state, these members as they were recorded, and the answer says so.
//! Nothing here knows of types, entities or writes but when one was made.

use super::entity::at_place;
use super::envelope::set_at;
use super::line::Param;
use super::observe::{Observed, Seen};
use super::path::{MemberPath, Step};
use super::types::Place;
use crate::json::{Number, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Levels of objects in a document that members are looked for in.
const MAX_LEVELS: usize = 4;
/// Readings from which on a number that rose at every one of them is taken for one that measures time.
const MIN_RISES: usize = 3;

/// What a reading asked for: its path, and its line's parameters.
type Asked<'s> = (&'s str, &'s [Param]);

/// Places at which the documents of a read tool move by themselves, sorted: two readings of one line in a row differ there
/// though nothing was written between them; or a number that is not whole rose from each of three readings to the next,
/// as no count does. `None` where what moves is no member, or all that there is.
pub(super) fn moving_places(
    observed: &Observed,
    tool: usize,
    written: impl Fn(&Seen, &Seen) -> bool,
) -> Option<Vec<Place>> {
    let mut lines: HashMap<Asked<'_>, Vec<(&Seen, &Value)>> = HashMap::new();
    for seen in observed.of_tool(tool).filter(|seen| (200..300).contains(&seen.status)) {
        if let (Some(line), Some(body)) = (seen.line.as_ref().filter(|line| !line.repeated), &seen.body) {
            lines.entry((&seen.path, &line.params)).or_default().push((seen, body));
        }
    }
    let mut found: BTreeSet<Place> = BTreeSet::new();
    for readings in lines.values().filter(|readings| readings.len() > 1) {
        let mut rising: Option<Vec<MemberPath>> = None;
        for pair in readings.windows(2) {
            let ((before, one), (after, other)) = (pair[0], pair[1]);
            let differs = differing(one, other);
            let rises = differs.iter().filter(|path| rises(path, one, other));
            rising = Some(match rising {
                None => rises.cloned().collect(),
                Some(held) => held.into_iter().filter(|path| rises.clone().any(|other| other == path)).collect(),
            });
            if !written(before, after) {
                found.extend(differs.iter().map(place));
            }
        }
        if readings.len() >= MIN_RISES {
            found.extend(rising.iter().flatten().map(place));
        }
    }
    let found: Vec<Place> = found.into_iter().collect();
    let mut bodies = lines.values().flatten().map(|(_, body)| *body);
    let stays = |body: &Value| {
        let mut rest = body.clone();
        found.iter().for_each(|place| set_at(&mut rest, place, None));
        holds_something(&rest)
    };
    (found.is_empty() || !found.iter().any(Vec::is_empty) && bodies.all(stays)).then_some(found)
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

/// Whether a number that is not whole is greater in the other document.
fn rises(path: &MemberPath, one: &Value, other: &Value) -> bool {
    let number = |value| path.direct(value).and_then(Value::as_number).map(Number::to_f64);
    let whole = |number: f64| number.fract() == 0.0;
    matches!((number(one), number(other)), (Some(one), Some(other)) if one < other && !(whole(one) && whole(other)))
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
