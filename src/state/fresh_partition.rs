//! Values of a list's filter that are known in full though the capture never read them at the start: those that name what
//! a served write created. The capture shows it where it asks for what it created itself, and finds nothing there but what
//! later calls put there.

use super::derive::Derivation;
use super::line::Param;
use super::query::Role;
use super::term::Op;
use super::types::View;
use super::write_history::{EntityKey, History};
use super::write_sample::{Fate, entity_of};
use super::write_truth::{Changed, Truth};
use crate::capture::is_success;
use std::collections::{BTreeMap, BTreeSet};

/// The key that says what a list is about and the type of what it names, by tool.
pub(super) fn fresh_partitions(
    work: &Derivation<'_>,
    history: &History<'_>,
    truth: &Truth<'_>,
) -> BTreeMap<usize, (String, usize)> {
    let keys: BTreeMap<usize, (&str, usize)> = work
        .derived
        .views
        .iter()
        .enumerate()
        .filter_map(|(tool, view)| {
            let View::List(view) = view else { return None };
            let [(key, _)] = view.query.partitions.as_ref()?.iter().collect::<Vec<_>>()[..] else { return None };
            let Role::Filter(term) = view.query.roles.get(key)? else { return None };
            // Only what is asked for as it is names one entity and no other.
            let names = term.op == Op::Equal && !term.negate && term.lookup.is_none();
            names.then_some((tool, (key.as_str(), view.entity_type)))
        })
        .collect();
    if keys.is_empty() {
        return BTreeMap::new();
    }
    let appeared: BTreeSet<(usize, &EntityKey)> = truth
        .changes
        .iter()
        .filter(|change| matches!(change.what, Changed::Appeared))
        .map(|change| (change.read, &change.key))
        .collect();
    let mut found: BTreeMap<usize, (String, usize)> = BTreeMap::new();
    let mut refuted: BTreeSet<usize> = BTreeSet::new();
    for sample in truth.samples.values().flatten().filter(|sample| sample.fate == Fate::Created) {
        let (kind, _, id) = &sample.key;
        let names = |param: &Param| match &param.list {
            Some(list) => list.contains(id),
            None => param.text == *id,
        };
        for (index, call) in work.observed.seen.iter().enumerate().skip(sample.index + 1) {
            let Some((key, listed)) = keys.get(&call.tool).filter(|(_, listed)| listed != kind) else { continue };
            let asks = call.line.as_ref().and_then(|line| line.get(key)).is_some_and(names);
            if !asks || !is_success(call.status) {
                continue;
            }
            let mut shown = history.by_call.get(&index).into_iter().flatten();
            // Nothing that was there before is in what is new, and nothing comes by itself.
            let before = |key: &EntityKey| entity_of(&work.derived.world, key).is_some();
            let strange = shown.any(|(key, _)| key.0 == *listed && (before(key) || appeared.contains(&(index, key))));
            match strange {
                true => refuted.insert(call.tool),
                false => found.insert(call.tool, ((*key).to_owned(), *kind)).is_none(),
            };
        }
    }
    found.retain(|tool, _| !refuted.contains(tool));
    found
}
