//! What a bundle is made from, read once: a capture, a manifest of it, and the bytes of both as the bundle ships them. The
//! bytes that are copied are the bytes that were authenticated.

use super::plan::Content;
use super::{BundleError, Control, Stage};
use crate::answer::{bundled_pair, load_manifest_with_bytes};
use crate::capture::{Capture, CaptureError, EVIDENCE_MEMORY_FACTOR, InspectOptions, load_capture_with_bytes};
use crate::evidence::{ErrorDocument, Evidence, memory_headroom};
use crate::manifest::{DEFAULT_BUILD_RULES, Manifest, TemplateRule, project_manifest};
use std::path::Path;
use std::sync::Arc;

/// A pair with its bytes.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) capture: Capture,
    pub(super) manifest: Manifest,
    pub(super) evidence_content: Content,
    pub(super) manifest_content: Content,
}

/// Reads what `environment-export` takes: a manifest with its capture, a capture alone, or a bundle folder.
///
/// # Errors
/// Every refusal of the files, under the stage of the export.
pub(super) fn of_export(
    path: &Path,
    evidence: Option<&Path>,
    options: &InspectOptions,
    control: &Control,
) -> Result<Source, BundleError> {
    let export = |document: ErrorDocument| BundleError::in_stage(Stage::Export, document);
    let bundled = match evidence {
        None if path.is_dir() => Some(bundled_pair(path).map_err(|error| export((&error).into()))?),
        _ => None,
    };
    let (manifest, evidence) = match (&bundled, evidence) {
        (Some((manifest, evidence)), _) => (manifest.as_path(), evidence.as_path()),
        (None, Some(evidence)) => (path, evidence),
        (None, None) => {
            let options = InspectOptions { cancel: Some(control.flag()), ..options.clone() };
            let (capture, bytes) = load_capture_with_bytes(path, &options)
                .map_err(|error| export(error.to_document(Stage::Export.operation(), "capture")))?;
            return of_capture(capture, bytes, &DEFAULT_BUILD_RULES, Stage::Export);
        }
    };
    // The manifest is the smaller file: what is wrong with it is said before a large capture is read.
    let (manifest, manifest_bytes) = load_manifest_with_bytes(manifest).map_err(|error| export((&error).into()))?;
    control.check()?;
    let (capture, bytes) = load_capture_with_bytes(evidence, options)
        .map_err(|error| export(error.to_document(Stage::Export.operation(), "evidence")))?;
    let evidence_content = content(&capture.evidence, bytes);
    Ok(Source { capture, manifest, evidence_content, manifest_content: manifest_bytes.into() })
}

/// Reads the capture of a build: inspects a HAR, or reads capture Evidence.
///
/// # Errors
/// Every refusal of the file, under the stage it belongs to.
pub(super) fn capture_of_build(
    path: &Path,
    options: &InspectOptions,
    control: &Control,
) -> Result<(Capture, Option<Vec<u8>>), BundleError> {
    let is_har = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("har"));
    let stage = if is_har { Stage::Inspect } else { Stage::Build };
    control.begin(stage)?;
    let options = InspectOptions { cancel: Some(control.flag()), ..options.clone() };
    load_capture_with_bytes(path, &options).map_err(|error| match error {
        CaptureError::Cancelled => BundleError::Cancelled { stage, left: None },
        // The manifest view refuses these in the same words.
        CaptureError::OtherOperation { .. } | CaptureError::OtherFormat { .. } => {
            BundleError::in_stage(Stage::View, error.to_document(Stage::View.operation(), "source"))
        }
        error => {
            let argument = if stage == Stage::Inspect { "capture_path" } else { "capture" };
            BundleError::in_stage(stage, error.to_document(stage.operation(), argument))
        }
    })
}

/// The pair of a capture, with its projected manifest.
///
/// # Errors
/// A capture that gives no manifest; Evidence that does not fit the memory that is free, under `stage`.
pub(super) fn of_capture(
    capture: Capture,
    bytes: Option<Vec<u8>>,
    rules: &[TemplateRule],
    stage: Stage,
) -> Result<Source, BundleError> {
    let projected = if stage == Stage::Build { Stage::View } else { stage };
    let manifest = project_manifest(&capture, rules)
        .map_err(|error| BundleError::in_stage(projected, ErrorDocument::from(&error)))?;
    let evidence_content = content(&capture.evidence, bytes);
    let manifest_content = Content::Evidence(Arc::clone(&manifest.evidence));
    for (what, content) in [("capture Evidence", &evidence_content), ("manifest Evidence", &manifest_content)] {
        // Evidence that was read from a file was checked before it was read.
        if matches!(content, Content::Evidence(_)) {
            check_headroom(what, content.bytes(), memory_headroom(), stage)?;
        }
    }
    Ok(Source { capture, manifest, evidence_content, manifest_content })
}

fn content(evidence: &Arc<Evidence>, bytes: Option<Vec<u8>>) -> Content {
    bytes.map_or_else(|| Content::Evidence(Arc::clone(evidence)), Content::from)
}

/// Checks that whoever reads the written Evidence in the memory that is free now can parse and seal it.
fn check_headroom(what: &'static str, bytes: u64, available: u64, stage: Stage) -> Result<(), BundleError> {
    let needed = bytes.saturating_mul(EVIDENCE_MEMORY_FACTOR);
    if needed > available {
        return Err(BundleError::Headroom { stage, what, bytes, needed, available });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_over_the_headroom_is_refused_before_it_is_written() {
        assert!(check_headroom("capture Evidence", 10, 60, Stage::Build).is_ok());
        let error = check_headroom("capture Evidence", 11, 60, Stage::Build).unwrap_err();
        let document = ErrorDocument::from(&error);
        assert_eq!(document.code.as_str(), "resource_constraint");
        assert_eq!(document.details.get("operation").and_then(|it| it.as_str()), Some("environment-build"));
    }
}
