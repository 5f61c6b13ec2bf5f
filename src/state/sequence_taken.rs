//! Numbers of a sequence that updates take, as an application does that keeps what was there before as an entry of its own:
//! no read shows it, but the identities of creates leave its number out. Told from those gaps alone.

use super::derive::Derivation;
use super::derived::Derived;
use super::generate::{Generator, SequenceScope};
use super::member_rule::MemberExpr;
use super::sequence_across::counts;
use super::write_plan::{WritePlan, WriteState};
use super::write_sample::{Fate, Sample};
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Updates that take the next number of the sequence in which their target's identity counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberTaken {
    /// The tool.
    tool: usize,
    /// What a call has to send: all of these.
    members: Vec<Box<str>>,
}

/// Gaps that have to be explained: one may be anything's.
const MIN_GAPS: usize = 2;

impl NumberTaken {
    /// Whether a call takes one.
    pub(super) fn is_by(&self, tool: usize, sent: &Value) -> bool {
        self.tool == tool && self.members.iter().all(|name| sent.get(name).is_some())
    }
}

impl Derived {
    /// Where the sequence starts from which an update takes a number; `None` where it takes none.
    pub(super) fn takes_number(&self, tool: usize, kind: usize, sent: &Value) -> Option<i64> {
        if !self.numbers_taken.iter().any(|taken| taken.is_by(tool, sent)) {
            return None;
        }
        let kinds = self.counted_with(kind);
        let served = self.writes.iter().filter_map(|write| match write {
            Some(WriteState::Served(plan)) if kinds.contains(&plan.target.entity_type) => Some(plan),
            _ => None,
        });
        let identities = served.flat_map(|plan| plan.parts.iter().filter_map(|part| part.identity.as_ref()));
        let starts = identities.filter_map(|identity| match identity {
            MemberExpr::Made(Generator::Sequence { scope: SequenceScope::Type, start, .. }, _) => Some(*start),
            _ => None,
        });
        starts.max()
    }
}

impl Derivation<'_> {
    /// The updates that take numbers: of each sequence those that explain every number left out between its creates.
    pub(super) fn numbers_taken(
        &self,
        plans: &BTreeMap<usize, WritePlan>,
        samples: &BTreeMap<usize, Vec<Sample<'_>>>,
    ) -> Vec<NumberTaken> {
        let counting = plans.values().filter(|plan| counts(plan)).map(|plan| plan.target.entity_type);
        let groups: BTreeSet<Vec<usize>> = counting.map(|kind| self.derived.counted_with(kind)).collect();
        groups.iter().filter_map(|kinds| taken_from(kinds, samples)).collect()
    }
}

/// What takes the numbers of one sequence; `None` where nothing does, or calls that differ would explain it as well.
fn taken_from(kinds: &[usize], samples: &BTreeMap<usize, Vec<Sample<'_>>>) -> Option<NumberTaken> {
    let about = |sample: &&Sample<'_>, fate: Fate| sample.fate == fate && kinds.contains(&sample.key.0);
    let created = samples.values().flatten().filter(|sample| about(sample, Fate::Created));
    let created: Option<Vec<(usize, i64)>> =
        created.map(|sample| Some((sample.index, sample.key.2.parse().ok()?))).collect();
    let mut created = created?;
    created.sort_unstable();
    // The calls between two creates, and how many numbers are left out there.
    let mut gaps: Vec<(usize, usize, usize)> = Vec::new();
    for pair in created.windows(2) {
        let [(from, before), (to, after)] = pair else { continue };
        gaps.push((*from, *to, usize::try_from(after.checked_sub(*before)?.checked_sub(1)?).ok()?));
    }
    if gaps.iter().filter(|(.., left_out)| *left_out > 0).count() < MIN_GAPS {
        return None;
    }
    let explains =
        |calls: &BTreeSet<usize>| gaps.iter().all(|(from, to, left_out)| calls.range(from..to).count() == *left_out);
    // Of the same calls more cannot be told than what they have in common.
    let mut found: BTreeMap<BTreeSet<usize>, NumberTaken> = BTreeMap::new();
    for (tool, samples) in samples {
        let updates: Vec<&Sample<'_>> = samples.iter().filter(|sample| about(sample, Fate::Changed)).collect();
        let names: BTreeSet<&str> = updates.iter().flat_map(|sample| names(&sample.sent)).collect();
        for name in names.iter().copied().map(Some).chain([None]) {
            let sends = |sample: &&&Sample<'_>| name.is_none_or(|name| sample.sent.get(name).is_some());
            let taking: Vec<&&Sample<'_>> = updates.iter().filter(sends).collect();
            let calls: BTreeSet<usize> = taking.iter().map(|sample| sample.index).collect();
            if explains(&calls) {
                let common = names.iter().filter(|name| taking.iter().all(|sample| sample.sent.get(name).is_some()));
                let members = common.map(|name| Box::from(*name)).collect();
                found.insert(calls, NumberTaken { tool: *tool, members });
            }
        }
    }
    // What other writes of one tool explain as well (another sequence's creates, removals) is not told.
    let rivals = samples.values().map(|samples| -> BTreeSet<usize> {
        let others = samples.iter().filter(|sample| !about(sample, Fate::Changed) && !about(sample, Fate::Created));
        others.map(|sample| sample.index).collect()
    });
    if found.len() > 1 || rivals.into_iter().any(|calls| explains(&calls)) {
        return None;
    }
    found.pop_first().map(|(_, taken)| taken)
}

fn names(sent: &Value) -> impl Iterator<Item = &str> {
    sent.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str())
}
