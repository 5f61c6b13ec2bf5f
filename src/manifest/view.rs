//! `inspect-analysis-view`: the request document, its sources, and the Evidence of a view.

use super::{Manifest, ManifestError, TemplateRule};
use crate::capture::Capture;
use crate::evidence::Evidence;
use std::path::Path;
use std::sync::Arc;

/// Answers a view request: inline JSON text, or the path of a file that holds it.
///
/// # Errors
/// As `evidence.md` 4.
pub fn inspect_view(request: &str, base: &Path) -> Result<Evidence, ManifestError> {
    todo!("{request} {base:?}")
}

/// The manifest Evidence of a capture.
///
/// # Errors
/// As [`super::project_manifest`].
pub fn manifest_evidence(capture: &Capture, rules: &[TemplateRule]) -> Result<Evidence, ManifestError> {
    todo!("{} {rules:?}", capture.records.len())
}

/// Reads a manifest back from authenticated Evidence.
///
/// # Errors
/// Evidence of another operation or view kind, or a result that is not of its shape (with the pointer).
pub fn manifest_from_evidence(evidence: Arc<Evidence>) -> Result<Manifest, ManifestError> {
    todo!("{}", evidence.evidence_id)
}
