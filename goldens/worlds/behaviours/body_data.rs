//! Bodies and items are under `data`.

use super::*;

/// Bodies and items are under `data`.
pub struct BodyData;

impl Behaviour for BodyData {
    fn name(&self) -> &'static str {
        "body_data"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["item", "forms"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.item = ItemEnvelope::Data;
            held.writes.wrapped = true;
        }
    }
}
