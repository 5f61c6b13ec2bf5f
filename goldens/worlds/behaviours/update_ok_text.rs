//! An update answers `"OK"`.

use super::*;

/// An update answers `"OK"`.
pub struct UpdateOkText;

impl Behaviour for UpdateOkText {
    fn name(&self) -> &'static str {
        "update_ok_text"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["update"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.update = WriteAnswer::Ok;
        }
    }
}
