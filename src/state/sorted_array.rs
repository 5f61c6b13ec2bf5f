//! Arrays of texts that reads show sorted although they were sent in another order: the state keeps what was written, views
//! sort it. Proven where a write sent one that was not sorted and a later read showed it sorted; a read that shows one out of
//! order takes that back.

use super::derive::Derivation;
use super::derived::Derived;
use super::identity::{Kind, sightings};
use super::observe::{Observed, is_read};
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

impl Derivation<'_> {
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

/// Members that writes sent as texts out of order: when, and the texts in order.
fn sent_out_of_order<'o>(manifest: &Manifest, observed: &'o Observed) -> BTreeMap<&'o str, Vec<(usize, Value)>> {
    let mut sent: BTreeMap<&str, Vec<(usize, Value)>> = BTreeMap::new();
    for seen in &observed.seen {
        if !is_read(&manifest.tools[seen.tool]) && (200..300).contains(&seen.status) {
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
