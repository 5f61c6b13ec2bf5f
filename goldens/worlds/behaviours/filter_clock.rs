//! Parameters that compare a clock.

use super::*;

/// Parameters that compare a clock.
pub struct FilterClock;

impl Behaviour for FilterClock {
    fn name(&self) -> &'static str {
        "filter_clock"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter", "clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(Field { name: "bought", kind: FieldKind::Text, default: Json::Null });
    }

    fn draft(&self, _world: &World, of: usize, at: usize, body: &mut Json) {
        if of == BOOK {
            body.set("bought", format!("2025-{:02}-{:02}", 1 + at * 5 % 12, 1 + at * 7 % 28));
        }
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(day) = listing.parameter("after").map(str::to_string) {
            listing.retain(world, |book| book.member("bought").text() > day);
        }
        if let Some(day) = listing.parameter("before").map(str::to_string) {
            listing.retain(world, |book| book.member("bought").text() < day);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("after", "2025-05-01")],
                &[("after", "2025-08-15")],
                &[("before", "2025-05-01")],
                &[("before", "2025-10-01")],
            ],
            Phase::ProbeReads => &[
                &[("after", "2025-03-20")],
                &[("before", "2025-07-04")],
                &[("after", "2025-02-01"), ("before", "2025-09-30")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("after", "2025-05-01")], &[("after", "2025-08-15")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
