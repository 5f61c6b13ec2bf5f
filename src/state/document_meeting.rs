//! Recorded writes of a document, and the ways of meeting that give what they left: the fewest members to other rules.
//! Knows nothing of plans and tools; those are in `document_write.rs`.

use super::document_change::{Lists, Meeting};
use super::entity::at_place;
use super::observe::Seen;
use super::write_plan::{AcceptedMember, BodyEnvelope};
use crate::json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Objects of a document that sent members may meet, beside the document itself.
const MAX_PLACES: usize = 8;
/// Members that may tell the items of a list apart.
const MAX_KEYS: usize = 4;

/// One recorded write and one document of its path.
pub(super) struct Sample<'a> {
    /// The write.
    pub call: &'a Seen,
    /// The document before it.
    pub before: Arc<Value>,
    /// The document after it.
    pub after: Arc<Value>,
    /// The query of the read, as in the document's key.
    pub line: Box<str>,
    /// The read's ordinal.
    pub shown_by: usize,
}

/// Where sent members meet the document's, and how.
pub(super) struct Found {
    /// Where the body holds the members.
    pub envelope: BodyEnvelope,
    /// The object of the document that they meet.
    pub place: Vec<Box<str>>,
    /// All ways that leave as little to other rules.
    pub meetings: Vec<Meeting>,
    /// Members of the place that come out otherwise.
    pub differ: BTreeSet<Box<str>>,
    /// How much comes out otherwise, within members too; then whether a whole member that holds others does.
    score: (usize, bool),
}

/// The ways of meeting that leave the fewest members to other rules.
pub(super) fn find_meeting(samples: &[&Sample<'_>]) -> Option<Found> {
    let mut best: Option<Found> = None;
    for envelope in envelopes(samples) {
        let sent: Vec<&Value> = samples.iter().map(|sample| sent_of(sample, &envelope)).collect();
        let ways = Meeting::all(&keys_of(&sent));
        for place in places(samples) {
            for meeting in &ways {
                let Some((differ, score)) = differing(samples, &sent, &place, meeting) else { continue };
                match &mut best {
                    Some(best) if best.score < score => {}
                    Some(best) if best.score == score => {
                        if best.envelope == envelope && best.place == place && best.differ == differ {
                            best.meetings.push(meeting.clone());
                        }
                    }
                    _ => {
                        let (envelope, place) = (envelope.clone(), place.clone());
                        best = Some(Found { envelope, place, meetings: vec![meeting.clone()], differ, score });
                    }
                }
            }
        }
    }
    best
}

/// What a recorded call sent, without its envelope.
pub(super) fn sent_of<'s>(sample: &'s Sample<'_>, envelope: &BodyEnvelope) -> &'s Value {
    static NOTHING: Value = Value::Null;
    sample.call.sent.as_deref().and_then(|body| envelope.open(body)).unwrap_or(&NOTHING)
}

/// No envelope, and the only member of all bodies where it holds an object.
fn envelopes(samples: &[&Sample<'_>]) -> Vec<BodyEnvelope> {
    let only = |sample: &&Sample<'_>| -> Option<Box<str>> {
        let object = sample.call.sent.as_deref()?.as_object().filter(|object| object.len() == 1)?;
        let (name, inner) = object.iter().next()?;
        inner.as_object().and(name.as_str()).map(Box::from)
    };
    let mut found = vec![BodyEnvelope::default()];
    let first = samples.first().and_then(only);
    if let Some(member) = first.filter(|first| samples.iter().all(|sample| only(sample).as_ref() == Some(first))) {
        found.push(BodyEnvelope { member: Some(member), one_element: false });
    }
    found
}

/// The document itself, and the objects that its members hold.
fn places(samples: &[&Sample<'_>]) -> Vec<Vec<Box<str>>> {
    let members = samples.first().and_then(|sample| sample.before.as_object()).into_iter().flatten();
    let inner = members.filter(|(_, value)| value.as_object().is_some()).filter_map(|(name, _)| name.as_str());
    std::iter::once(Vec::new()).chain(inner.take(MAX_PLACES).map(|name| vec![Box::from(name)])).collect()
}

/// Members by which items of sent lists may be told apart: scalars that every item has.
fn keys_of(sent: &[&Value]) -> Vec<Box<str>> {
    let lists = sent.iter().flat_map(|sent| sent.as_object().into_iter().flatten());
    let items: Vec<&Value> = lists.filter_map(|(_, value)| value.as_array()).flatten().collect();
    let names = items.first().and_then(|item| item.as_object()).into_iter().flatten();
    names
        .filter_map(|(name, _)| name.as_str())
        .filter(|name| {
            items.iter().all(|item| item.get(name).is_some_and(|value| super::line::scalar_text(value).is_some()))
        })
        .take(MAX_KEYS)
        .map(Box::from)
        .collect()
}

/// Members that come out otherwise than by a meeting, and how far: leaves that differ, and whether any is inside of objects.
type Unlike = (BTreeSet<Box<str>>, (usize, bool));

/// Members of the place that come out otherwise than by a meeting; `None` where anything else does.
fn differing(samples: &[&Sample<'_>], sent: &[&Value], place: &[Box<str>], meeting: &Meeting) -> Option<Unlike> {
    let mut names: BTreeSet<Box<str>> = BTreeSet::new();
    let mut leaves = 0;
    let mut nested = false;
    for (sample, sent) in samples.iter().zip(sent) {
        let held = at_place(&sample.before, place)?;
        let after = at_place(&sample.after, place)?;
        if !place.is_empty() {
            let mut rest = sample.before.as_ref().clone();
            super::envelope::set_at(&mut rest, place, Some(after.clone()));
            if !rest.same_as(&sample.after) {
                return None;
            }
        }
        let met = meeting.met(held, sent)?;
        match (met.as_object(), after.as_object()) {
            (Some(met), Some(after)) => {
                let all = met.iter().chain(after).filter_map(|(name, _)| name.as_str());
                let unlike = |name: &&str| match (met.get(name), after.get(name)) {
                    (Some(one), Some(other)) => !one.same_as(other),
                    _ => true,
                };
                for name in all.filter(unlike) {
                    let inner = leaves_unlike(met.get(name), after.get(name));
                    nested |= inner > 1
                        || met.get(name).zip(after.get(name)).is_some_and(|(one, other)| both_objects(one, other));
                    leaves += inner;
                    names.insert(name.into());
                }
            }
            _ if met.same_as(after) => {}
            _ => return None,
        }
    }
    Some((names, (leaves, nested)))
}

fn both_objects(one: &Value, other: &Value) -> bool {
    one.as_object().is_some() && other.as_object().is_some()
}

/// How many members differ, counted within objects.
fn leaves_unlike(one: Option<&Value>, other: Option<&Value>) -> usize {
    match (one, other) {
        (Some(one), Some(other)) if one.same_as(other) => 0,
        (Some(one), Some(other)) => match (one.as_object(), other.as_object()) {
            (Some(one), Some(other)) => {
                let names: BTreeSet<&str> = one.iter().chain(other).filter_map(|(name, _)| name.as_str()).collect();
                names.into_iter().map(|name| leaves_unlike(one.get(name), other.get(name))).sum()
            }
            _ => 1,
        },
        (None, None) => 0,
        _ => 1,
    }
}

/// The members that recorded calls sent; whether one was stored that the document did not hold; whether two of them did
/// the same.
pub(super) fn accepted(samples: &[&Sample<'_>], found: &Found) -> (Vec<AcceptedMember>, bool, bool) {
    let mut members: Vec<AcceptedMember> = Vec::new();
    let mut open = false;
    let mut alike: BTreeSet<&str> = BTreeSet::new();
    for sample in samples {
        let held = at_place(&sample.before, &found.place);
        for (name, value) in sent_of(sample, &found.envelope).as_object().into_iter().flatten() {
            let Some(name) = name.as_str() else { continue };
            let word = value.type_name();
            match members.iter_mut().find(|member| member.name.as_ref() == name) {
                Some(member) if member.types.contains(&word) => {}
                Some(member) => member.types.push(word),
                None => {
                    let (name, types) = (name.into(), vec![word]);
                    members.push(AcceptedMember { name, types, required: false, only: Vec::new() });
                }
            }
            if !found.differ.contains(name) {
                alike.insert(name);
                open |= held.and_then(|held| held.get(name)).is_none() && !value.is_null();
            }
        }
    }
    let by_key = found.meetings.iter().all(|meeting| matches!(meeting.lists, Lists::ByKey(_)));
    (members, open, alike.len() > 1 && !by_key)
}
