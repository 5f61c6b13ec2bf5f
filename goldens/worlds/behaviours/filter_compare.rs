//! Parameters that compare a number: at least and at most.

use super::*;

/// Parameters that compare a number: at least and at most.
pub struct FilterCompare;

impl Behaviour for FilterCompare {
    fn name(&self) -> &'static str {
        "filter_compare"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(limit) = listing.parameter("pages__gte").and_then(|text| text.parse::<f64>().ok()) {
            listing.retain(world, |book| book.member("pages").number().is_some_and(|held| held >= limit));
        }
        if let Some(limit) = listing.parameter("pages__lte").and_then(|text| text.parse::<f64>().ok()) {
            listing.retain(world, |book| book.member("pages").number().is_some_and(|held| held <= limit));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("pages__gte", "500")],
                &[("pages__gte", "727")],
                &[("pages__lte", "500")],
                &[("pages__lte", "275")],
                &[("pages__gte", "300"), ("pages__lte", "800")],
            ],
            Phase::ProbeReads => {
                &[&[("pages__gte", "600")], &[("pages__lte", "700")], &[("pages__gte", "200"), ("pages__lte", "500")]]
            }
            Phase::Writes | Phase::ProbeCrud => &[&[("pages__gte", "500")], &[("pages__gte", "727")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
