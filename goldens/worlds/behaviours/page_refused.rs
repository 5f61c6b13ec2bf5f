//! A page past the end is a 400.

use super::*;

/// A page past the end is a 400.
pub struct PageRefused;

impl Behaviour for PageRefused {
    fn name(&self) -> &'static str {
        "page_refused"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Page("page", 1),
            size: "per_page",
            default_size: None,
            past_end: PastEnd::Refused(400),
            links: false,
        });
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("per_page", "3")],
                &[("per_page", "3"), ("page", "2")],
                &[("per_page", "3"), ("page", "3")],
                &[("per_page", "2"), ("page", "2")],
                &[("per_page", "3"), ("page", "7")],
                &[("per_page", "4"), ("page", "5")],
            ],
            Phase::ProbeReads => &[
                &[("per_page", "4"), ("page", "2")],
                &[("per_page", "2"), ("page", "4")],
                &[("per_page", "5"), ("page", "1")],
                &[("per_page", "2"), ("page", "9")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("per_page", "3")], &[("per_page", "3"), ("page", "2")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
