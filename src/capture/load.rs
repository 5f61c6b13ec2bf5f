//! A capture ready for use: its Evidence and its records, from a `.har`, a capture Evidence file, or Evidence in memory.

use super::{CaptureError, InspectOptions, Record};
use crate::evidence::Evidence;
use std::path::Path;
use std::sync::Arc;

/// Where a capture came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureInput {
    /// A HAR file, inspected now.
    Har,
    /// Capture Evidence.
    Evidence,
}

/// A capture: authenticated Evidence and its records.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The capture Evidence.
    pub evidence: Arc<Evidence>,
    /// Its records, in record order (ascending ordinals unless a selection said otherwise).
    pub records: Arc<[Record]>,
    /// What it was read from.
    pub input: CaptureInput,
}

/// Reads a capture from a `.har` (inspected with `options`) or from capture Evidence JSON; the content decides, and a HAR
/// named `.json` is refused with the hint to name it `.har`.
///
/// # Errors
/// As inspection and authentication, and Evidence of another operation or capture format.
pub fn load_capture(path: &Path, options: &InspectOptions) -> Result<Capture, CaptureError> {
    todo!("{path:?} {options:?}")
}

/// The records of capture Evidence (`inspect_web_network_capture` with format `har`, or `capture_browser_scenario`).
///
/// # Errors
/// Evidence of another operation or format, or a result that is not of its shape (with the pointer).
pub fn capture_from_evidence(evidence: Arc<Evidence>) -> Result<Capture, CaptureError> {
    todo!("{}", evidence.evidence_id)
}
