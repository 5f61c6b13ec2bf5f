//! `inspect-web-network-capture`: HAR bytes to sealed capture Evidence (`evidence.md` 3.4 and 3.7). Puts together what
//! reading, the search for oddities and redaction give; knows nothing of how records are used.

use super::budget::Budget;
use super::har::{self, ENTRIES, Entry, Har};
use super::limits::{
    CAPTURE_MEMORY_FACTOR, DEFAULT_CAPTURE_TIMEOUT_MS, MAX_ALLOWED_NESTING, MAX_CAPTURE_BYTES, MAX_CAPTURE_NESTING,
    MAX_RESULT_BYTES,
};
use super::notes::NoteWriter;
use super::redact::{self, Redacted};
use super::sensitive::Sensitive;
use super::tolerance::{Oddities, Tolerance, ToleranceCounts};
use super::{CaptureError, error, oddities};
use crate::evidence::{Authority, Confidence, Evidence, Location, Provider, Subject, read_stable};
use crate::json::{Object, Sink, Value, write_compact};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    /// Bytes of the largest capture file that is read; `None` is [`MAX_CAPTURE_BYTES`].
    pub max_bytes: Option<u64>,
    /// Levels of the deepest nesting that is read; `None` is [`super::MAX_CAPTURE_NESTING`]. Never more than
    /// [`MAX_ALLOWED_NESTING`].
    pub max_nesting: Option<usize>,
    /// Bytes of the largest serialised result; `None` is [`MAX_RESULT_BYTES`].
    pub max_result_bytes: Option<u64>,
    /// Raised by somebody who wants the inspection to stop, such as a signal handler.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// Identifier of the reader of HAR documents.
const READER_ID: &str = "rea-har-reader";
/// Its name for people.
const READER_NAME: &str = "REA HAR reader";
/// Version of what it writes, which changes only when its output does; not the program's.
const READER_VERSION: &str = "1";

/// What no inspection of a HAR establishes.
const LIMITATIONS: [&str; 4] = [
    "The capture is a recording made earlier: it does not say how the application behaves now or to another caller.",
    "What made each request (a page, a script, a person) is not known from a HAR.",
    "Body texts were decoded by the producer of the capture; the bytes on the wire are known only for base64 bodies.",
    "Values of credential headers and cookies and the userinfo of URLs were removed; other secrets, in bodies, queries or \
     other headers, were not looked for.",
];
/// What is said of each record that holds body texts.
const RECORD_LIMITATION: &str = "Body texts are as the producer decoded them; their original bytes are unknown.";
/// The first limitation of Evidence without a subject.
const NO_SUBJECT: &str = "The capture file's identity was removed on request, so the Evidence names no subject.";

/// Reads and inspects a HAR file.
///
/// # Errors
/// Every refusal of `evidence.md` 3.8, as loosened by `decisions.md` 2.
pub fn inspect_har(path: &Path, options: &InspectOptions) -> Result<Evidence, CaptureError> {
    let sensitive = Sensitive::new(&options.sensitive_values);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    read_stable(path, options.max_bytes.unwrap_or(MAX_CAPTURE_BYTES), CAPTURE_MEMORY_FACTOR)
        .map_err(CaptureError::from)
        .and_then(|file| inspect(file.bytes, &file.sha256, &absolute.to_string_lossy(), options, &sensitive))
        .map_err(|error| error.filtered(&sensitive))
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
    let sensitive = Sensitive::new(&options.sensitive_values);
    inspect(bytes, sha256, path, options, &sensitive).map_err(|error| error.filtered(&sensitive))
}

fn inspect(
    bytes: Vec<u8>,
    sha256: &str,
    path: &str,
    options: &InspectOptions,
    sensitive: &Sensitive,
) -> Result<Evidence, CaptureError> {
    let mut budget = Budget::start(options.timeout_ms.unwrap_or(DEFAULT_CAPTURE_TIMEOUT_MS), options.cancel.clone());
    budget.max_result_bytes = options.max_result_bytes.unwrap_or(MAX_RESULT_BYTES);
    let max_nesting = options.max_nesting.unwrap_or(MAX_CAPTURE_NESTING).min(MAX_ALLOWED_NESTING);
    budget.check()?;
    let file_bytes = bytes.len() as u64;
    let har = har::read(bytes, path, max_nesting)?;
    budget.check()?;
    let path = options.label.as_deref().unwrap_or(path);
    let names = Names {
        path: if sensitive.matches(path) { "" } else { path },
        sha256: (!sensitive.matches(sha256)).then_some(sha256),
        bytes: file_bytes,
    };
    let inspected = records(har, sensitive, &mut budget)?;
    let ordinals = select(&options.record_ordinals, inspected.records.len())?;
    let evidence = envelope(inspected, &ordinals, options, &names);
    check_result(&evidence.normalized_result, file_bytes, &budget)?;
    let evidence = evidence.seal();
    budget.check()?;
    Ok(evidence)
}

/// What the Evidence calls the file.
struct Names<'a> {
    /// Empty when it was removed.
    path: &'a str,
    sha256: Option<&'a str>,
    bytes: u64,
}

/// A capture after redaction, before a selection.
struct Inspected {
    container: Redacted,
    records_pointer: Value,
    records: Vec<Value>,
    tolerances: ToleranceCounts,
}

/// Every record, redacted and with its notes.
fn records(har: Har, sensitive: &Sensitive, budget: &mut Budget) -> Result<Inspected, CaptureError> {
    let mut tolerances = ToleranceCounts::default();
    for kind in &har.oddities {
        tolerances.add(*kind);
    }
    // A name that leads to the entries is sensitive: nothing below it may be kept.
    let names_hidden = ["log", "entries"].iter().any(|name| sensitive.matches(name));
    let container = redact::redact_container(har.container, sensitive, budget)?;
    let records_pointer = if sensitive.matches(ENTRIES) { Value::Null } else { ENTRIES.into() };
    let mut writer = NoteWriter::new();
    let record_limitation = Value::from(RECORD_LIMITATION).into_shared();
    let mut records = Vec::with_capacity(har.entries.len());
    for (ordinal, entry) in har.entries.into_iter().enumerate() {
        budget.check()?;
        let mut odd = Oddities::default();
        let redacted = if names_hidden { Redacted::default() } else { record(entry, sensitive, &mut odd, budget)? };
        for kind in odd.kinds() {
            tolerances.add(kind);
        }
        let mut limitations = vec![record_limitation.clone()];
        for line in odd.limitations(sensitive) {
            budget.charge(line.len() + 3)?;
            limitations.push(line.into());
        }
        budget.charge(RECORD_LIMITATION.len() + 240)?;
        records.push(writer.record(ordinal, location(ordinal, names_hidden, sensitive), redacted, limitations));
    }
    Ok(Inspected { container, records_pointer, records, tolerances })
}

fn record(
    entry: Entry,
    sensitive: &Sensitive,
    odd: &mut Oddities,
    budget: &mut Budget,
) -> Result<Redacted, CaptureError> {
    if !entry.duplicates.is_empty() {
        for pointer in entry.duplicates {
            odd.note(Tolerance::DuplicateMembers, pointer);
        }
        return Ok(Redacted::default());
    }
    let Some(object) = entry.value.as_object() else {
        odd.note(Tolerance::UnreadableEntry, "/");
        return Ok(Redacted::default());
    };
    oddities::find(object, odd);
    redact::redact_entry(entry.value, sensitive, odd, budget)
}

/// Pointer of an entry; `None` when it may not be named.
fn location(ordinal: usize, hidden: bool, sensitive: &Sensitive) -> Option<String> {
    let pointer = format!("{ENTRIES}/{ordinal}");
    (!hidden && !sensitive.matches(&pointer)).then_some(pointer)
}

/// The ordinals to keep, in output order.
fn select(asked: &[usize], records: usize) -> Result<Vec<usize>, CaptureError> {
    if asked.is_empty() {
        return Ok((0..records).collect());
    }
    let mut seen = std::collections::BTreeSet::new();
    for ordinal in asked {
        if *ordinal >= records {
            return Err(CaptureError::NoSuchRecord { ordinal: *ordinal, records });
        }
        if !seen.insert(*ordinal) {
            return Err(CaptureError::RepeatedRecord { ordinal: *ordinal });
        }
    }
    Ok(asked.to_vec())
}

fn envelope(inspected: Inspected, ordinals: &[usize], options: &InspectOptions, names: &Names<'_>) -> Evidence {
    let Inspected { container, records_pointer, mut records, tolerances } = inspected;
    let total = records.len();
    if !options.record_ordinals.is_empty() {
        records = ordinals.iter().filter_map(|ordinal| records.get_mut(*ordinal).map(std::mem::take)).collect();
    }
    let limitations: Vec<String> =
        LIMITATIONS.iter().map(|line| (*line).to_owned()).chain(tolerances.limitations()).collect();
    let decoder = Object::new().with("id", READER_ID).with("name", READER_NAME).with("version", READER_VERSION);
    let normalized_result: Value = Object::new()
        .with(
            "artifact",
            Object::new().with("path", names.path).with("sha256", names.sha256).with("bytes", names.bytes),
        )
        .with("format", "har")
        .with("decoder", decoder)
        .with("container", NoteWriter::new().container(container, records_pointer))
        .with("total_records", total)
        .with("records", records)
        .with("runtime_attribution", "unknown")
        .with("limitations", limitations.iter().map(Value::from).collect::<Value>())
        .into();
    let subject = names.sha256.map(|sha256| Subject::of_file(names.path, sha256));
    let no_subject = subject.is_none().then(|| NO_SUBJECT.to_owned());
    let locations = match names.path {
        "" => Vec::new(),
        path => vec![Location::ArtifactPath { path: path.to_owned() }],
    };
    Evidence {
        evidence_id: String::new(),
        subject,
        provider: Provider {
            id: READER_ID.to_owned(),
            name: READER_NAME.to_owned(),
            version: Some(READER_VERSION.to_owned()),
        },
        analysis_profile: None,
        predicate_type: "rea.analysis".to_owned(),
        operation: error::INSPECT.to_owned(),
        parameters: Object::new()
            .with("capture_path", names.path)
            .with("format", "har")
            .with("record_ordinals", ordinals.iter().map(|ordinal| Value::from(*ordinal)).collect::<Value>())
            .with("sensitive_value_count", options.sensitive_values.len()),
        raw_result: Value::Null,
        normalized_result,
        confidence: Confidence::Observed,
        authority: Authority::HistoricalReference,
        environment: None,
        limitations: no_subject.into_iter().chain(limitations).collect(),
        locations,
        evidence_links: Vec::new(),
    }
}

/// Bytes: more than a result takes beside its records and its container (names, limitations, a path).
const FIXED_BYTES: u64 = 64 * 1024;

/// Counts bytes.
struct Counter(u64);

impl Sink for Counter {
    fn put(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }
}

/// Refuses a result over the limit. The capture's own members print no longer than they were written, so the text is
/// only counted when the file and the notes together could be over it.
fn check_result(result: &Value, file_bytes: u64, budget: &Budget) -> Result<(), CaptureError> {
    budget.check()?;
    if file_bytes + budget.charged() + FIXED_BYTES <= budget.max_result_bytes {
        return Ok(());
    }
    let mut counter = Counter(0);
    write_compact(result, &mut counter);
    if counter.0 > budget.max_result_bytes {
        return Err(CaptureError::ResultTooLarge { limit: budget.max_result_bytes });
    }
    Ok(())
}
