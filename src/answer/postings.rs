//! Posting lists: which records have a feature (a segment, a query value, a body), as ascending ranks, and the search
//! for the records that have the most features. Knows nothing of what a feature means.

use super::limits::{MAX_COMBINED_FEATURES, MAX_CONJUNCTIONS};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Ascending ranks of the records that have one feature.
pub(super) type Ranks<'a> = Cow<'a, [u32]>;

/// The records still in play: the union of conjunctions, each the intersection of its lists. A conjunction without lists
/// is every record below `total`.
pub(super) struct Field<'a> {
    total: u32,
    any: Vec<Vec<Ranks<'a>>>,
}

impl<'a> Field<'a> {
    /// All records of a tool.
    pub(super) fn all(total: u32) -> Self {
        Self { total, any: vec![Vec::new()] }
    }

    /// Keeps the records that have the most of `features`; all of them when none has any.
    pub(super) fn narrow(&mut self, mut features: Vec<Ranks<'a>>) {
        features.retain(|ranks| !ranks.is_empty());
        let count = features.len();
        if count == 0 {
            return;
        }
        if self.keep_subsets(&features, count) {
            return;
        }
        if count > MAX_COMBINED_FEATURES {
            return self.count_features(&features);
        }
        for size in (1..count).rev() {
            if self.keep_subsets(&features, size) {
                if self.any.len() > MAX_CONJUNCTIONS {
                    self.merge();
                }
                return;
            }
        }
    }

    /// Keeps the records that have all of some `size` of the features; false (and nothing changed) when there is none.
    fn keep_subsets(&mut self, features: &[Ranks<'a>], size: usize) -> bool {
        let mut kept = Vec::new();
        for chosen in subsets(features.len(), size) {
            for conjunction in &self.any {
                let mut lists = conjunction.clone();
                lists.extend(chosen.iter().map(|index| features[*index].clone()));
                if first_common(&lists, 0, self.total).is_some() {
                    kept.push(lists);
                }
            }
        }
        if kept.is_empty() {
            return false;
        }
        self.any = kept;
        true
    }

    /// The same by counting each record's features: for calls with many features of which no record has all.
    fn count_features(&mut self, features: &[Ranks<'a>]) {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for rank in features.iter().flat_map(|ranks| ranks.iter()) {
            if self.any.iter().any(|lists| lists.iter().all(|list| list.binary_search(rank).is_ok())) {
                *counts.entry(*rank).or_default() += 1;
            }
        }
        if let Some(most) = counts.values().max().copied() {
            let best: Vec<u32> = counts.into_iter().filter(|(_, count)| *count == most).map(|(rank, _)| rank).collect();
            self.any = vec![vec![Cow::Owned(best)]];
        }
    }

    /// Writes the union out as one list.
    fn merge(&mut self) {
        self.any = vec![vec![Cow::Owned(self.ranks())]];
    }

    /// All ranks in play, ascending.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut ranks = Vec::new();
        for lists in &self.any {
            let mut from = 0;
            while let Some(rank) = first_common(lists, from, self.total) {
                ranks.push(rank);
                from = rank + 1;
            }
        }
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// The lowest rank in play.
    pub(super) fn first(&self) -> Option<u32> {
        self.any.iter().filter_map(|lists| first_common(lists, 0, self.total)).min()
    }
}

/// The lowest rank at or above `from` that every list holds; without lists, `from` itself while it is below `total`.
/// The cost follows the shortest list: the others are only searched.
fn first_common(lists: &[Ranks<'_>], from: u32, total: u32) -> Option<u32> {
    let Some(shortest) = lists.iter().min_by_key(|list| list.len()) else {
        return (from < total).then_some(from);
    };
    let mut at = shortest.partition_point(|rank| *rank < from);
    'candidate: while let Some(candidate) = shortest.get(at).copied() {
        for list in lists {
            match list.get(list.partition_point(|rank| *rank < candidate)) {
                Some(rank) if *rank == candidate => {}
                Some(next) => {
                    at += shortest[at..].partition_point(|rank| rank < next);
                    continue 'candidate;
                }
                None => return None,
            }
        }
        return Some(candidate);
    }
    None
}

/// The ways to choose `size` of `count` things, in ascending order.
fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    if size == count {
        return vec![(0..count).collect()];
    }
    let mut all = Vec::new();
    let mut chosen: Vec<usize> = (0..size).collect();
    loop {
        all.push(chosen.clone());
        let Some(index) = (0..size).rev().find(|index| chosen[*index] != index + count - size) else {
            return all;
        };
        chosen[index] += 1;
        for next in index + 1..size {
            chosen[next] = chosen[next - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn subsets_are_complete_and_ordered() {
        assert_eq!(subsets(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(subsets(2, 2), [[0, 1]]);
        assert_eq!(subsets(3, 1), [[0], [1], [2]]);
    }

    #[test]
    fn a_field_without_features_is_every_record() {
        let mut field = Field::all(3);
        field.narrow(vec![Cow::Borrowed(&[])]);
        assert_eq!(field.first(), Some(0));
        assert_eq!(field.ranks(), [0, 1, 2]);
        assert_eq!(Field::all(0).first(), None);
    }

    proptest! {
        #[test]
        fn narrowing_keeps_exactly_the_records_with_the_most_features(
            stages in prop::collection::vec(
                prop::collection::vec(prop::collection::btree_set(0u32..20, 0..12), 0..11),
                1..4,
            )
        ) {
            let mut field = Field::all(20);
            let mut expected: Vec<u32> = (0..20).collect();
            for stage in &stages {
                field.narrow(stage.iter().map(|set| Cow::Owned(set.iter().copied().collect())).collect());
                let score = |rank: &u32| stage.iter().filter(|set| set.contains(rank)).count();
                let most = expected.iter().map(score).max().unwrap_or(0);
                expected.retain(|rank| score(rank) == most);
            }
            prop_assert_eq!(field.first(), expected.first().copied());
            prop_assert_eq!(field.ranks(), expected);
        }
    }
}
