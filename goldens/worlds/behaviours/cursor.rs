//! Pages by a cursor that encodes an offset and stands in the answer before.

use super::*;

/// Pages by a cursor that encodes an offset and stands in the answer before.
pub struct Cursor;

impl Behaviour for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Cursor("page_token", "next_page_token"),
            size: "max_results",
            default_size: None,
            past_end: PastEnd::Empty,
            links: false,
        });
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let sizes: &[&str] = match phase {
            Phase::Reads => &["3", "2", "4"],
            Phase::ProbeReads => &["5", "1"],
            _ => return,
        };
        let path = recorder.main_list(BOOK);
        for size in sizes {
            let mut answer = recorder.query(&path, &[("max_results", size)]).value();
            for _ in 0..3 {
                let token = answer.as_ref().and_then(|body| body.get("next_page_token")).map(Json::text);
                let Some(token) = token else { break };
                answer = recorder.query(&path, &[("max_results", size), ("page_token", &token)]).value();
            }
        }
    }
}
