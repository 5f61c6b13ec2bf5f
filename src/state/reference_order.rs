//! Arrays of references that one way of showing puts in the order of the entities that they name, whatever order they were
//! sent in: the state keeps what was written. Proven where a write sent another order than this way showed later, and
//! where all its showings are in that order; a showing that is not takes it back.

use super::derive::Derivation;
use super::derived::Derived;
use super::identity::{Kind, identity_text, sightings};
use super::store::World;
use super::types::{Representation, Shape};
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Arrays of different references that have to be in that order: one alone may be so by chance.
const MIN_ARRAYS: usize = 2;

/// Levels of an envelope around what is sent.
const MAX_ENVELOPE: usize = 2;

/// The places of a type's entities in their collections, by identity.
pub(super) type Places = BTreeMap<usize, HashMap<Arc<str>, usize>>;

/// What a representation shows, with the references of its arrays in the order of what they name.
///
/// # Errors
/// `incomplete-entity` where the place of one is not known.
pub(super) fn in_named_order(
    way: Option<&Representation>,
    world: &World,
    shown: Value,
    places: &mut Places,
) -> Result<Value, &'static str> {
    let ordered = way.into_iter().flat_map(|way| &way.members);
    let mut shown = shown;
    for (member, kind) in ordered.filter_map(|member| Some((member, member.named_order?))) {
        let Some(items) = shown.get(&member.name).and_then(Value::as_array).filter(|items| items.len() > 1) else {
            continue;
        };
        let of_kind = places.entry(kind).or_insert_with(|| {
            let mut first = HashMap::new();
            let held = world.collections(kind).flat_map(|(_, held)| held.iter());
            for (place, entity) in held.enumerate() {
                first.entry(Arc::clone(&entity.id)).or_insert(place);
            }
            first
        });
        let place = |item: &Value| of_kind.get(item.as_str()?).copied();
        let keyed: Option<Vec<(usize, &Value)>> = items.iter().map(|item| Some((place(item)?, item))).collect();
        let mut keyed = keyed.ok_or("incomplete-entity")?;
        keyed.sort_by_key(|(place, _)| *place);
        let ordered: Value = keyed.into_iter().map(|(_, item)| item.clone()).collect();
        if let Some(object) = shown.as_object_mut() {
            object.set(member.name.as_ref(), ordered);
        }
    }
    Ok(shown)
}

/// Whether a read that puts references in an order of its own shows the held ones: the same, in whatever order.
pub(super) fn shows_in_order(derived: &Derived, kind: usize, name: &str, held: &Value, shown: &Value) -> bool {
    let ways = derived.types[kind].representations.iter().filter_map(|way| derived.representations.get(*way));
    let ordered = ways.flat_map(|way| &way.members).any(|member| member.named_order.is_some() && *member.name == *name);
    ordered && texts(held).zip(texts(shown)).is_some_and(|(held, shown)| sorted(&held) == sorted(&shown))
}

fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

fn sorted<'t>(texts: &[&'t str]) -> Vec<&'t str> {
    let mut texts = texts.to_vec();
    texts.sort_unstable();
    texts
}

/// What showings say of one member of a representation.
#[derive(Default)]
struct Seen<'v> {
    kind: Option<usize>,
    arrays: BTreeSet<Vec<&'v str>>,
    proven: bool,
    taken_back: bool,
}

impl Derivation<'_> {
    /// Marks the members of representations that show references in the order of what they name.
    pub(super) fn reference_orders(&mut self, kinds: &[Kind]) {
        let observed = self.observed;
        let mut sent: BTreeMap<&str, Vec<(usize, Vec<&str>)>> = BTreeMap::new();
        for seen in &observed.seen {
            if seen.wrote(self.manifest) {
                note(seen.sent.as_deref(), seen.time, 0, &mut sent);
            }
        }
        if sent.is_empty() {
            return;
        }
        let ranks: Vec<HashMap<String, usize>> = kinds.iter().map(|kind| self.first_listed(kind)).collect();
        for (index, kind) in kinds.iter().enumerate() {
            for &tool in &kind.tools {
                let mut found: BTreeMap<&str, Seen<'_>> = BTreeMap::new();
                for sighting in sightings(tool, &self.shapes[tool], observed) {
                    let time = observed.seen[sighting.seen].time;
                    for (name, sent) in &sent {
                        let Some(shown) = sighting.value.get(name).and_then(texts) else { continue };
                        if shown.len() > 1 {
                            found.entry(name).or_default().look(&shown, sent, time, &ranks);
                        }
                    }
                }
                found.retain(|_, seen| seen.proven && !seen.taken_back && seen.arrays.len() >= MIN_ARRAYS);
                for way in self.derived.types[index].representations.clone() {
                    let way = &mut self.derived.representations[way];
                    for member in way.members.iter_mut().filter(|_| way.tool == tool) {
                        let named = found.get(member.name.as_ref()).and_then(|seen| seen.kind);
                        member.named_order = named.filter(|_| !member.sorted);
                    }
                }
            }
        }
    }

    /// The order in which the lists of a type first showed its entities.
    fn first_listed(&self, kind: &Kind) -> HashMap<String, usize> {
        let mut listed = Vec::new();
        for &tool in &kind.tools {
            let shape = &self.shapes[tool];
            if matches!(shape, Shape::List { .. }) {
                listed.extend(sightings(tool, shape, self.observed));
            }
        }
        listed.sort_by_key(|sighting| (sighting.seen, sighting.position));
        let mut ranks = HashMap::new();
        for (rank, sighting) in listed.into_iter().enumerate() {
            if let Some(id) = identity_text(&kind.entity_type, sighting.key, sighting.value) {
                ranks.entry(id).or_insert(rank);
            }
        }
        ranks
    }
}

impl<'v> Seen<'v> {
    fn look(&mut self, shown: &[&'v str], sent: &[(usize, Vec<&str>)], time: usize, ranks: &[HashMap<String, usize>]) {
        let places = |kind: usize| {
            let of_kind = ranks.get(kind)?;
            shown.iter().map(|text| of_kind.get(*text).copied()).collect::<Option<Vec<usize>>>()
        };
        let kind = self.kind.or_else(|| (0..ranks.len()).find(|kind| places(*kind).is_some()));
        if !kind.and_then(places).is_some_and(|placed| placed.is_sorted()) {
            self.taken_back = true;
            return;
        }
        self.kind = kind;
        let same = sorted(shown);
        self.proven |= sent.iter().any(|(at, texts)| *at < time && texts != shown && sorted(texts) == same);
        self.arrays.insert(same);
    }
}

fn note<'v>(
    value: Option<&'v Value>,
    time: usize,
    depth: usize,
    sent: &mut BTreeMap<&'v str, Vec<(usize, Vec<&'v str>)>>,
) {
    let Some(value) = value.filter(|_| depth <= MAX_ENVELOPE) else { return };
    for item in value.as_array().into_iter().flatten() {
        note(Some(item), time, depth + 1, sent);
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let Some(name) = name.as_str() else { continue };
        match texts(inner).filter(|texts| texts.len() > 1) {
            Some(texts) => sent.entry(name).or_default().push((time, texts)),
            None => note(Some(inner), time, depth + 1, sent),
        }
    }
}
