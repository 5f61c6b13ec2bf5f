//! A list of values joined by commas, any of which may be held.

use super::*;

/// A list of values joined by commas, any of which may be held.
pub struct FilterOneOf;

impl Behaviour for FilterOneOf {
    fn name(&self) -> &'static str {
        "filter_one_of"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(values) = listing.parameter("status").map(str::to_string) {
            listing.retain(world, |book| values.split(',').any(|value| book.member("status").text() == value));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[&[("status", "open")], &[("status", "open,draft")], &[("status", "closed,draft")]],
            Phase::ProbeReads => &[
                &[("status", "closed")],
                &[("status", "open,closed")],
                &[("status", "draft")],
                &[("status", "open,draft,closed")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("status", "open")], &[("status", "open,draft")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
