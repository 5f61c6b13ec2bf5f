//! Books are listed for one shelf at a time: without it the list is refused.

use super::*;

/// Books are listed for one shelf at a time: without it the list is refused.
pub struct PartitionRequired;

impl Behaviour for PartitionRequired {
    fn name(&self) -> &'static str {
        "partition_required"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter_parent", "routes", "plain_paths", "paging"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        match listing.parameter("shelf").map(str::to_string) {
            Some(shelf) => listing.retain(world, |book| book.parent.as_deref() == Some(shelf.as_str())),
            None => listing.refused = Some(Response::json(400, &obj! { "message" => "shelf is needed" })),
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        // What is in a shelf is only known where its list was read: the capture reads all of them.
        let range: &[usize] = match phase {
            Phase::Reads | Phase::Writes => &[0, 1, 2, 3],
            Phase::ProbeReads => &[1, 0, 3],
            Phase::ProbeCrud => return,
        };
        let path = recorder.main_list(BOOK);
        let shelves = recorder.world.keys(SHELF);
        for (_, key) in range.iter().filter_map(|at| shelves.get(*at)) {
            recorder.query(&path, &[("shelf", key)]);
        }
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        let held = (of == BOOK).then(|| recorder.world.find(BOOK, None, key)).flatten();
        if let Some(shelf) = held.and_then(|at| recorder.world.entities[BOOK][at].parent.clone()) {
            let path = recorder.main_list(BOOK);
            recorder.query(&path, &[("shelf", &shelf)]);
        }
    }
}
