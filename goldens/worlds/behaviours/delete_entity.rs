//! A delete answers the entity that was.

use super::*;

/// A delete answers the entity that was.
pub struct DeleteEntity;

impl Behaviour for DeleteEntity {
    fn name(&self) -> &'static str {
        "delete_entity"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["delete"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.delete = WriteAnswer::Entity;
        }
    }
}
