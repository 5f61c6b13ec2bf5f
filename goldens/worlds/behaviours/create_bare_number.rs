//! A create answers the bare id.

use super::*;

/// A create answers the bare id.
pub struct CreateBareNumber;

impl Behaviour for CreateBareNumber {
    fn name(&self) -> &'static str {
        "create_bare_number"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["create"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.create = WriteAnswer::BareId;
        }
    }
}
