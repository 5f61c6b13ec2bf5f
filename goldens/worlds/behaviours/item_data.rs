//! An item is under `data`.

use super::*;

/// An item is under `data`.
pub struct ItemData;

impl Behaviour for ItemData {
    fn name(&self) -> &'static str {
        "item_data"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["item"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.item = ItemEnvelope::Data;
        }
    }
}
