//! Pages by number from 0, spelled `_page` and `_size`; a total beside the list.

use super::*;

/// Pages by number from 0, spelled `_page` and `_size`; a total beside the list.
pub struct PageZero;

impl Behaviour for PageZero {
    fn name(&self) -> &'static str {
        "page_zero"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::Counted;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Page("_page", 0),
            size: "_size",
            default_size: None,
            past_end: PastEnd::Empty,
            links: false,
        });
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("_size", "3")],
                &[("_size", "3"), ("_page", "0")],
                &[("_size", "3"), ("_page", "1")],
                &[("_size", "3"), ("_page", "2")],
                &[("_size", "2"), ("_page", "1")],
                &[("_size", "3"), ("_page", "7")],
            ],
            Phase::ProbeReads => &[
                &[("_size", "4"), ("_page", "1")],
                &[("_size", "2"), ("_page", "2")],
                &[("_size", "5"), ("_page", "0")],
                &[("_size", "4"), ("_page", "6")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("_size", "3")], &[("_size", "3"), ("_page", "0")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
