//! Pages by number and size, from 1; the page's place in a paging object.

use super::*;

/// Pages by number and size, from 1; the page's place in a paging object.
pub struct PageNumber;

impl Behaviour for PageNumber {
    fn name(&self) -> &'static str {
        "page_number"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::Paging;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Page("page", 1),
            size: "limit",
            default_size: Some(15),
            past_end: PastEnd::Empty,
            links: false,
        });
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("limit", "3")],
                &[("limit", "3"), ("page", "2")],
                &[("limit", "3"), ("page", "3")],
                &[("limit", "2"), ("page", "2")],
                &[("limit", "4")],
                &[("page", "1")],
                &[("limit", "3"), ("page", "9")],
            ],
            Phase::ProbeReads => &[
                &[("limit", "4"), ("page", "2")],
                &[("limit", "2"), ("page", "3")],
                &[("limit", "5")],
                &[("limit", "2"), ("page", "8")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("limit", "3")], &[("limit", "3"), ("page", "2")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
