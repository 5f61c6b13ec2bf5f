//! An item is the one member of an object.

use super::*;

/// An item is the one member of an object.
pub struct ItemOneKey;

impl Behaviour for ItemOneKey {
    fn name(&self) -> &'static str {
        "item_one_key"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["item"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.item = ItemEnvelope::OneKey;
        }
    }
}
