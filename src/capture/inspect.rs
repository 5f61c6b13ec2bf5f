//! `inspect-web-network-capture`: HAR bytes to sealed capture Evidence.

use super::CaptureError;
use crate::evidence::Evidence;
use std::path::Path;

/// What an inspection is asked.
#[derive(Clone, Debug, Default)]
pub struct InspectOptions {
    /// Ordinals to keep, in output order; empty keeps all.
    pub record_ordinals: Vec<usize>,
    /// Literal values to remove.
    pub sensitive_values: Vec<String>,
    /// Milliseconds the inspection may take; `None` is the default.
    pub timeout_ms: Option<u64>,
    /// The path written into the Evidence instead of the given one (`--capture-label`), so that Evidence needs no
    /// machine path.
    pub label: Option<String>,
}

/// Reads and inspects a HAR file.
///
/// # Errors
/// Every refusal of `evidence.md` 3.8, as loosened by `decisions.md` 2.
pub fn inspect_har(path: &Path, options: &InspectOptions) -> Result<Evidence, CaptureError> {
    todo!("{path:?} {options:?}")
}

/// Inspects HAR bytes that were already read; `sha256` is their digest, `path` what the Evidence records.
///
/// # Errors
/// As [`inspect_har`], without the file's own.
pub fn inspect_har_bytes(
    bytes: Vec<u8>,
    sha256: &str,
    path: &str,
    options: &InspectOptions,
) -> Result<Evidence, CaptureError> {
    todo!("{} {sha256} {path} {options:?}", bytes.len())
}
