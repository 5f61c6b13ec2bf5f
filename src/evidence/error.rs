//! What failures of this stage print: one place turns them into [`ErrorDocument`]s.

use super::{AuthenticationError, Code, ErrorDocument, FileError, Issue, IssueReason, MEMORY_LIMIT_VARIABLE};
use crate::json::{Object, SyntaxError, SyntaxProblem, Value};

impl FileError {
    /// The path that was not read; empty for a setting.
    pub fn path(&self) -> &str {
        match self {
            FileError::Missing { path }
            | FileError::Symlink { path }
            | FileError::NotRegular { path, .. }
            | FileError::AccessDenied { path, .. }
            | FileError::TooLarge { path, .. }
            | FileError::NotEnoughMemory { path, .. }
            | FileError::Changed { path, .. }
            | FileError::Io { path, .. } => path,
            FileError::Setting { .. } => "",
        }
    }

    /// The document of `operation` whose argument `argument` (such as `capture_path`) named the file. `evidence.md` 3.8
    /// and 5.3 fix the codes and the shapes of the details.
    pub fn to_document(&self, operation: &str, argument: &str) -> ErrorDocument {
        let message = self.to_string();
        let refused = |reason: IssueReason, word: &str, action: &str| {
            let issue = Issue::new(&[argument], reason, &message);
            let issue = match self {
                FileError::TooLarge { limit, .. } => {
                    let limit_name = format!("maximum_{}_bytes", argument.trim_end_matches("_path"));
                    issue.with("expected", Object::new().with(limit_name, *limit))
                }
                _ => issue,
            };
            ErrorDocument::invalid_request(operation, vec![issue], action)
                .detail("reason", word)
                .detail("path", self.path())
        };
        match self {
            FileError::Missing { .. } => {
                refused(IssueReason::InvalidValue, "missing", "Check the path; it must name a file that exists.")
            }
            FileError::Symlink { .. } => {
                refused(IssueReason::InvalidFormat, "not-file", "Name the file that the link points to.")
            }
            FileError::NotRegular { .. } => refused(IssueReason::InvalidFormat, "not-file", "Name a regular file."),
            FileError::TooLarge { .. } => {
                refused(IssueReason::OutOfRange, "too-large", "Record less, or raise the limit.")
            }
            FileError::AccessDenied { path, system_code } => ErrorDocument::new(
                Code::AccessDenied,
                &message,
                "Let the user of this process read the file, or copy it where that user may.",
            )
            .detail("operation", operation)
            .detail("path", path)
            .detail("system_code", *system_code)
            .detail("boundary", "filesystem-read"),
            FileError::Changed { path, reason } => ErrorDocument::new(
                Code::ArtifactChanged,
                &message,
                "Wait until nothing writes to the file, then call again.",
            )
            .detail("operation", operation)
            .detail("path", path)
            .detail("reason", *reason)
            .detail("boundary", "stable-artifact-read"),
            FileError::NotEnoughMemory { path, bytes, needed, available, bound } => ErrorDocument::new(
                Code::ResourceConstraint,
                &message,
                format!("Free memory, raise the limit ({bound}), or record less."),
            )
            .detail("operation", operation)
            .detail("resource", "memory")
            .detail("reason", "the file needs more memory than is free")
            .detail("path", path)
            .detail(
                "reported_limits",
                Object::new()
                    .with("file_bytes", *bytes)
                    .with("needed_bytes", *needed)
                    .with("available_bytes", *available)
                    .with("bound", *bound),
            ),
            FileError::Setting { setting, constraint } => {
                let unusable = Object::new().with("setting", *setting).with("constraint", *constraint);
                ErrorDocument::new(
                    Code::ConfigurationInvalid,
                    &message,
                    format!("Set {MEMORY_LIMIT_VARIABLE} so, or unset it."),
                )
                .detail("settings", Value::Array(vec![unusable.into()]))
            }
            FileError::Io { path, .. } => ErrorDocument::new(
                Code::ExecutionFailure,
                &message,
                "Check the disk that holds the file, then call again.",
            )
            .detail("operation", operation)
            .detail("reason", "io")
            .detail("path", path),
        }
    }
}

impl AuthenticationError {
    /// Where in the document the problem is; empty when it is the document as a whole.
    pub fn pointer(&self) -> &str {
        match self {
            AuthenticationError::NotJson(_) => "",
            AuthenticationError::IdMismatch { .. } => "/evidence_id",
            AuthenticationError::DuplicateMember { pointer, .. }
            | AuthenticationError::MissingMember { pointer }
            | AuthenticationError::UnknownMember { pointer }
            | AuthenticationError::InvalidType { pointer, .. }
            | AuthenticationError::InvalidValue { pointer, .. }
            | AuthenticationError::OlderGeneration { pointer, .. }
            | AuthenticationError::TooDeep { pointer, .. }
            | AuthenticationError::NumberOutOfRange { pointer } => pointer,
        }
    }

    /// The document of `operation` whose argument `argument` named or held the record; `path` is the file, if it was one.
    pub fn to_document(&self, operation: &str, argument: &str, path: Option<&str>) -> ErrorDocument {
        let message = match path {
            Some(path) => format!("{path} is not authentic Evidence: {self}"),
            None => format!("{argument} is not authentic Evidence: {self}"),
        };
        let located = |document: ErrorDocument| match path {
            Some(path) => document.detail("path", path),
            None => document,
        };
        let mismatch = |reason: &str, action: &str| {
            ErrorDocument::new(Code::EvidenceIntegrityMismatch, &message, action)
                .detail("operation", operation)
                .detail("reason", reason)
        };
        let refused = |reason: IssueReason, action: &str| {
            let issue = Issue::new(&[argument, self.pointer()], reason, &message);
            ErrorDocument::invalid_request(operation, vec![issue], action)
        };
        let complete = "Give a complete Evidence record, as a command of this program printed it.";
        located(match self {
            AuthenticationError::NotJson(SyntaxError { problem: SyntaxProblem::TooDeep { .. }, .. }) => {
                refused(IssueReason::OutOfRange, complete)
            }
            AuthenticationError::NotJson(problem) => {
                mismatch("invalid-json", "Give a file that holds one Evidence record.")
                    .detail("position", problem.position)
                    .detail("line", problem.line)
                    .detail("column", problem.column)
            }
            AuthenticationError::IdMismatch { recorded, computed } => mismatch(
                "id-mismatch",
                "Use the record as it was written, or make it again; an edited record is not Evidence.",
            )
            .detail("expected", recorded)
            .detail("actual", computed),
            AuthenticationError::DuplicateMember { .. } => {
                refused(IssueReason::InvalidFormat, "Use the record as it was written.")
            }
            AuthenticationError::MissingMember { .. } => refused(IssueReason::MissingArgument, complete),
            AuthenticationError::UnknownMember { .. } => refused(IssueReason::UnknownArgument, complete),
            AuthenticationError::InvalidType { .. } => refused(IssueReason::InvalidType, complete),
            AuthenticationError::InvalidValue { .. } => refused(IssueReason::InvalidValue, complete),
            AuthenticationError::OlderGeneration { .. } => {
                refused(IssueReason::InvalidFormat, "Make the record again with this version.")
            }
            AuthenticationError::TooDeep { .. } | AuthenticationError::NumberOutOfRange { .. } => {
                refused(IssueReason::OutOfRange, complete)
            }
        })
    }
}
