//! An update answers 204.

use super::*;

/// An update answers 204.
pub struct UpdateNoContent;

impl Behaviour for UpdateNoContent {
    fn name(&self) -> &'static str {
        "update_no_content"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["update"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.update = WriteAnswer::NoContent;
        }
    }
}
