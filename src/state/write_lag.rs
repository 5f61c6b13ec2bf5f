//! Answers that lag behind: a write that counts answers the number from before it counted, and every read after it shows
//! more. Where no read came before the next write, what the first one left is told by the others of its tool.

use super::generate::{count_value, counted};
use super::slot::Slot;
use super::write_history::EntityKey;
use super::write_sample::Sample;
use crate::json::Value;
use std::collections::BTreeMap;

/// By how much a read shows more than an answer.
pub(super) fn lag(answered: &Value, read: Option<&Value>) -> Option<i64> {
    let ((answered, _), (read, _)) = counted(answered).zip(counted(read?))?;
    read.checked_sub(answered)
}

/// Corrects what samples hold after a write that only its answer shows, where all other answers of the tool lag behind the
/// reads by the same number; and what the next write of the entity found.
pub(super) fn catch_up(samples: &mut BTreeMap<usize, Vec<Sample<'_>>>) {
    let lags: BTreeMap<usize, BTreeMap<Slot, i64>> =
        samples.iter().map(|(tool, samples)| (*tool, common(samples))).filter(|(_, lags)| !lags.is_empty()).collect();
    let mut late: Vec<(EntityKey, usize, Slot, Value, Value)> = Vec::new();
    for (tool, lags) in &lags {
        for sample in samples.get_mut(tool).into_iter().flatten() {
            for (slot, more) in lags.iter().filter(|(slot, _)| sample.only_answered.contains(*slot)) {
                let Some(Some(answered)) = sample.after.get(slot) else { continue };
                let Some((number, digits)) = counted(answered) else { continue };
                let left = count_value(number.saturating_add(*more), digits);
                late.push((sample.key.clone(), sample.index, slot.clone(), answered.clone(), left.clone()));
                sample.after.insert(slot.clone(), Some(left));
            }
        }
    }
    for (key, index, slot, answered, left) in late {
        let of_entity = samples.values_mut().flatten().filter(|sample| sample.key == key && sample.index > index);
        let Some(next) = of_entity.min_by_key(|sample| sample.index) else { continue };
        if let Some(Some(held)) = next.before.get_mut(&slot)
            && held.same_as(&answered)
        {
            *held = left;
        }
    }
}

/// The slots of which every answer of a tool that a read can be held against says the same number less.
fn common(samples: &[Sample<'_>]) -> BTreeMap<Slot, i64> {
    let mut lags: BTreeMap<Slot, i64> = BTreeMap::new();
    for (slot, more) in samples.iter().flat_map(|sample| &sample.lags) {
        lags.entry(slot.clone()).or_insert(*more);
    }
    lags.retain(|slot, more| {
        *more != 0
            && samples.iter().all(|sample| match sample.answer_agrees.get(slot) {
                Some(_) => sample.lags.get(slot) == Some(more),
                None => true,
            })
    });
    lags
}
