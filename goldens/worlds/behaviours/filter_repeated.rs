//! A filter parameter that repeats: any of its values may be held.

use super::*;

/// A filter parameter that repeats: any of its values may be held.
pub struct FilterRepeated;

impl Behaviour for FilterRepeated {
    fn name(&self) -> &'static str {
        "filter_repeated"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        let values: Vec<String> =
            listing.pairs.iter().filter(|(name, _)| name == "status").map(|(_, value)| value.clone()).collect();
        if !values.is_empty() {
            listing.retain(world, |book| values.contains(&book.member("status").text()));
        }
    }

    /// What another set of values selects: whether a repeated parameter means any of its values, all of them or the last
    /// one is the application's own, so these reads are replayed.
    fn unknowable(&self, world: &World, request: &Request) -> Option<Unknowable> {
        let Route::List(BOOK, _) = world.route(&request.path) else { return None };
        let repeated = request.pairs().iter().filter(|(name, _)| name == "status").count() > 1;
        (request.method == "GET" && repeated).then_some(Unknowable::Unrecorded)
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => {
                &[&[("status", "open")], &[("status", "draft")], &[("status", "open"), ("status", "draft")]]
            }
            Phase::ProbeReads => &[&[("status", "closed")], &[("status", "open"), ("status", "closed")]],
            Phase::Writes | Phase::ProbeCrud => &[&[("status", "open")], &[("status", "draft")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
