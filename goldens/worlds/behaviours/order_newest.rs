//! Newest first.

use super::*;

/// Newest first.
pub struct OrderNewest;

impl Behaviour for OrderNewest {
    fn name(&self) -> &'static str {
        "order_newest"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].order = vec![OrderKey::down("@serial")];
    }
}
