//! A filter that is JSON in one value.

use super::*;

/// A filter that is JSON in one value.
pub struct FilterJson;

impl Behaviour for FilterJson {
    fn name(&self) -> &'static str {
        "filter_json"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        let Some(wanted) = listing.parameter("filter").and_then(Json::parse) else { return };
        for (member, value) in wanted.members() {
            listing.retain(world, |book| book.member(member) == *value);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("filter", "{\"status\":\"open\"}")],
                &[("filter", "{\"status\":\"closed\"}")],
                &[("filter", "{\"author\":\"Mora\"}")],
                &[("filter", "{\"author\":\"Chen\"}")],
                &[("filter", "{\"status\":\"open\",\"author\":\"Ibsen\"}")],
                &[("filter", "{}")],
            ],
            Phase::ProbeReads => &[
                &[("filter", "{\"status\":\"draft\"}")],
                &[("filter", "{\"author\":\"Ibsen\"}")],
                &[("filter", "{\"status\":\"open\",\"author\":\"Mora\"}")],
            ],
            Phase::Writes | Phase::ProbeCrud => {
                &[&[("filter", "{\"status\":\"open\"}")], &[("filter", "{\"status\":\"closed\"}")]]
            }
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
