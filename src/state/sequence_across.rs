//! Sequences across types: identities of several types that are numbers of one sequence, so that each goes on where the
//! others are. Told from the numbers alone; what a write makes of it is in `write_maker.rs`.

use super::derive::Derivation;
use super::derived::Derived;
use super::generate::{Generator, SequenceScope};
use super::member_rule::MemberExpr;
use super::store::World;
use super::write_maker::largest_held;
use super::write_plan::WritePlan;
use super::write_sample::{Fate, Sample};
use std::collections::{BTreeMap, BTreeSet};

/// A recorded create: its place in time, its type and its number.
type Created = (usize, usize, i64);

/// The largest number that entities of some types hold as their identity.
pub(super) fn largest_of(derived: &Derived, world: &World, kinds: &[usize]) -> Option<i64> {
    let largest = |kind: &usize| {
        let identity = &derived.types.get(*kind)?.identity;
        largest_held(world, *kind, &SequenceScope::Type, None, identity)
    };
    kinds.iter().filter_map(largest).max()
}

fn identities(world: &World, kind: usize) -> impl Iterator<Item = i64> {
    let held = world.collections(kind).flat_map(|(_, collection)| collection.iter());
    held.filter_map(|entity| entity.id.parse().ok())
}

impl Derivation<'_> {
    /// The types whose identities count in one sequence, each group in the order of its types.
    ///
    /// No number is an identity of two of them, no create took one that any of them was past, and at least one create
    /// took the next of all where its own type was not that far: alone it would have come out different.
    pub(super) fn sequences_across(
        &self,
        plans: &BTreeMap<usize, WritePlan>,
        samples: &BTreeMap<usize, Vec<Sample<'_>>>,
    ) -> Vec<Vec<usize>> {
        let counting: BTreeSet<usize> =
            plans.values().filter(|plan| counts(plan)).map(|plan| plan.target.entity_type).collect();
        let created = samples.values().flatten().filter(|sample| sample.fate == Fate::Created);
        let mut created: Vec<Created> = created
            .filter(|sample| counting.contains(&sample.key.0))
            .filter_map(|sample| Some((sample.index, sample.key.0, sample.key.2.parse().ok()?)))
            .collect();
        created.sort_unstable();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for kind in created.iter().map(|(_, kind, _)| *kind).collect::<BTreeSet<usize>>() {
            let joined = groups.iter_mut().find_map(|group| {
                let with: Vec<usize> = group.iter().copied().chain([kind]).collect();
                self.is_one_sequence(&with, &created).then_some((group, with))
            });
            match joined {
                Some((group, with)) => *group = with,
                None => groups.push(vec![kind]),
            }
        }
        groups.retain(|group| group.len() > 1);
        groups
    }

    /// Whether types count together, the last of them with those before.
    fn is_one_sequence(&self, kinds: &[usize], created: &[Created]) -> bool {
        let mut taken: BTreeSet<i64> = BTreeSet::new();
        let mut last: BTreeMap<usize, i64> = BTreeMap::new();
        for kind in kinds {
            let held: BTreeSet<i64> = identities(&self.derived.world, *kind).collect();
            last.extend(held.last().map(|largest| (*kind, *largest)));
            if !taken.is_disjoint(&held) {
                return false;
            }
            taken.extend(held);
        }
        let Some(newest) = kinds.last() else { return false };
        let mut highest = taken.last().copied().unwrap_or_default();
        let mut needed = false;
        for (_, kind, number) in created.iter().filter(|(_, kind, _)| kinds.contains(kind)) {
            if *number <= highest {
                return false;
            }
            // Of a type that was never listed nobody knows how far it was.
            let own = last.insert(*kind, *number).or_else(|| self.derived.is_complete(*kind, None).then_some(0));
            // The newest goes on from another, or another from it.
            let before = last.iter().find(|(_, held)| **held == highest).map(|(held, _)| held);
            let behind = own.is_some_and(|own| own < highest);
            needed |= highest.checked_add(1) == Some(*number) && behind && (kind == newest || before == Some(newest));
            highest = *number;
        }
        needed
    }
}

/// Whether a plan gives what it creates the next number of the type.
pub(super) fn counts(plan: &WritePlan) -> bool {
    plan.parts.iter().any(|part| {
        matches!(&part.identity, Some(MemberExpr::Made(Generator::Sequence { scope: SequenceScope::Type, .. }, _)))
    })
}
