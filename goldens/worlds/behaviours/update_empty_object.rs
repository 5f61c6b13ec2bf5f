//! Updates and deletes answer an empty object.

use super::*;

/// Updates and deletes answer an empty object.
pub struct UpdateEmptyObject;

impl Behaviour for UpdateEmptyObject {
    fn name(&self) -> &'static str {
        "update_empty_object"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["update", "delete"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.update = WriteAnswer::EmptyObject;
            held.writes.delete = WriteAnswer::EmptyObject;
        }
    }
}
