//! A list of those whose member has the value, for two members.

use super::*;

/// A list of those whose member has the value, for two members.
pub struct FilterEqual;

impl Behaviour for FilterEqual {
    fn name(&self) -> &'static str {
        "filter_equal"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        for member in ["status", "author"] {
            if let Some(value) = listing.parameter(member).map(str::to_string) {
                listing.retain(world, |book| book.member(member).text() == value);
            }
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("status", "open")],
                &[("status", "closed")],
                &[("author", "Mora")],
                &[("author", "Chen")],
                &[("status", "open"), ("author", "Ibsen")],
                &[("status", "lost")],
            ],
            Phase::ProbeReads => &[
                &[("status", "draft")],
                &[("author", "Ibsen")],
                &[("status", "open"), ("author", "Mora")],
                &[("author", "Nobody")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("status", "open")], &[("status", "closed")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
