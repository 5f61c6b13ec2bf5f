//! A create answers 200 with the entity.

use super::*;

/// A create answers 200 with the entity.
pub struct CreateOk;

impl Behaviour for CreateOk {
    fn name(&self) -> &'static str {
        "create_ok"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["create"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.create_status = 200;
        }
    }
}
