//! A capture ready for use: its Evidence and its records, from a `.har`, a capture Evidence file, or Evidence in memory.

use super::limits::EVIDENCE_MEMORY_FACTOR;
use super::sensitive::Sensitive;
use super::{CaptureError, InspectOptions, Record, error, inspect_har, reading, scenario, suffix};
use crate::evidence::{Evidence, MAX_EVIDENCE_BYTES, authenticate, read_stable};
use crate::json::Value;
use std::io::Read as _;
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
    /// Whether the paths of its records are read without the format that they end in.
    pub drops_format: bool,
}

impl Capture {
    /// Another recording of the application of `other`, its paths read as those are: one that is short may not show by
    /// itself whether they end in the format.
    ///
    /// # Errors
    /// As [`capture_from_evidence`].
    pub fn read_as(&self, other: &Self) -> Result<Self, CaptureError> {
        if self.drops_format == other.drops_format {
            return Ok(self.clone());
        }
        let mut records = records_of(&self.evidence)?;
        if other.drops_format {
            suffix::drop_format(&mut records);
        }
        Ok(Self { records: records.into(), drops_format: other.drops_format, ..self.clone() })
    }
}

/// What the start of a file promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    Har,
    Evidence,
    Nothing,
}

/// Bytes of a file that are looked at to tell a HAR from Evidence: white space and one member name.
const SNIFFED_BYTES: u64 = 4096;

/// Reads a capture from a `.har` (inspected with `options`) or from capture Evidence JSON; the content decides, and a HAR
/// named `.json` is refused with the hint to name it `.har`.
///
/// # Errors
/// As inspection and authentication, and Evidence of another operation or capture format.
pub fn load_capture(path: &Path, options: &InspectOptions) -> Result<Capture, CaptureError> {
    let sensitive = Sensitive::new(&options.sensitive_values);
    load(path, options, false).map(|(capture, _)| capture).map_err(|error| error.filtered(&sensitive))
}

/// As [`load_capture`], with the bytes of an Evidence file: what was authenticated is what is copied. `None` for a HAR.
///
/// # Errors
/// As [`load_capture`].
pub fn load_capture_with_bytes(
    path: &Path,
    options: &InspectOptions,
) -> Result<(Capture, Option<Vec<u8>>), CaptureError> {
    let sensitive = Sensitive::new(&options.sensitive_values);
    load(path, options, true).map_err(|error| error.filtered(&sensitive))
}

fn load(path: &Path, options: &InspectOptions, keep: bool) -> Result<(Capture, Option<Vec<u8>>), CaptureError> {
    let named_har = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("har"));
    match (named_har, promise(path)) {
        (true, Promise::Har | Promise::Nothing) => {
            let evidence = Arc::new(inspect_har(path, options)?);
            let mut capture = capture_from_evidence(evidence)?;
            capture.input = CaptureInput::Har;
            Ok((capture, None))
        }
        (false, Promise::Har) => Err(CaptureError::HarNamedOtherwise { path: path.display().to_string() }),
        (true, Promise::Evidence) | (false, _) => load_evidence(path, keep),
    }
}

fn load_evidence(path: &Path, keep: bool) -> Result<(Capture, Option<Vec<u8>>), CaptureError> {
    let file = read_stable(path, MAX_EVIDENCE_BYTES, EVIDENCE_MEMORY_FACTOR)?;
    let evidence = match authenticate(&file.bytes) {
        Ok(evidence) => evidence,
        Err(error) => {
            let path = path.display().to_string();
            // A HAR whose first member is another one still deserves the hint.
            let har = crate::json::parse(&file.bytes)
                .is_ok_and(|document| crate::json::resolve(&document, super::har::ENTRIES).is_some());
            return Err(if har {
                CaptureError::HarNamedOtherwise { path }
            } else {
                CaptureError::NotEvidence { path, error }
            });
        }
    };
    let bytes = keep.then_some(file.bytes);
    Ok((capture_from_evidence(Arc::new(evidence))?, bytes))
}

/// The records of capture Evidence (`inspect_web_network_capture` with format `har`, or `capture_browser_scenario`).
///
/// # Errors
/// Evidence of another operation or format, or a result that is not of its shape (with the pointer).
pub fn capture_from_evidence(evidence: Arc<Evidence>) -> Result<Capture, CaptureError> {
    let mut records = records_of(&evidence)?;
    let drops_format = suffix::ends_in_format(&records);
    if drops_format {
        suffix::drop_format(&mut records);
    }
    Ok(Capture { evidence, records: records.into(), input: CaptureInput::Evidence, drops_format })
}

/// The records with their paths as they were recorded.
fn records_of(evidence: &Arc<Evidence>) -> Result<Vec<Record>, CaptureError> {
    Ok(match evidence.operation.as_str() {
        error::INSPECT => match evidence.normalized_result.get("format").and_then(Value::as_str) {
            Some("har") => reading::har_records(evidence)?,
            other => {
                return Err(CaptureError::OtherFormat {
                    evidence_id: evidence.evidence_id.clone(),
                    format: other.unwrap_or("nameless").to_owned(),
                });
            }
        },
        scenario::OPERATION => scenario::scenario_records(evidence)?,
        other => {
            return Err(CaptureError::OtherOperation {
                evidence_id: evidence.evidence_id.clone(),
                operation: other.to_owned(),
            });
        }
    })
}

/// What the first member name of a file promises. A file that cannot be read promises nothing; the read that follows says
/// why. Nothing of it is believed: whoever reads the file checks it.
fn promise(path: &Path) -> Promise {
    let regular = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    if !regular {
        return Promise::Nothing;
    }
    let mut start = Vec::new();
    let Ok(file) = std::fs::File::open(path) else { return Promise::Nothing };
    if file.take(SNIFFED_BYTES).read_to_end(&mut start).is_err() {
        return Promise::Nothing;
    }
    promise_of(&start)
}

fn promise_of(start: &[u8]) -> Promise {
    /// The members of an Evidence record.
    const EVIDENCE_MEMBERS: [&str; 15] = [
        "evidence_id",
        "subject",
        "provider",
        "analysis_profile",
        "predicate_type",
        "operation",
        "parameters",
        "raw_result",
        "normalized_result",
        "confidence",
        "authority",
        "environment",
        "limitations",
        "locations",
        "evidence_links",
    ];
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let Some(inside) = start.strip_prefix(b"{").map(<[u8]>::trim_ascii_start) else { return Promise::Nothing };
    let Some(inside) = inside.strip_prefix(b"\"") else { return Promise::Nothing };
    let end = inside.iter().position(|byte| *byte == b'"').unwrap_or(inside.len());
    match inside.get(..end).and_then(|name| std::str::from_utf8(name).ok()) {
        Some("log") => Promise::Har,
        Some(name) if EVIDENCE_MEMBERS.contains(&name) => Promise::Evidence,
        _ => Promise::Nothing,
    }
}
