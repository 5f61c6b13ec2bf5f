//! Why a manifest or a view was refused, and the error document of each refusal.

use super::rules::TemplateRule;
use crate::capture::CaptureError;
use crate::evidence::{AuthenticationError, Code, ErrorDocument, FileError, Issue, IssueReason};
use crate::json::Object;

/// The operation that error documents of this stage name.
pub const OPERATION: &str = "inspect_analysis_view";

/// The failures of the manifest stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// A template rule that does not exist.
    #[error("unknown template rule {rule:?}")]
    UnknownRule {
        /// The word given.
        rule: String,
    },
    /// A template rule given twice.
    #[error("template rule {rule:?} is given more than once")]
    RepeatedRule {
        /// The word given.
        rule: String,
    },
    /// A view request that is not JSON.
    #[error("the view request is not JSON: {reason}")]
    RequestNotJson {
        /// What the reader said, with the position.
        reason: String,
        /// The request file, when it is one.
        path: Option<String>,
    },
    /// A view request of another shape.
    #[error("the view request is not of its shape: {reason} at {pointer:?}")]
    RequestShape {
        /// Pointer into the request.
        pointer: String,
        /// What is wrong.
        reason: String,
        /// The kind of problem.
        issue: IssueReason,
    },
    /// A request or source file that could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A source that is not authentic Evidence.
    #[error("the view's source is refused: {error}")]
    Source {
        /// What is wrong with it.
        error: AuthenticationError,
        /// The file, unless the source was inline.
        path: Option<String>,
    },
    /// A parent that is not a readable capture.
    #[error("the parent capture is refused: {0}")]
    Capture(#[from] CaptureError),
    /// A capture that no environment view takes.
    #[error("{reason}")]
    UnsupportedCapture {
        /// Pointer into the capture Evidence.
        pointer: String,
        /// What is missing.
        reason: String,
    },
    /// A capture whose artifact digest is not its subject's.
    #[error("the capture's subject has digest {subject}, its result names artifact {artifact}")]
    ArtifactMismatch {
        /// Digest of the subject.
        subject: String,
        /// Digest in the result.
        artifact: String,
    },
    /// Evidence that is not an environment manifest.
    #[error("not an environment manifest: {reason} at {pointer:?}")]
    NotAManifest {
        /// Pointer into the manifest Evidence.
        pointer: String,
        /// What is wrong.
        reason: String,
    },
}

impl ManifestError {
    pub(super) fn shape(pointer: impl Into<String>, reason: impl Into<String>, issue: IssueReason) -> Self {
        Self::RequestShape { pointer: pointer.into(), reason: reason.into(), issue }
    }
}

fn invalid(path: &[&str], reason: IssueReason, message: String, action: &str) -> ErrorDocument {
    let path = path.iter().map(|part| (*part).to_owned()).collect();
    ErrorDocument::invalid_request(OPERATION, vec![Issue { path, reason, message, extra: Object::new() }], action)
}

impl From<&ManifestError> for ErrorDocument {
    fn from(error: &ManifestError) -> Self {
        let message = error.to_string();
        match error {
            ManifestError::UnknownRule { .. } => {
                let known: Vec<&str> = TemplateRule::ALL.into_iter().map(TemplateRule::word).collect();
                invalid(
                    &["view", "template_rules"],
                    IssueReason::InvalidValue,
                    message,
                    &format!("Use rules out of {}.", known.join(", ")),
                )
            }
            ManifestError::RepeatedRule { .. } => invalid(
                &["view", "template_rules"],
                IssueReason::InvalidValue,
                message,
                "Give each template rule at most once.",
            ),
            ManifestError::RequestNotJson { path, .. } => {
                let mut document = invalid(
                    &["request"],
                    IssueReason::InvalidFormat,
                    message,
                    "Give the view request as JSON text or as the path of a file that holds it.",
                );
                if let Some(path) = path {
                    document = document.detail("input_path", path).detail("input_reason", "invalid-json");
                }
                document
            }
            ManifestError::RequestShape { pointer, issue, .. } => invalid(
                &["request", pointer],
                *issue,
                message,
                "Send {\"source\": …, \"view\": …} with the members of the named kinds and no others.",
            ),
            ManifestError::File(error) => error.to_document(OPERATION, "source"),
            ManifestError::Source { error, path } => error.to_document(OPERATION, "source", path.as_deref()),
            ManifestError::Capture(error) => ErrorDocument::from(error),
            ManifestError::UnsupportedCapture { pointer, reason } => ErrorDocument::new(
                Code::UnsupportedTarget,
                message,
                "Record the application again so that the capture holds JSON answers, without removing values.",
            )
            .detail("operation", OPERATION)
            .detail("path", pointer)
            .detail("reason", reason),
            ManifestError::ArtifactMismatch { .. } => {
                ErrorDocument::new(Code::EvidenceIntegrityMismatch, message.clone(), "Inspect the capture again.")
                    .detail("reason", message)
            }
            ManifestError::NotAManifest { pointer, reason } => ErrorDocument::new(
                Code::UnsupportedTarget,
                message,
                "Give the Evidence that inspect-analysis-view writes for kind environment-manifest.",
            )
            .detail("operation", OPERATION)
            .detail("path", pointer)
            .detail("reason", reason),
        }
    }
}
