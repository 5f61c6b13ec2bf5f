//! A list is the one member of an object.

use super::*;

/// A list is the one member of an object.
pub struct ListOneKey;

impl Behaviour for ListOneKey {
    fn name(&self) -> &'static str {
        "list_one_key"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["list"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.list = ListEnvelope::OneKey;
        }
    }
}
