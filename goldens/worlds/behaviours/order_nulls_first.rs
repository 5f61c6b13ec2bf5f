//! By a member that may be null; nulls first.

use super::*;

/// By a member that may be null; nulls first.
pub struct OrderNullsFirst;

impl Behaviour for OrderNullsFirst {
    fn name(&self) -> &'static str {
        "order_nulls_first"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].order = vec![OrderKey { nulls_first: true, ..OrderKey::by("note") }, OrderKey::by("id")];
    }
}
