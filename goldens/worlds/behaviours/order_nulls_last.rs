//! By a member that may be null; nulls last.

use super::*;

/// By a member that may be null; nulls last.
pub struct OrderNullsLast;

impl Behaviour for OrderNullsLast {
    fn name(&self) -> &'static str {
        "order_nulls_last"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].order = vec![OrderKey::by("note"), OrderKey::down("id")];
    }
}
