//! An order by a member, its direction in a parameter of its own.

use super::*;

/// An order by a member, its direction in a parameter of its own.
pub struct SortDirection;

impl Behaviour for SortDirection {
    fn name(&self) -> &'static str {
        "sort_direction"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["sort"]
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let asked = listing.parameter("sort").filter(|_| listing.of == BOOK)?;
        Some(vec![match listing.parameter("direction") {
            Some("desc") => OrderKey::down(asked),
            _ => OrderKey::by(asked),
        }])
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("sort", "name")],
                &[("sort", "name"), ("direction", "asc")],
                &[("sort", "name"), ("direction", "desc")],
                &[("sort", "pages")],
                &[("sort", "pages"), ("direction", "desc")],
            ],
            Phase::ProbeReads => &[
                &[("sort", "pages"), ("direction", "asc")],
                &[("sort", "author")],
                &[("sort", "author"), ("direction", "desc")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("sort", "name")], &[("sort", "name"), ("direction", "asc")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
