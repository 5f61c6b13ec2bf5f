//! One sequence of numbers for all types: an id is never used twice anywhere.

use super::*;

/// One sequence of numbers for all types: an id is never used twice anywhere.
pub struct IdSequenceShared;

impl Behaviour for IdSequenceShared {
    fn name(&self) -> &'static str {
        "id_sequence_shared"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.id = IdKind::SharedSequence;
        }
    }
}
