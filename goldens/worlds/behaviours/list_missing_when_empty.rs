//! An empty list is left out of its envelope.

use super::*;

/// An empty list is left out of its envelope.
pub struct ListMissingWhenEmpty;

impl Behaviour for ListMissingWhenEmpty {
    fn name(&self) -> &'static str {
        "list_missing_when_empty"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["list"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.list = ListEnvelope::MissingWhenEmpty;
        }
    }
}
