//! A flag that says whether there are more.

use super::*;

/// A flag that says whether there are more.
pub struct HasMore;

impl Behaviour for HasMore {
    fn name(&self) -> &'static str {
        "has_more"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Offset("skip"),
            size: "take",
            default_size: None,
            past_end: PastEnd::Empty,
            links: false,
        });
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of == BOOK {
            answer.set("has_more", listing.offset + listing.entities.len() < listing.matched);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("take", "3")],
                &[("take", "3"), ("skip", "3")],
                &[("take", "3"), ("skip", "6")],
                &[("take", "2"), ("skip", "2")],
                &[("take", "5"), ("skip", "4")],
            ],
            Phase::ProbeReads => &[
                &[("take", "4"), ("skip", "4")],
                &[("take", "4"), ("skip", "5")],
                &[("take", "2")],
                &[("take", "6"), ("skip", "3")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("take", "3")], &[("take", "3"), ("skip", "3")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
