//! Errors are plain text under a JSON type.

use super::*;

/// Errors are plain text under a JSON type.
pub struct ErrorText;

impl Behaviour for ErrorText {
    fn name(&self) -> &'static str {
        "error_text"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["errors"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.errors = Errors::Text;
    }
}
