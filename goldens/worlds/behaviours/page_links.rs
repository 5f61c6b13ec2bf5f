//! Pages by number with absolute links, and fewer than all without a parameter.

use super::*;

/// Pages by number with absolute links, and fewer than all without a parameter.
pub struct PageLinks;

impl Behaviour for PageLinks {
    fn name(&self) -> &'static str {
        "page_links"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::Counted;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Page("page", 1),
            size: "page_size",
            default_size: Some(4),
            past_end: PastEnd::Refused(404),
            links: true,
        });
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[],
                &[("page", "2")],
                &[("page", "3")],
                &[("page_size", "3")],
                &[("page_size", "3"), ("page", "2")],
                &[("page_size", "2"), ("page", "3")],
                &[("page", "8")],
                &[("page_size", "3"), ("page", "9")],
            ],
            Phase::ProbeReads => &[
                &[("page_size", "5")],
                &[("page_size", "5"), ("page", "2")],
                &[("page_size", "2"), ("page", "2")],
                &[("page_size", "2"), ("page", "4")],
                &[("page", "11")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[], &[("page", "2")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
