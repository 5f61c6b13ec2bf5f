//! A create answers the new id alone.

use super::*;

/// A create answers the new id alone.
pub struct CreateIdOnly;

impl Behaviour for CreateIdOnly {
    fn name(&self) -> &'static str {
        "create_id_only"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["create"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.create = WriteAnswer::IdOnly;
        }
    }
}
