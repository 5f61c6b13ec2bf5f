//! Ids are 24 hex digits.

use super::*;

/// Ids are 24 hex digits.
pub struct IdHex;

impl Behaviour for IdHex {
    fn name(&self) -> &'static str {
        "id_hex"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.id = IdKind::Hex;
        }
    }
}
