//! By three keys.

use super::*;

/// By three keys.
pub struct OrderThree;

impl Behaviour for OrderThree {
    fn name(&self) -> &'static str {
        "order_three"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].order = vec![OrderKey::by("status"), OrderKey::by("author"), OrderKey::down("pages")];
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if phase != Phase::Writes {
            return;
        }
        // Books that only the third key tells apart, in no order of their names or of their making.
        let shelf = recorder.world.keys(SHELF).first().map(|(_, key)| key.clone());
        for pages in [300_usize, 700, 500] {
            let mut body = recorder.draft(BOOK, shelf.as_deref());
            body.set("status", "draft");
            body.set("author", "Chen");
            body.set("pages", pages);
            recorder.create(BOOK, shelf.as_deref(), body);
        }
    }
}
