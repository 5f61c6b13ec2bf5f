//! The projection: a capture's request lines into tools.

use super::{Manifest, ManifestError, TemplateRule};
use crate::capture::Capture;

/// Projects the manifest of a capture: scope, templates, names, shapes, seals its Evidence.
///
/// # Errors
/// A capture with sensitive values, without a JSON-like answer on any origin, or of a browser scenario without media
/// types.
pub fn project_manifest(capture: &Capture, rules: &[TemplateRule]) -> Result<Manifest, ManifestError> {
    todo!("{} {rules:?}", capture.records.len())
}
