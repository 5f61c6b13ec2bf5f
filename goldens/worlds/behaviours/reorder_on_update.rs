//! Last changed first: an edit moves a book to the front.

use super::*;

/// Last changed first: an edit moves a book to the front.
pub struct ReorderOnUpdate;

impl Behaviour for ReorderOnUpdate {
    fn name(&self) -> &'static str {
        "reorder_on_update"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order", "clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].order = vec![OrderKey::down("@updated")];
        spec.types[BOOK].clocks = created_and_updated(ClockFormat::Millis);
    }
}
