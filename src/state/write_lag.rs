//! Answers that lag behind: a write that counts answers the number from before it counted, and every read after it shows
//! more. Where no read came before the next write, what the first one left is told by two others of its tool at the least;
//! where those do not agree, it is not known.

use super::generate::{count_value, counted};
use super::slot::Slot;
use super::write_history::{EntityKey, Shown};
use super::write_sample::Sample;
use crate::json::Value;
use std::collections::BTreeMap;

/// Answers that have to lag by the same number.
const MIN_LAGS: usize = 2;

/// By how much a read shows more than an answer.
pub(super) fn lag(answered: &Value, read: Option<&Value>) -> Option<i64> {
    let ((answered, _), (read, _)) = counted(answered).zip(counted(read?))?;
    read.checked_sub(answered)
}

/// Corrects what samples hold after a write that only its answer shows, where all other answers of the tool lag behind the
/// reads by the same number; and what the next write of the entity found. Where some lag and others do not, both forget it.
pub(super) fn catch_up(samples: &mut BTreeMap<usize, Vec<Sample<'_>>>) {
    let lags: BTreeMap<usize, BTreeMap<Slot, Option<i64>>> =
        samples.iter().map(|(tool, samples)| (*tool, common(samples))).filter(|(_, lags)| !lags.is_empty()).collect();
    let mut late: Vec<(EntityKey, usize, Slot, Value, Option<Value>)> = Vec::new();
    for (tool, lags) in &lags {
        for sample in samples.get_mut(tool).into_iter().flatten() {
            for (slot, more) in lags.iter().filter(|(slot, _)| sample.only_answered.contains(*slot)) {
                let Some(Some(answered)) = sample.after.get(slot) else { continue };
                let Some((number, digits)) = counted(answered) else { continue };
                let left = more.map(|more| count_value(number.saturating_add(more), digits));
                late.push((sample.key.clone(), sample.index, slot.clone(), answered.clone(), left.clone()));
                set(&mut sample.after, slot, left);
            }
        }
    }
    for (key, index, slot, answered, left) in late {
        let of_entity = samples.values_mut().flatten().filter(|sample| sample.key == key && sample.index > index);
        let Some(next) = of_entity.min_by_key(|sample| sample.index) else { continue };
        if next.before.get(&slot).is_some_and(|held| held.as_ref().is_some_and(|held| held.same_as(&answered))) {
            set(&mut next.before, &slot, left);
        }
    }
}

/// Sets what is known of a slot.
fn set(shown: &mut Shown, slot: &Slot, known: Option<Value>) {
    match known {
        Some(value) => shown.insert(slot.clone(), Some(value)),
        None => shown.remove(slot),
    };
}

/// The slots of which answers of a tool that reads can be held against say less: the number, where all say the same less.
fn common(samples: &[Sample<'_>]) -> BTreeMap<Slot, Option<i64>> {
    let mut lags: BTreeMap<Slot, Option<i64>> = BTreeMap::new();
    for (slot, more) in samples.iter().flat_map(|sample| &sample.lags).filter(|(_, more)| **more > 0) {
        lags.entry(slot.clone()).or_insert(Some(*more));
    }
    for (slot, lag) in &mut lags {
        let told = samples.iter().filter(|sample| sample.answer_agrees.contains_key(slot));
        let told: Vec<Option<i64>> = told.map(|sample| sample.lags.get(slot).copied()).collect();
        if told.len() < MIN_LAGS || told.iter().any(|more| more != lag) {
            *lag = None;
        }
    }
    lags
}
