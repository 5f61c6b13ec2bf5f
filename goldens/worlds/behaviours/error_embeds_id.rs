//! Errors name the id that was asked for.

use super::*;

/// Errors name the id that was asked for.
pub struct ErrorEmbedsId;

impl Behaviour for ErrorEmbedsId {
    fn name(&self) -> &'static str {
        "error_embeds_id"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["errors"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.errors = Errors::Embeds;
    }
}
