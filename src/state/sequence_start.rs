//! Where the sequences of identities stand at the start: past all that is held, or at the number of the first recorded
//! create, where nothing that the capture shows took the numbers between. Those were entities that no read shows.

use super::derive::Derivation;
use super::generate::{Generator, SequenceScope};
use super::member_rule::MemberExpr;
use super::sequence_across::largest_of;
use super::write_history::History;
use super::write_plan::WritePlan;
use super::write_sample::{Fate, Sample};
use std::collections::{BTreeMap, HashSet};

impl Derivation<'_> {
    /// Sets the first numbers of the identities that plans make.
    pub(super) fn sequence_starts(
        &self,
        plans: &mut BTreeMap<usize, WritePlan>,
        samples: &BTreeMap<usize, Vec<Sample<'_>>>,
        history: &History<'_>,
    ) {
        let sampled: HashSet<usize> = samples.values().flatten().map(|sample| sample.index).collect();
        for plan in plans.values_mut() {
            let kind = plan.target.entity_type;
            for part in &mut plan.parts {
                if let Some(MemberExpr::Made(
                    Generator::Sequence { scope: SequenceScope::Type, start, digits: None },
                    _,
                )) = &mut part.identity
                    && let Some(first) = self.first_number(kind, samples, &sampled, history)
                {
                    *start = first;
                }
            }
        }
    }

    /// The number of the first recorded create of a type, or of those that count with it, where it leaves out numbers that nothing is known to have taken.
    fn first_number(
        &self,
        kind: usize,
        samples: &BTreeMap<usize, Vec<Sample<'_>>>,
        sampled: &HashSet<usize>,
        history: &History<'_>,
    ) -> Option<i64> {
        let kinds = self.derived.counted_with(kind);
        let created = samples.values().flatten();
        let created = created.filter(|sample| sample.fate == Fate::Created && kinds.contains(&sample.key.0));
        let first = created.min_by_key(|sample| sample.index)?;
        let number: i64 = first.key.2.parse().ok()?;
        let held = largest_of(&self.derived, &self.derived.world, &kinds)?;
        if number <= held.saturating_add(1) {
            return None;
        }
        // What was shown at some time was made by something; so may have been what a write before it did, unseen.
        let shown =
            history.homes.keys().filter(|(of, _)| kinds.contains(of)).filter_map(|(_, id)| id.parse::<i64>().ok());
        let taken = shown.into_iter().any(|id| id > held && id < number);
        let mut before = self.observed.seen.iter().enumerate().take(first.index);
        let unknown = before.any(|(index, call)| {
            let tool = &self.manifest.tools[call.tool];
            call.wrote(self.manifest) && tool.method != "DELETE" && !sampled.contains(&index)
        });
        // Updates before it may have taken some.
        let updates = samples.values().flatten().filter(|sample| sample.index < first.index);
        let updates = updates.filter(|sample| sample.fate == Fate::Changed && kinds.contains(&sample.key.0));
        let takes = |sample: &&Sample<'_>| {
            self.derived.numbers_taken.iter().any(|taken| taken.is_by(sample.call.tool, &sample.sent))
        };
        let start = number.saturating_sub(i64::try_from(updates.filter(takes).count()).ok()?);
        (!taken && !unknown && start > held.saturating_add(1)).then_some(start)
    }
}
