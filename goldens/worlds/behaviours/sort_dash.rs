//! An order by a member, descending with a minus before it.

use super::*;

/// An order by a member, descending with a minus before it.
pub struct SortDash;

impl Behaviour for SortDash {
    fn name(&self) -> &'static str {
        "sort_dash"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["sort"]
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let asked = listing.parameter("ordering").filter(|_| listing.of == BOOK)?;
        Some(vec![match asked.strip_prefix('-') {
            Some(member) => OrderKey::down(member),
            None => OrderKey::by(asked),
        }])
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => {
                &[&[("ordering", "name")], &[("ordering", "-name")], &[("ordering", "pages")], &[("ordering", "-id")]]
            }
            Phase::ProbeReads => &[
                &[("ordering", "-pages")],
                &[("ordering", "id")],
                &[("ordering", "author")],
                &[("ordering", "-author")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("ordering", "name")], &[("ordering", "-name")]],
        };
        let path = recorder.main_list(BOOK);
        // A probe's world is seeded anew: ids made at random come in another order there, which no recording tells.
        let random = matches!(recorder.world.spec.types[BOOK].id, IdKind::Uuid | IdKind::Hex | IdKind::Token);
        let anew = random && phase == Phase::ProbeReads;
        for query in queries.iter().filter(|query| !anew || query[0].1 != "id") {
            recorder.query(&path, query);
        }
    }
}
