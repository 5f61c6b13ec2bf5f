//! Ids are UUIDs: other ones in every run.

use super::*;

/// Ids are UUIDs: other ones in every run.
pub struct IdUuid;

impl Behaviour for IdUuid {
    fn name(&self) -> &'static str {
        "id_uuid"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.id = IdKind::Uuid;
        }
    }
}
