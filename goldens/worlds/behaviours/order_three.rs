//! By three keys.

use super::*;

/// By three keys.
pub struct OrderThree;

impl Behaviour for OrderThree {
    fn name(&self) -> &'static str {
        "order_three"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].order = vec![OrderKey::by("status"), OrderKey::by("author"), OrderKey::down("pages")];
    }
}
