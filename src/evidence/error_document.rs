//! The error document of `evidence.md` 5.3: what every failure prints, and its exit status.

use crate::json::{Object, Value};

/// The codes of `evidence.md` 5.3 that this program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Code {
    InvalidRequest,
    AccessDenied,
    ArtifactChanged,
    UnreadableOutput,
    CapabilityUnavailable,
    UnsupportedTarget,
    ProviderUnavailable,
    ProviderTimeout,
    ResourceConstraint,
    Cancelled,
    ArtifactIntegrityMismatch,
    ArtifactOperationFailed,
    EvidenceIntegrityMismatch,
    ConfigurationInvalid,
    TargetUnavailable,
    ExecutionFailure,
}

/// The category words; each code has a usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Category {
    InvalidInput,
    Unavailable,
    IntegrityMismatch,
    ExecutionFailure,
    UnsupportedProvider,
    UnsupportedTarget,
    Timeout,
    ResourceConstraint,
    Cancelled,
}

/// The reasons of one issue of an `invalid_request`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IssueReason {
    UnknownArgument,
    MissingArgument,
    InvalidType,
    OutOfRange,
    InvalidValue,
    InvalidFormat,
}

/// One thing wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Path of argument names, then a pointer into its document where there is one.
    pub path: Vec<String>,
    /// The kind.
    pub reason: IssueReason,
    /// For people: what is wrong and where.
    pub message: String,
    /// Further members such as `expected`, `minimum`, `maximum`.
    pub extra: Object,
}

/// `{code, category, message, retryable, remediation:{action}, details?}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorDocument {
    /// Machine-readable code.
    pub code: Code,
    /// Its category.
    pub category: Category,
    /// One sentence for people, never empty.
    pub message: String,
    /// Whether the same call may succeed later or corrected.
    pub retryable: bool,
    /// What to do next.
    pub action: String,
    /// Facts; left out when empty.
    pub details: Object,
}

impl ErrorDocument {
    /// A document with the code's usual category and retryability.
    pub fn new(code: Code, message: impl Into<String>, action: impl Into<String>) -> Self {
        todo!("{code:?} {} {}", message.into(), action.into())
    }

    /// Adds a detail.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.push(name, value);
        self
    }

    /// An `invalid_request` of `operation` with its issues.
    pub fn invalid_request(operation: &str, issues: Vec<Issue>, action: impl Into<String>) -> Self {
        todo!("{operation} {issues:?} {}", action.into())
    }

    /// The printed document, members in the order of `evidence.md` 5.3.
    pub fn to_value(&self) -> Value {
        todo!()
    }
}
