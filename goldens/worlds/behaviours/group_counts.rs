//! A document counts the books by their state.

use super::*;

/// A document counts the books by their state.
pub struct GroupCounts;

impl Behaviour for GroupCounts {
    fn name(&self) -> &'static str {
        "group_counts"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["statistics", "plain_paths", "shelf_delete", "delete_effect"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        if request.method != "GET" || request.path != format!("{}/statistics", world.spec.base) {
            return None;
        }
        let held =
            |status: &str| world.entities[BOOK].iter().filter(|book| book.member("status") == status.into()).count();
        let by_status = obj! { "open" => held("open"), "draft" => held("draft"), "closed" => held("closed") };
        let total = world.entities[BOOK].len();
        let shelves = world.entities[SHELF].len();
        Some(Response::json(
            200,
            &obj! { "books" => obj! { "total" => total, "by_status" => by_status }, "shelves" => shelves },
        ))
    }

    fn look(&self, recorder: &mut Recorder, _of: usize, _key: &str) {
        recorder.get(&format!("{}/statistics", recorder.world.spec.base));
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if matches!(phase, Phase::Reads | Phase::ProbeReads) {
            recorder.get(&format!("{}/statistics", recorder.world.spec.base));
        }
    }
}
