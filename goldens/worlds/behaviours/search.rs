//! Those whose name or note holds the text, whatever its case.

use super::*;

/// Those whose name or note holds the text, whatever its case.
pub struct Search;

impl Behaviour for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["search"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(text) = listing.parameter("q").map(str::to_lowercase) {
            listing.retain(world, |book| {
                ["name", "note"].iter().any(|member| match book.member(member) {
                    Json::Str(held) => held.to_lowercase().contains(&text),
                    _ => false,
                })
            });
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => {
                &[&[("q", "castle")], &[("q", "OLIVE")], &[("q", "bought")], &[("q", "er")], &[("q", "zebra")]]
            }
            Phase::ProbeReads => &[&[("q", "river")], &[("q", "KETTLE")], &[("q", "Amber")], &[("q", "nothing")]],
            Phase::Writes | Phase::ProbeCrud => &[&[("q", "castle")], &[("q", "OLIVE")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
