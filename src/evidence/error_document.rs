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

/// Exit status of a command that completed.
pub const EXIT_COMPLETED: u8 = 0;
/// Exit status of a command that printed an error document.
pub const EXIT_FAILED: u8 = 1;

impl Code {
    /// The printed word.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::InvalidRequest => "invalid_request",
            Code::AccessDenied => "access_denied",
            Code::ArtifactChanged => "artifact_changed",
            Code::UnreadableOutput => "unreadable_output",
            Code::CapabilityUnavailable => "capability_unavailable",
            Code::UnsupportedTarget => "unsupported_target",
            Code::ProviderUnavailable => "provider_unavailable",
            Code::ProviderTimeout => "provider_timeout",
            Code::ResourceConstraint => "resource_constraint",
            Code::Cancelled => "cancelled",
            Code::ArtifactIntegrityMismatch => "artifact_integrity_mismatch",
            Code::ArtifactOperationFailed => "artifact_operation_failed",
            Code::EvidenceIntegrityMismatch => "evidence_integrity_mismatch",
            Code::ConfigurationInvalid => "configuration_invalid",
            Code::TargetUnavailable => "target_unavailable",
            Code::ExecutionFailure => "execution_failure",
        }
    }

    /// The category that the code usually has.
    pub fn category(self) -> Category {
        match self {
            Code::InvalidRequest => Category::InvalidInput,
            Code::AccessDenied | Code::ProviderUnavailable | Code::TargetUnavailable => Category::Unavailable,
            Code::ArtifactChanged | Code::ArtifactIntegrityMismatch | Code::EvidenceIntegrityMismatch => {
                Category::IntegrityMismatch
            }
            Code::UnreadableOutput
            | Code::ArtifactOperationFailed
            | Code::ConfigurationInvalid
            | Code::ExecutionFailure => Category::ExecutionFailure,
            Code::CapabilityUnavailable => Category::UnsupportedProvider,
            Code::UnsupportedTarget => Category::UnsupportedTarget,
            Code::ProviderTimeout => Category::Timeout,
            Code::ResourceConstraint => Category::ResourceConstraint,
            Code::Cancelled => Category::Cancelled,
        }
    }

    /// Whether a call that failed so may succeed later, or corrected.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Code::InvalidRequest
                | Code::ArtifactChanged
                | Code::ProviderUnavailable
                | Code::ProviderTimeout
                | Code::Cancelled
        )
    }
}

impl Category {
    /// The printed word.
    pub fn as_str(self) -> &'static str {
        match self {
            Category::InvalidInput => "invalid_input",
            Category::Unavailable => "unavailable",
            Category::IntegrityMismatch => "integrity_mismatch",
            Category::ExecutionFailure => "execution_failure",
            Category::UnsupportedProvider => "unsupported_provider",
            Category::UnsupportedTarget => "unsupported_target",
            Category::Timeout => "timeout",
            Category::ResourceConstraint => "resource_constraint",
            Category::Cancelled => "cancelled",
        }
    }
}

impl IssueReason {
    /// The printed word.
    pub fn as_str(self) -> &'static str {
        match self {
            IssueReason::UnknownArgument => "unknown_argument",
            IssueReason::MissingArgument => "missing_argument",
            IssueReason::InvalidType => "invalid_type",
            IssueReason::OutOfRange => "out_of_range",
            IssueReason::InvalidValue => "invalid_value",
            IssueReason::InvalidFormat => "invalid_format",
        }
    }
}

impl Issue {
    /// An issue with the argument at `path`, without further members.
    pub fn new(path: &[&str], reason: IssueReason, message: impl Into<String>) -> Self {
        let path = path.iter().map(|&step| step.to_owned()).collect();
        Self { path, reason, message: message.into(), extra: Object::new() }
    }

    /// Adds a member such as `expected`, `minimum`, `maximum`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.set(name, value);
        self
    }

    /// `{path, reason, message?, …}`.
    pub fn to_value(&self) -> Value {
        let path: Value = self.path.iter().map(Value::from).collect();
        let mut issue = Object::new().with("path", path).with("reason", self.reason.as_str());
        if !self.message.is_empty() {
            issue.push("message", &self.message);
        }
        for (name, value) in &self.extra {
            issue.push(name.clone(), value.clone());
        }
        issue.into()
    }
}

impl ErrorDocument {
    /// A document with the code's usual category and retryability.
    pub fn new(code: Code, message: impl Into<String>, action: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.is_empty() {
            // The document promises a sentence; the code is the least it can say.
            message = code.as_str().replace('_', " ");
        }
        Self {
            code,
            category: code.category(),
            message,
            retryable: code.is_retryable(),
            action: action.into(),
            details: Object::new(),
        }
    }

    /// Adds a detail, or replaces the one of that name.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.set(name, value);
        self
    }

    /// An `invalid_request` of `operation` with its issues. The message is the first issue's.
    pub fn invalid_request(operation: &str, issues: Vec<Issue>, action: impl Into<String>) -> Self {
        let first = issues.iter().map(|issue| issue.message.as_str()).find(|message| !message.is_empty());
        let message = match (first, issues.len()) {
            (None, _) => format!("the request to {operation} is not valid"),
            (Some(first), 0 | 1) => first.to_owned(),
            (Some(first), count) => format!("{first} (and {} more)", count - 1),
        };
        let issues: Value = issues.iter().map(Issue::to_value).collect();
        Self::new(Code::InvalidRequest, message, action).detail("operation", operation).detail("issues", issues)
    }

    /// The printed document, members in the order of `evidence.md` 5.3.
    pub fn to_value(&self) -> Value {
        let mut document = Object::new()
            .with("code", self.code.as_str())
            .with("category", self.category.as_str())
            .with("message", &self.message)
            .with("retryable", self.retryable)
            .with("remediation", Object::new().with("action", &self.action));
        if !self.details.is_empty() {
            document.push("details", self.details.clone());
        }
        document.into()
    }

    /// The exit status of a command that ends with this document: 1, or 128 + N after signal N.
    pub fn exit_status(&self, signal: Option<u8>) -> u8 {
        signal.map_or(EXIT_FAILED, |signal| 128u8.saturating_add(signal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_request_prints_in_order() {
        let issues = vec![
            Issue::new(&["capture_path", "/log"], IssueReason::InvalidFormat, "no entries").with("expected", "array"),
            Issue::new(&["format"], IssueReason::UnknownArgument, ""),
        ];
        let document = ErrorDocument::invalid_request("inspect", issues, "Give a HAR.");
        assert_eq!(
            document.to_value().to_compact(),
            concat!(
                r#"{"code":"invalid_request","category":"invalid_input","message":"no entries (and 1 more)","#,
                r#""retryable":true,"remediation":{"action":"Give a HAR."},"details":{"operation":"inspect","issues":["#,
                r#"{"path":["capture_path","/log"],"reason":"invalid_format","message":"no entries","expected":"array"},"#,
                r#"{"path":["format"],"reason":"unknown_argument"}]}}"#
            )
        );
    }

    #[test]
    fn empty_details_are_left_out_and_a_message_is_never_empty() {
        let document = ErrorDocument::new(Code::AccessDenied, "", "Ask.");
        assert_eq!(
            document.to_value().to_compact(),
            concat!(
                r#"{"code":"access_denied","category":"unavailable","message":"access denied","retryable":false,"#,
                r#""remediation":{"action":"Ask."}}"#
            )
        );
    }

    #[test]
    fn exit_statuses() {
        let document = ErrorDocument::new(Code::Cancelled, "stopped", "Run it again.");
        assert_eq!(
            [document.exit_status(None), document.exit_status(Some(2)), document.exit_status(Some(15))],
            [1, 130, 143]
        );
    }
}
