//! A create answers 201 without a body; the list shows what it made.

use super::*;

/// A create answers 201 without a body; the list shows what it made.
pub struct CreateNoBody;

impl Behaviour for CreateNoBody {
    fn name(&self) -> &'static str {
        "create_no_body"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["create"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.create = WriteAnswer::NoContent;
        }
    }
}
