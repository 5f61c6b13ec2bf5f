//! The whole list narrowed to one shelf by a query value.

use super::*;

/// The whole list narrowed to one shelf by a query value.
pub struct FilterParent;

impl Behaviour for FilterParent {
    fn name(&self) -> &'static str {
        "filter_parent"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter_parent"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of == BOOK
            && let Some(shelf) = listing.parameter("shelf_id").map(str::to_string)
        {
            listing.retain(world, |book| book.parent.as_deref() == Some(shelf.as_str()));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Reads => 0..2,
            Phase::ProbeReads => 1..4,
            _ => return,
        };
        let path = recorder.main_list(BOOK);
        for (_, key) in recorder.world.keys(SHELF).into_iter().skip(range.start).take(range.len()) {
            recorder.query(&path, &[("shelf_id", &key)]);
        }
    }
}
