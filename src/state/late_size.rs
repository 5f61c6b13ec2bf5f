//! Page sizes that only later states tell: a list that showed every entity as long as there were few, and that ends after
//! the same number of them whenever there are more. Knows nothing of what the parameters of lines ask for.

use super::derive::Derivation;
use super::late_order::LateList;
use super::late_scope::LateHidden;
use super::observe::Seen;
use super::types::View;
use std::collections::BTreeSet;

/// Reads that have to end after the same number at the least.
const MIN_CUT: usize = 2;

impl Derivation<'_> {
    /// Gives lists that end before the state does the number of entities after which they end; whether any got one.
    pub(super) fn late_sizes(&mut self, hidden: &[LateHidden], lists: &[LateList]) -> bool {
        let mut any = false;
        let tools: BTreeSet<usize> = hidden.iter().map(|list| list.tool).collect();
        for tool in tools {
            let View::List(held) = self.derived.views[tool].clone() else { continue };
            let Some(size) = size_of(tool, hidden, lists).filter(|_| held.query.default_size.is_none()) else {
                continue;
            };
            let calls: Vec<Seen> = self.clean_calls(tool, held.entity_type).into_iter().cloned().collect();
            let reproduced = |work: &Self| -> Vec<bool> {
                calls.iter().map(|seen| work.reproduces(seen, &work.derived.world)).collect()
            };
            let before = reproduced(self);
            if let Some(View::List(view)) = self.derived.views.get_mut(tool) {
                view.query.default_size = Some(size);
            }
            // A size that a first recording contradicts is none.
            if before.iter().zip(reproduced(self)).any(|(before, after)| *before && !after) {
                self.derived.views[tool] = View::List(held);
            } else {
                any = true;
            }
        }
        any
    }
}

/// The number after which all reads of a list end that leave out what comes behind; none where one lists more.
fn size_of(tool: usize, hidden: &[LateHidden], lists: &[LateList]) -> Option<u64> {
    let own = || hidden.iter().filter(|list| list.tool == tool);
    let size = own().next()?.listed.len();
    let ends = size > 1 && own().count() >= MIN_CUT && own().all(|list| list.cut && list.listed.len() == size);
    let longer = lists.iter().any(|list| list.tool == tool && list.listed.len() > size);
    (ends && !longer).then_some(size as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Value;
    use rstest::rstest;
    use std::sync::Arc;

    #[rstest]
    #[case::told(&[(3, true), (3, true)], 3, Some(3))]
    #[case::of_one_read(&[(3, true)], 3, None)]
    #[case::of_several_sizes(&[(3, true), (4, true)], 3, None)]
    #[case::not_at_the_end(&[(3, true), (3, false)], 3, None)]
    #[case::another_lists_more(&[(3, true), (3, true)], 4, None)]
    fn the_number_after_which_a_list_ends(
        #[case] cut: &[(usize, bool)],
        #[case] longest: usize,
        #[case] expected: Option<u64>,
    ) {
        let values = |count: usize| (0..count).map(|_| Arc::new(Value::Null)).collect::<Vec<_>>();
        let hidden: Vec<LateHidden> = cut
            .iter()
            .map(|(count, cut)| LateHidden {
                tool: 0,
                listed: values(*count),
                ids: Vec::new(),
                left_out: values(1),
                cut: *cut,
            })
            .collect();
        let lists = [LateList { tool: 0, listed: values(longest), differs: false }];
        assert_eq!(size_of(0, &hidden, &lists), expected);
    }
}
