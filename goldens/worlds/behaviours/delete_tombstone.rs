//! A delete answers that it deleted, and what.

use super::*;

/// A delete answers that it deleted, and what.
pub struct DeleteTombstone;

impl Behaviour for DeleteTombstone {
    fn name(&self) -> &'static str {
        "delete_tombstone"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["delete"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.delete = WriteAnswer::Tombstone;
        }
    }
}
