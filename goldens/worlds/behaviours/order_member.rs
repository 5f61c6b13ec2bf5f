//! By a member, descending, then by id.

use super::*;

/// By a member, descending, then by id.
pub struct OrderMember;

impl Behaviour for OrderMember {
    fn name(&self) -> &'static str {
        "order_member"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].order = vec![OrderKey::down("author"), OrderKey::by("id")];
    }
}
