//! Orders of several members, each with its direction after a colon.

use super::*;

/// Orders of several members, each with its direction after a colon.
pub struct SortColon;

impl Behaviour for SortColon {
    fn name(&self) -> &'static str {
        "sort_colon"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["sort"]
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let asked = listing.parameter("sort").filter(|_| listing.of == BOOK)?;
        Some(asked.split(',').map(|key| asking::worded(key, ':')).collect())
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("sort", "name:asc")],
                &[("sort", "name:desc")],
                &[("sort", "author:asc,pages:desc")],
                &[("sort", "author:desc,name:asc")],
            ],
            Phase::ProbeReads => &[
                &[("sort", "pages:asc")],
                &[("sort", "pages:desc")],
                &[("sort", "author:asc,name:desc")],
                &[("sort", "author:desc,pages:asc")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("sort", "name:asc")], &[("sort", "name:desc")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
