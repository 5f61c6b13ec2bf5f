//! An item is an array of one in the list's envelope, in both directions.

use super::*;

/// An item is an array of one in the list's envelope, in both directions.
pub struct ItemOneElement;

impl Behaviour for ItemOneElement {
    fn name(&self) -> &'static str {
        "item_one_element"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["item", "list", "forms"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.item = ItemEnvelope::OneElement;
            held.list = ListEnvelope::OneKey;
        }
    }
}
