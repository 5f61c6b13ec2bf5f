//! A list with its count beside it.

use super::*;

/// A list with its count beside it.
pub struct ListCounted;

impl Behaviour for ListCounted {
    fn name(&self) -> &'static str {
        "list_counted"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["list"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.list = ListEnvelope::Counted;
        }
    }
}
