//! Those whose name holds the text in this case.

use super::*;

/// Those whose name holds the text in this case.
pub struct SearchCase;

impl Behaviour for SearchCase {
    fn name(&self) -> &'static str {
        "search_case"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["search"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(text) = listing.parameter("name__contains").map(str::to_string) {
            listing.retain(world, |book| matches!(book.member("name"), Json::Str(held) if held.contains(&text)));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("name__contains", "castle")],
                &[("name__contains", "CASTLE")],
                &[("name__contains", "er")],
                &[("name__contains", "Olive")],
                &[("name__contains", "olive")],
            ],
            Phase::ProbeReads => {
                &[&[("name__contains", "river")], &[("name__contains", "RIVER")], &[("name__contains", "a")]]
            }
            Phase::Writes | Phase::ProbeCrud => &[&[("name__contains", "castle")], &[("name__contains", "CASTLE")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
