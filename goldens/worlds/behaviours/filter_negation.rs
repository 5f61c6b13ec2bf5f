//! A parameter for those whose member has not the value.

use super::*;

/// A parameter for those whose member has not the value.
pub struct FilterNegation;

impl Behaviour for FilterNegation {
    fn name(&self) -> &'static str {
        "filter_negation"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(value) = listing.parameter("status").map(str::to_string) {
            listing.retain(world, |book| book.member("status").text() == value);
        }
        if let Some(value) = listing.parameter("status__n").map(str::to_string) {
            listing.retain(world, |book| book.member("status").text() != value);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => {
                &[&[("status", "open")], &[("status", "draft")], &[("status__n", "open")], &[("status__n", "draft")]]
            }
            Phase::ProbeReads => &[&[("status", "closed")], &[("status__n", "closed")]],
            Phase::Writes | Phase::ProbeCrud => &[&[("status", "open")], &[("status", "draft")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
