//! Errors are pages of HTML.

use super::*;

/// Errors are pages of HTML.
pub struct ErrorHtml;

impl Behaviour for ErrorHtml {
    fn name(&self) -> &'static str {
        "error_html"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["errors"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.errors = Errors::Html;
    }
}
