//! Why a capture was refused. Each becomes the error document of `evidence.md` 3.8.

use super::sensitive::Sensitive;
use crate::evidence::{AuthenticationError, Code, ErrorDocument, FileError, Issue, IssueReason};
use crate::json::{MAX_DUPLICATE_BYTES, Object, SyntaxError, SyntaxProblem, Value};

/// The operation that inspection refusals name.
pub(super) const INSPECT: &str = "inspect_web_network_capture";

/// The failures of the capture stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no JSON document, or nested too deep.
    #[error("{path} is not a readable HAR: {error}")]
    NotJson {
        /// The file as the caller named it.
        path: String,
        /// What is wrong, and where.
        error: SyntaxError,
    },
    /// The document is JSON and no HAR.
    #[error("{path} is not a HAR: expected {expected} at {}", place(pointer))]
    NotHar {
        /// The file as the caller named it.
        path: String,
        /// Where something else was.
        pointer: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A member name occurs twice outside the entries.
    #[error("{path} holds the member {pointer} twice (again at byte {position}), so what it says there is unknown")]
    DuplicateMember {
        /// The file as the caller named it.
        path: String,
        /// The member.
        pointer: String,
        /// Byte offset of its second name.
        position: usize,
    },
    /// More repeated names than are told apart.
    #[error(
        "{path} holds more repeated member names than are told apart ({MAX_DUPLICATE_BYTES} bytes of pointers); the last \
         one told apart is {pointer}"
    )]
    TooManyDuplicates {
        /// The file as the caller named it.
        path: String,
        /// The last repeated name that was listed.
        pointer: String,
    },
    /// A record was asked for that the capture does not have.
    #[error("there is no record {ordinal}: the capture has {records}, numbered from 0")]
    NoSuchRecord {
        /// The ordinal asked for.
        ordinal: usize,
        /// How many records there are.
        records: usize,
    },
    /// A record was asked for twice.
    #[error("record {ordinal} is asked for twice")]
    RepeatedRecord {
        /// The ordinal asked for.
        ordinal: usize,
    },
    /// The allowed time is over.
    #[error("reading the capture took longer than {timeout_ms} ms")]
    TimedOut {
        /// The limit in milliseconds.
        timeout_ms: u64,
    },
    /// Somebody asked to stop.
    #[error("reading the capture was cancelled")]
    Cancelled,
    /// The result would be larger than the limit.
    #[error("the inspection result is larger than {limit} bytes")]
    ResultTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A HAR under a name that promises Evidence.
    #[error("{path} is a HAR document; name it .har to have it inspected")]
    HarNamedOtherwise {
        /// The file as the caller named it.
        path: String,
    },
    /// The file is no authentic Evidence.
    #[error("{path} is no capture Evidence: {error}")]
    NotEvidence {
        /// The file as the caller named it.
        path: String,
        /// What is wrong.
        error: AuthenticationError,
    },
    /// Evidence of something else than a capture.
    #[error(
        "Evidence {evidence_id} is of the operation {operation}; a capture is of inspect_web_network_capture or \
         capture_browser_scenario"
    )]
    OtherOperation {
        /// The Evidence.
        evidence_id: String,
        /// Its operation.
        operation: String,
    },
    /// Evidence of a capture format whose records this program does not read.
    #[error("Evidence {evidence_id} is of a {format} capture; only har captures have records that can be read")]
    OtherFormat {
        /// The Evidence.
        evidence_id: String,
        /// Its capture format.
        format: String,
    },
    /// Evidence whose result is not what its operation makes.
    #[error("the result of Evidence {evidence_id} is not a capture's: expected {expected} at {pointer}")]
    Malformed {
        /// The Evidence.
        evidence_id: String,
        /// Pointer into the Evidence.
        pointer: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A refusal from which sensitive values were removed.
    #[error("{}", .0.message)]
    Filtered(Box<ErrorDocument>),
}

/// A pointer for people: the whole document has an empty one.
fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the top" } else { pointer }
}

impl CaptureError {
    /// The refusal without the values the caller wants removed.
    pub(super) fn filtered(self, sensitive: &Sensitive) -> Self {
        if sensitive.is_empty() {
            return self;
        }
        let mut document = ErrorDocument::from(&self);
        document.message = sensitive.filter(&document.message);
        document.action = sensitive.filter(&document.action);
        let mut details = Value::from(std::mem::take(&mut document.details));
        filter_texts(&mut details, sensitive);
        if let Value::Object(details) = details {
            document.details = details;
        }
        CaptureError::Filtered(Box::new(document))
    }

    fn issue(&self, argument: &str, pointer: &str, reason: IssueReason, extra: Object) -> Issue {
        let mut path = vec![argument.to_owned()];
        if !pointer.is_empty() {
            path.push(pointer.to_owned());
        }
        Issue { path, reason, message: self.to_string(), extra }
    }
}

fn filter_texts(value: &mut Value, sensitive: &Sensitive) {
    match value.plain_mut() {
        Value::String(text) if sensitive.matches_text(text) => *text = sensitive.filter(&text.to_display()).into(),
        Value::Array(items) => items.iter_mut().for_each(|item| filter_texts(item, sensitive)),
        Value::Object(object) => object.iter_mut().for_each(|(_, member)| filter_texts(member, sensitive)),
        _ => {}
    }
}

impl From<&CaptureError> for ErrorDocument {
    fn from(error: &CaptureError) -> Self {
        error.to_document(INSPECT, "capture_path")
    }
}

impl CaptureError {
    /// The document of `operation` (a stage's name) whose argument `argument` named the capture.
    pub fn to_document(&self, operation: &str, argument: &str) -> ErrorDocument {
        use CaptureError as E;
        let error = self;
        let invalid = |pointer: &str, reason, extra, action: &str| {
            let mut document =
                ErrorDocument::invalid_request(operation, vec![error.issue(argument, pointer, reason, extra)], action);
            document.message = error.to_string();
            document
        };
        match error {
            E::File(error) => error.to_document(operation, argument),
            E::NotJson { error: syntax, .. } => match syntax.problem {
                SyntaxProblem::TooDeep { limit } => invalid(
                    "",
                    IssueReason::OutOfRange,
                    Object::new().with("expected", Object::new().with("maximum_capture_nesting", limit)),
                    "Record again without the deeply nested member, or take it out of the file.",
                ),
                _ => invalid(
                    "",
                    IssueReason::InvalidFormat,
                    Object::new()
                        .with("position", syntax.position)
                        .with("line", syntax.line)
                        .with("column", syntax.column),
                    "Save the capture again as HAR; the file must be one JSON document in UTF-8.",
                ),
            },
            E::NotHar { pointer, .. } => invalid(
                pointer,
                IssueReason::InvalidFormat,
                Object::new(),
                "Give a HAR file: a JSON document with the member log and its list entries.",
            ),
            E::DuplicateMember { pointer, .. } => invalid(
                pointer,
                IssueReason::InvalidFormat,
                Object::new(),
                "Remove the repeated member, or save the capture again.",
            ),
            E::TooManyDuplicates { pointer, .. } => invalid(
                pointer,
                IssueReason::OutOfRange,
                Object::new().with("expected", Object::new().with("maximum_duplicate_bytes", MAX_DUPLICATE_BYTES)),
                "Save the capture with a producer that writes each member once.",
            ),
            E::NoSuchRecord { records, .. } => {
                let mut issue = error.issue(argument, "", IssueReason::OutOfRange, Object::new());
                issue.path = vec!["record_ordinals".to_owned()];
                if let Some(last) = records.checked_sub(1) {
                    issue.extra = Object::new().with("minimum", 0u32).with("maximum", last);
                }
                ErrorDocument::invalid_request(operation, vec![issue], "Ask for records that the capture has.")
            }
            E::RepeatedRecord { .. } => {
                let mut issue = error.issue(argument, "", IssueReason::InvalidValue, Object::new());
                issue.path = vec!["record_ordinals".to_owned()];
                ErrorDocument::invalid_request(operation, vec![issue], "Ask for each record once.")
            }
            E::TimedOut { timeout_ms } => ErrorDocument::new(
                Code::ProviderTimeout,
                error.to_string(),
                "Allow more with --capture-timeout-ms, or record less.",
            )
            .detail("operation", operation)
            .detail("timeout_ms", *timeout_ms),
            E::Cancelled => ErrorDocument::new(Code::Cancelled, error.to_string(), "Run the command again.")
                .detail("operation", operation)
                .detail("cleanup", "complete"),
            E::ResultTooLarge { limit } => ErrorDocument::new(
                Code::UnreadableOutput,
                error.to_string(),
                "Record less, or inspect a part of the capture with --record.",
            )
            .detail("operation", operation)
            .detail("reason", "result-too-large")
            .detail("maximum_result_bytes", *limit),
            E::HarNamedOtherwise { .. } => {
                invalid("", IssueReason::InvalidFormat, Object::new(), "Rename the file so that its name ends in .har.")
            }
            E::NotEvidence { path, error: authentication } => {
                authentication.to_document(operation, argument, Some(path))
            }
            E::OtherOperation { operation: found, .. } => ErrorDocument::new(
                Code::UnsupportedTarget,
                error.to_string(),
                "Give the Evidence that inspect-web-network-capture or capture-browser-scenario wrote.",
            )
            .detail("operation", operation)
            .detail("reason", "not-a-capture")
            .detail("actual", found.as_str()),
            E::OtherFormat { format, .. } => ErrorDocument::new(
                Code::UnsupportedTarget,
                error.to_string(),
                "Inspect a HAR of the same traffic and give its Evidence.",
            )
            .detail("operation", operation)
            .detail("format", format.as_str())
            .detail("reason", "capture-format"),
            E::Malformed { pointer, .. } => invalid(
                pointer,
                IssueReason::InvalidFormat,
                Object::new(),
                "Give capture Evidence as its command wrote it.",
            ),
            E::Filtered(document) => (**document).clone(),
        }
    }
}
