//! An update answers the bare id.

use super::*;

/// An update answers the bare id.
pub struct UpdateBareId;

impl Behaviour for UpdateBareId {
    fn name(&self) -> &'static str {
        "update_bare_id"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["update"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.update = WriteAnswer::BareId;
        }
    }
}
