//! Samples: each recorded 2xx call of a write tool with what its target held before and after it, and what was answered.

use super::derive::Derivation;
use super::identity::{fill_home, identity_text};
use super::line::{Line, scalar_text};
use super::observe::Seen;
use super::slot::{Slot, slots_of};
use super::types::Slot as AddressSlot;
use super::write_history::{EntityKey, History, Shown, add_showing};
use super::write_plan::{BodyEnvelope, EntityAddress, Target, TargetPlace};
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What became of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It was absent and is held since.
    Created,
    /// It was held and still is.
    Changed,
    /// It was held and is no more.
    Removed,
    /// It was absent and still is.
    Missed,
}

/// One recorded call and its target.
#[derive(Debug)]
pub(super) struct Sample<'a> {
    /// The call, as an index into the observed calls.
    pub index: usize,
    /// The call.
    pub call: &'a Seen,
    /// The target; nothing when the call tells none.
    pub key: EntityKey,
    /// What became of it.
    pub fate: Fate,
    /// The sent members, without envelope.
    pub sent: Value,
    /// What the target's slots held.
    pub before: Shown<'a>,
    /// What they hold after, as far as reads (or the answer) show.
    pub after: Shown<'a>,
    /// Slots that only the answer shows.
    pub only_answered: BTreeSet<Slot>,
}

impl<'a> Sample<'a> {
    /// Values of slots as one object.
    pub(super) fn object(shown: &Shown<'a>) -> Value {
        let members: Object =
            shown.iter().filter_map(|(slot, value)| value.map(|value| (slot.key().into(), value.clone()))).collect();
        Value::Object(members)
    }
}

/// What is known of entities while the writes are gone through in their order.
struct Ledger {
    present: BTreeSet<EntityKey>,
    /// The last write of an entity, as an index into the observed calls.
    written: HashMap<EntityKey, usize>,
    /// Identities in use by member, for entities that are addressed by another member.
    last_sample: HashMap<EntityKey, (usize, usize)>,
}

/// The samples of all tools with a target, by tool.
pub(super) fn samples<'a>(
    work: &Derivation<'a>,
    history: &History<'a>,
    targets: &BTreeMap<usize, (Target, BodyEnvelope)>,
) -> BTreeMap<usize, Vec<Sample<'a>>> {
    let mut ledger = Ledger { present: BTreeSet::new(), written: HashMap::new(), last_sample: HashMap::new() };
    for kind in 0..work.derived.types.len() {
        for (path, collection) in work.derived.world.collections(kind) {
            ledger.present.extend(collection.iter().map(|entity| (kind, path.to_owned(), entity.id.to_string())));
        }
    }
    let mut all: BTreeMap<usize, Vec<Sample<'a>>> = BTreeMap::new();
    for (index, call) in work.observed.seen.iter().enumerate() {
        let Some((target, envelope)) = targets.get(&call.tool) else { continue };
        if !(200..300).contains(&call.status) {
            continue;
        }
        let sent = call.sent.as_deref().and_then(|body| envelope.open(body)).cloned().unwrap_or(Value::Null);
        let Some(key) = key_of(work, history, &ledger, call, target, &sent) else { continue };
        let held = ledger.present.contains(&key);
        let shown_later = shown_before_next_write(work, history, &key, index, targets);
        let removes = call_removes(work, call);
        let fate = match (held, &target.place) {
            (true, TargetPlace::Entity(_)) if removes && !shown_later => Fate::Removed,
            (true, _) => Fate::Changed,
            (false, TargetPlace::Collection) => Fate::Created,
            (false, TargetPlace::Entity(_)) if shown_later && !removes => Fate::Created,
            (false, TargetPlace::Entity(_)) => Fate::Missed,
        };
        let mut sample = Sample {
            index,
            call,
            key: key.clone(),
            fate,
            sent,
            before: Shown::new(),
            after: Shown::new(),
            only_answered: BTreeSet::new(),
        };
        if matches!(fate, Fate::Changed | Fate::Removed) {
            let previous = ledger.written.get(&key).copied();
            before(work, history, &key, index, previous, &mut sample.before);
            if let Some((tool, at)) = ledger.last_sample.get(&key)
                && let Some(previous) = all.get(tool).and_then(|samples| samples.get(*at))
            {
                for (slot, value) in &previous.after {
                    sample.before.entry(slot.clone()).or_insert(*value);
                }
            }
        }
        if matches!(fate, Fate::Changed | Fate::Created) {
            after(work, history, targets, &ledger, &mut sample);
        }
        match fate {
            Fate::Created | Fate::Changed => {
                ledger.present.insert(key.clone());
                ledger.written.insert(key.clone(), index);
                let list = all.entry(call.tool).or_default();
                ledger.last_sample.insert(key, (call.tool, list.len()));
            }
            Fate::Removed => {
                ledger.present.remove(&key);
                ledger.written.insert(key.clone(), index);
                ledger.last_sample.remove(&key);
            }
            Fate::Missed => {}
        }
        all.entry(call.tool).or_default().push(sample);
    }
    all
}

/// Whether a call says that it removes.
fn call_removes(work: &Derivation<'_>, call: &Seen) -> bool {
    work.manifest.tools[call.tool].method == "DELETE"
}

/// The target of a recorded call.
fn key_of(
    work: &Derivation<'_>,
    history: &History<'_>,
    ledger: &Ledger,
    call: &Seen,
    target: &Target,
    sent: &Value,
) -> Option<EntityKey> {
    match &target.place {
        TargetPlace::Collection => created_key(work, history, call, target.entity_type, sent),
        TargetPlace::Entity(address) => addressed_key(work, history, ledger, call, target.entity_type, address),
    }
}

fn created_key(
    work: &Derivation<'_>,
    history: &History<'_>,
    call: &Seen,
    kind: usize,
    sent: &Value,
) -> Option<EntityKey> {
    let entity_type = &work.derived.types[kind];
    let answered = call
        .body
        .as_deref()
        .and_then(|body| answered_entity(body, &|value| identity_text(entity_type, None, value).is_some()));
    let id = answered
        .and_then(|value| identity_text(entity_type, None, value))
        .or_else(|| {
            let bare = call.body.as_deref()?;
            (bare.as_object().is_none() && bare.as_array().is_none())
                .then(|| scalar_text(bare))
                .flatten()
                .filter(|text| history.homes.contains_key(&(kind, text.clone())))
        })
        .or_else(|| identity_text(entity_type, None, sent))?;
    let template = &work.manifest.tools[call.tool].template;
    let collection = super::identity::home_of(entity_type, call, template, answered.unwrap_or(sent))
        .or_else(|| match history.homes.get(&(kind, id.clone())).map(Vec::as_slice) {
            Some([home]) => Some(home.clone()),
            _ => None,
        })
        .or_else(|| fill_home(entity_type, sent))?;
    Some((kind, collection, id))
}

fn addressed_key(
    work: &Derivation<'_>,
    history: &History<'_>,
    ledger: &Ledger,
    call: &Seen,
    kind: usize,
    address: &EntityAddress,
) -> Option<EntityKey> {
    let entity_type = &work.derived.types[kind];
    let line = call.line.clone().or_else(|| Line::new(&call.query, None))?;
    let wanted: Vec<String> = address
        .view
        .address
        .iter()
        .map(|(slot, _)| match slot {
            AddressSlot::Path(index) => call.parameters.get(*index).cloned(),
            AddressSlot::Key(key) => line.get(key).map(|param| param.text.clone()),
        })
        .collect::<Option<_>>()?;
    let last = wanted.last()?.clone();
    if work.derived.is_home_item(address.item_tool, kind) {
        let path = address.path(&call.path);
        let collection = path.get(..path.rfind('/')?)?.to_owned();
        let key = (kind, collection.clone(), last.clone());
        if address.view.also.is_empty() || ledger.present.contains(&key) {
            return Some(key);
        }
        let other = ledger.present.iter().find(|(held, path, id)| {
            *held == kind
                && *path == collection
                && address
                    .view
                    .also
                    .iter()
                    .any(|member| holds(work, history, call, &(kind, path.clone(), id.clone()), member, &last))
        });
        return Some(other.cloned().unwrap_or(key));
    }
    let by_identity = address.view.address.last().is_some_and(|(_, path)| *path == entity_type.identity);
    let fits = |key: &EntityKey| {
        address.view.address.iter().zip(&wanted).all(|((_, path), text)| {
            by_identity && *path == entity_type.identity && key.2 == *text
                || holds(work, history, call, key, path, text)
        })
    };
    let held = ledger.present.iter().find(|key| key.0 == kind && fits(key)).cloned();
    held.or_else(|| {
        // An upsert: the entity is shown later.
        let mut later = history.showings.keys().filter(|key| key.0 == kind && by_identity && key.2 == last);
        let first = later.next()?.clone();
        later.next().is_none().then_some(first)
    })
}

/// Whether the latest showing of a member before a call equals a text.
fn holds(
    work: &Derivation<'_>,
    history: &History<'_>,
    call: &Seen,
    key: &EntityKey,
    member: &super::path::MemberPath,
    text: &str,
) -> bool {
    let showings = history.of(key);
    let shown = |showing: &super::write_history::Showing<'_>| member.direct(showing.value).and_then(scalar_text);
    let before =
        showings.iter().rev().filter(|showing| work.observed.seen[showing.seen].time < call.time).find_map(shown);
    before.or_else(|| showings.iter().find_map(shown)).as_deref() == Some(text)
}

/// The first object of an answer that fits: the root, a member, a member's member, or the only item of a list there.
pub(super) fn answered_entity<'v>(body: &'v Value, fits: &dyn Fn(&Value) -> bool) -> Option<&'v Value> {
    let mut level = vec![body];
    for _ in 0..3 {
        if let Some(found) = level.iter().find(|value| value.as_object().is_some() && fits(value)) {
            return Some(found);
        }
        let mut next = Vec::new();
        for value in level {
            match value.plain() {
                Value::Object(object) => next.extend(object.iter().map(|(_, inner)| inner)),
                Value::Array(items) if items.len() == 1 => next.extend(items),
                _ => {}
            }
        }
        level = next;
    }
    None
}

/// Whether any read shows the entity after a write and before the next one that addresses it.
fn shown_before_next_write(
    work: &Derivation<'_>,
    history: &History<'_>,
    key: &EntityKey,
    index: usize,
    targets: &BTreeMap<usize, (Target, BodyEnvelope)>,
) -> bool {
    let next = next_write(work, key, index, targets);
    history.of(key).iter().any(|showing| showing.seen > index && showing.seen < next)
}

/// The next 2xx write whose path names the entity, or creates in its collection with its identity.
fn next_write(
    work: &Derivation<'_>,
    key: &EntityKey,
    index: usize,
    targets: &BTreeMap<usize, (Target, BodyEnvelope)>,
) -> usize {
    let seen = &work.observed.seen;
    (index + 1..seen.len())
        .find(|at| {
            let call = &seen[*at];
            (200..300).contains(&call.status)
                && targets.get(&call.tool).is_some_and(|(target, _)| target.entity_type == key.0)
                && (call.parameters.contains(&key.2)
                    || call.body.as_deref().is_some_and(|body| {
                        answered_entity(body, &|value| {
                            identity_text(&work.derived.types[key.0], None, value).as_deref() == Some(&key.2)
                        })
                        .is_some()
                    }))
        })
        .unwrap_or(seen.len())
}

/// What the target held: the latest showings, back to the write before; all of them when there was none.
fn before<'a>(
    work: &Derivation<'a>,
    history: &History<'a>,
    key: &EntityKey,
    index: usize,
    previous: Option<usize>,
    into: &mut Shown<'a>,
) {
    for showing in history.of(key).iter().rev() {
        if showing.seen < index && previous.is_none_or(|previous| showing.seen > previous) {
            add_showing(work, showing, into);
        }
    }
}

/// What the target holds after the write: the first showings until it is written again, then what the answer shows.
fn after<'a>(
    work: &Derivation<'a>,
    history: &History<'a>,
    targets: &BTreeMap<usize, (Target, BodyEnvelope)>,
    _: &Ledger,
    sample: &mut Sample<'a>,
) {
    let next = next_write(work, &sample.key, sample.index, targets);
    let end = sample.call.span.map(|(_, end)| end);
    for showing in history.of(&sample.key) {
        let seen = &work.observed.seen[showing.seen];
        let overlaps = seen.span.zip(end).is_some_and(|((start, _), end)| start < end);
        if showing.seen > sample.index && showing.seen < next && !overlaps {
            add_showing(work, showing, &mut sample.after);
        }
    }
    let entity_type = &work.derived.types[sample.key.0];
    let Some(body) = sample.call.body.as_deref() else { return };
    let answered =
        answered_entity(body, &|value| identity_text(entity_type, None, value).as_deref() == Some(&sample.key.2));
    let Some(answered) = answered else { return };
    for slot in slots_of(&work.derived, sample.key.0).into_iter().filter(|slot| slot.source.is_none()) {
        if let Some(value) = answered.get(&slot.name)
            && !sample.after.contains_key(&slot)
        {
            sample.only_answered.insert(slot.clone());
            sample.after.insert(slot, Some(value));
        }
    }
}
