//! Arrays of texts that reads show sorted although they were sent in another order: the state keeps what was written, views
//! sort it. Proven where a write sent one that was not sorted and a later read showed it sorted; a read that shows one out of
//! order takes that back.
//!
//! In which order an array is held that only such reads showed is not known. The answer of a write that did not send it
//! tells it for its own entity; the answers of writes about others have it as the reads show it, and say so.

use super::derive::Derivation;
use super::derived::Derived;
use super::identity::{Kind, sightings};
use super::observe::Observed;
use super::reference_fill::with_member;
use super::store::Entity;
use super::write_sample::{Fate, entity_of};
use super::write_truth::Truth;
use crate::json::Value;
use crate::manifest::Manifest;
use std::collections::{BTreeMap, BTreeSet};

/// The texts of an array in ascending order; `None` for what is no array of texts, or is sorted already.
pub(super) fn sorted_texts(value: &Value) -> Option<Value> {
    let mut texts: Vec<&str> = value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    if texts.is_sorted() {
        return None;
    }
    texts.sort_unstable();
    Some(texts.into_iter().map(Value::from).collect())
}

/// Whether reads of a type show a member of it sorted.
pub(super) fn is_sorted(derived: &Derived, kind: usize, name: &str) -> bool {
    let ways = derived.types[kind].representations.iter().filter_map(|way| derived.representations.get(*way));
    ways.flat_map(|way| &way.members).any(|member| member.sorted && *member.name == *name)
}

/// Whether a read shows what is held as the views of its type show it: the same, or in another order
/// where they sort.
pub(super) fn shows(derived: &Derived, kind: usize, name: &str, held: &Value, shown: &Value) -> bool {
    held.same_as(shown)
        || is_sorted(derived, kind, name) && sorted_texts(held).is_some_and(|sorted| sorted.same_as(shown))
        || super::reference_order::shows_in_order(derived, kind, name, held, shown)
}

impl Derived {
    /// Members of an entity, as slots, that hold an array in an order which the state does not know: reads show it sorted,
    /// and it is as the first of them showed it. `sent` and `after` are what a write sent, and the entity after it.
    pub(super) fn unknown_orders(
        &self,
        (kind, held): (usize, &Entity),
        sent: &Value,
        after: &Value,
    ) -> Vec<(String, &'static str)> {
        let Some(of) = self.types.get(kind) else { return Vec::new() };
        let ways = of.representations.iter().filter_map(|way| self.representations.get(*way));
        let sorted = ways.flat_map(|way| &way.members).filter(|member| member.sorted && member.stored);
        let members: BTreeSet<&str> = sorted.map(|member| member.name.as_ref()).collect();
        if members.is_empty() {
            return Vec::new();
        }
        let first = self.world.collection(kind, &held.collection).and_then(|first| first.get(&held.id));
        let as_shown = |name: &&&str| {
            let (Some(before), Some(after)) = (held.fields.get(name), after.get(name)) else { return false };
            let told = match first {
                Some(first) => !first.fields.get(name).is_some_and(|first| first.same_as(before)),
                // It has another name since; what a write created is as it was sent.
                None => held.made,
            };
            !told && !names(sent, name) && before.same_as(after) && in_one_order_of_several(after)
        };
        members.iter().filter(as_shown).map(|name| (format!("/{name}"), "order")).collect()
    }
}

/// Whether an array of texts is sorted, and would be another one in another order.
fn in_one_order_of_several(value: &Value) -> bool {
    let texts: Option<Vec<&str>> = value.as_array().and_then(|items| items.iter().map(Value::as_str).collect());
    texts.is_some_and(|texts| texts.is_sorted() && texts.first() != texts.last())
}

impl Derivation<'_> {
    /// Gives entities of the beginning the order in which their arrays are held, where the answer of a write that did not
    /// send the array tells it; whether there were any.
    pub(super) fn held_orders(&mut self, truth: &Truth<'_>) -> bool {
        let mut told: Vec<(usize, Entity)> = Vec::new();
        for sample in truth.samples.values().flatten().filter(|sample| sample.fate == Fate::Changed) {
            let kind = sample.key.0;
            for (slot, after) in sample.after.iter().filter(|(slot, _)| slot.source.is_none()) {
                let Some(after) = after.as_ref().filter(|_| is_sorted(&self.derived, kind, &slot.name)) else {
                    continue;
                };
                let Some(first) = entity_of(&self.derived.world, &sample.key) else { continue };
                let sent = sample.call.sent.as_deref().is_some_and(|body| names(body, &slot.name));
                let (shown, before) = (first.fields.get(&slot.name), sample.before.get(slot).and_then(Option::as_ref));
                let kept = before.zip(shown).is_some_and(|(before, shown)| before.same_as(shown));
                let told_now =
                    sorted_texts(after).is_some_and(|sorted| before.is_some_and(|held| held.same_as(&sorted)));
                if !sent && kept && told_now {
                    told.push((kind, with_member(&first, &(None, slot.name.clone()), after.clone())));
                }
            }
        }
        let any = !told.is_empty();
        for (kind, entity) in told {
            self.derived.world.set_entity(kind, entity);
        }
        any
    }

    /// Marks the members of each type's representations that its reads show sorted.
    pub(super) fn sorted_arrays(&mut self, kinds: &[Kind]) {
        let (manifest, observed) = (self.manifest, self.observed);
        let sent = sent_out_of_order(manifest, observed);
        if sent.is_empty() {
            return;
        }
        for (index, kind) in kinds.iter().enumerate() {
            let (mut proven, mut taken_back) = (BTreeSet::new(), BTreeSet::new());
            for &tool in &kind.tools {
                for sighting in sightings(tool, &self.shapes[tool], observed) {
                    for (name, sent) in &sent {
                        let Some(shown) = sighting.value.get(name) else { continue };
                        let time = observed.seen[sighting.seen].time;
                        if sorted_texts(shown).is_some() {
                            taken_back.insert(*name);
                        } else if sent.iter().any(|(at, sorted)| *at < time && sorted.same_as(shown)) {
                            proven.insert(*name);
                        }
                    }
                }
            }
            for way in self.derived.types[index].representations.clone() {
                for member in &mut self.derived.representations[way].members {
                    let name = member.name.as_ref();
                    member.sorted = proven.contains(name) && !taken_back.contains(name);
                }
            }
        }
    }
}

/// Whether a body has a member of a name, inside an envelope or not.
fn names(body: &Value, name: &str) -> bool {
    match body.plain() {
        Value::Object(members) => members.contains(name) || members.iter().any(|(_, inner)| names(inner, name)),
        Value::Array(items) => items.iter().any(|item| names(item, name)),
        _ => false,
    }
}

/// Members that writes sent as texts out of order: when, and the texts in order.
fn sent_out_of_order<'o>(manifest: &Manifest, observed: &'o Observed) -> BTreeMap<&'o str, Vec<(usize, Value)>> {
    let mut sent: BTreeMap<&str, Vec<(usize, Value)>> = BTreeMap::new();
    for seen in &observed.seen {
        if seen.wrote(manifest) {
            note(seen.sent.as_deref(), seen.time, 0, &mut sent);
        }
    }
    sent
}

/// Levels of an envelope around what is sent.
const MAX_ENVELOPE: usize = 2;

fn note<'v>(value: Option<&'v Value>, time: usize, depth: usize, sent: &mut BTreeMap<&'v str, Vec<(usize, Value)>>) {
    let Some(value) = value.filter(|_| depth <= MAX_ENVELOPE) else { return };
    for item in value.as_array().into_iter().flatten() {
        note(Some(item), time, depth + 1, sent);
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let Some(name) = name.as_str() else { continue };
        match sorted_texts(inner) {
            Some(sorted) => sent.entry(name).or_default().push((time, sorted)),
            None => note(Some(inner), time, depth + 1, sent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(r#"["b","a"]"#, Some(r#"["a","b"]"#))]
    #[case(r#"["b","B","a"]"#, Some(r#"["B","a","b"]"#))]
    #[case(r#"["a","b"]"#, None)]
    #[case(r#"["a"]"#, None)]
    #[case("[]", None)]
    #[case(r#"["b",1]"#, None)]
    #[case("[2,1]", None)]
    #[case(r#""ba""#, None)]
    fn texts_in_order(#[case] value: &str, #[case] expected: Option<&str>) {
        let value = crate::json::parse(value.as_bytes()).unwrap();
        assert_eq!(sorted_texts(&value).map(|sorted| sorted.to_compact()).as_deref(), expected);
    }
}
