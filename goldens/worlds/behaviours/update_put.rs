//! An update sends the whole entity by PUT.

use super::*;

/// An update sends the whole entity by PUT.
pub struct UpdatePut;

impl Behaviour for UpdatePut {
    fn name(&self) -> &'static str {
        "update_put"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["update_method"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.update_method = "PUT";
        }
    }
}
