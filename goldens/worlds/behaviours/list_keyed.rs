//! A list is an object whose member names are the ids.

use super::*;

/// A list is an object whose member names are the ids.
pub struct ListKeyed;

impl Behaviour for ListKeyed {
    fn name(&self) -> &'static str {
        "list_keyed"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.list = ListEnvelope::Keyed;
        }
    }
}
