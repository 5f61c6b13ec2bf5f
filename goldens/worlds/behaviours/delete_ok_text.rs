//! A delete answers `"OK"`.

use super::*;

/// A delete answers `"OK"`.
pub struct DeleteOkText;

impl Behaviour for DeleteOkText {
    fn name(&self) -> &'static str {
        "delete_ok_text"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["delete"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.delete = WriteAnswer::Ok;
        }
    }
}
