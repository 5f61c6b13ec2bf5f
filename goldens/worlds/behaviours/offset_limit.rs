//! Offset and limit, a count, and links to the next and the previous page.

use super::*;

/// Offset and limit, a count, and links to the next and the previous page.
pub struct OffsetLimit;

impl Behaviour for OffsetLimit {
    fn name(&self) -> &'static str {
        "offset_limit"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::Counted;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Offset("offset"),
            size: "limit",
            default_size: Some(50),
            past_end: PastEnd::Empty,
            links: true,
        });
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("limit", "3")],
                &[("limit", "3"), ("offset", "3")],
                &[("limit", "3"), ("offset", "6")],
                &[("limit", "2"), ("offset", "4")],
                &[("offset", "5")],
                &[("limit", "4")],
                &[("limit", "3"), ("offset", "30")],
            ],
            Phase::ProbeReads => &[
                &[("limit", "4"), ("offset", "4")],
                &[("limit", "2"), ("offset", "2")],
                &[("limit", "5")],
                &[("limit", "5"), ("offset", "5")],
                &[("limit", "2"), ("offset", "40")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("limit", "3")], &[("limit", "3"), ("offset", "3")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
