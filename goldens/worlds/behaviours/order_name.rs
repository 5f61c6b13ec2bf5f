//! By name: a new book lands in the middle and a rename moves it.

use super::*;

/// By name: a new book lands in the middle and a rename moves it.
pub struct OrderName;

impl Behaviour for OrderName {
    fn name(&self) -> &'static str {
        "order_name"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].order = vec![OrderKey::by("name")];
    }
}
