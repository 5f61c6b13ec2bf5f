//! Ids are 16 letters and digits.

use super::*;

/// Ids are 16 letters and digits.
pub struct IdToken;

impl Behaviour for IdToken {
    fn name(&self) -> &'static str {
        "id_token"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.id = IdKind::Token;
        }
    }
}
