//! A count under a path of its own, with the filters of the list.

use super::*;

/// A count under a path of its own, with the filters of the list.
pub struct CountRead;

impl Behaviour for CountRead {
    fn name(&self) -> &'static str {
        "count_read"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter", "plain_routes"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let path = request.path.strip_suffix("/count")?;
        let Route::List(BOOK, None) = world.route(path) else { return None };
        let listing = world.listing(BOOK, None, path, request.pairs());
        Some(Response::json(200, &obj! { "count" => listing.matched }))
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(value) = listing.parameter("status").map(str::to_string) {
            listing.retain(world, |book| asking::compares(book, "status", "eq", &value));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let asked: &[&str] = match phase {
            Phase::Reads => &["open", "draft"],
            Phase::ProbeReads => &["closed", "open"],
            Phase::Writes | Phase::ProbeCrud => &["open"],
        };
        let path = recorder.world.list_path(BOOK, None);
        recorder.get(&format!("{path}/count"));
        for status in asked {
            recorder.query(&path, &[("status", status)]);
            recorder.query(&format!("{path}/count"), &[("status", status)]);
        }
    }
}
