//! Why a comparison was refused, and the error document of each refusal.

use crate::answer::AnswerError;
use crate::capture::CaptureError;
use crate::evidence::{ErrorDocument, Issue, IssueReason};
use crate::json::Object;

/// The failures of the comparison stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The environment could not be prepared.
    #[error(transparent)]
    Environment(#[from] AnswerError),
    /// A probe could not be read.
    #[error("probe {name}: {error}")]
    Probe {
        /// The probe, as it was given.
        name: String,
        /// What is wrong with it.
        error: CaptureError,
    },
    /// No probe was given.
    #[error("no probe to compare with")]
    NoProbe,
    /// A browser probe without response bodies: nothing of its answers could be compared.
    #[error("probe {name} is a browser scenario captured without capture.network.response_body")]
    BrowserResponseBodies {
        /// The probe.
        name: String,
    },
    /// A browser probe that writes, without request bodies: its writes cannot be made again.
    #[error(
        "probe {name} is a browser scenario captured without capture.network.request_body, and record {ordinal} is a {method} call"
    )]
    BrowserRequestBodies {
        /// The probe.
        name: String,
        /// The first such record.
        ordinal: usize,
        /// Its method.
        method: String,
    },
}

/// The operation that refusals name.
const OPERATION: &str = "environment-compare";

impl From<&CompareError> for ErrorDocument {
    fn from(error: &CompareError) -> Self {
        let issue =
            |reason| Issue { path: vec!["probe".to_owned()], reason, message: error.to_string(), extra: Object::new() };
        match error {
            CompareError::Environment(error) => error.into(),
            CompareError::Probe { name, error: cause } => {
                let mut document = cause.to_document(OPERATION, "probe");
                document.message = error.to_string();
                document.detail("probe", name.as_str())
            }
            CompareError::NoProbe => ErrorDocument::invalid_request(
                OPERATION,
                vec![issue(IssueReason::MissingArgument)],
                "Give at least one recording of the live application with --probe.",
            ),
            CompareError::BrowserResponseBodies { .. } => ErrorDocument::invalid_request(
                OPERATION,
                vec![issue(IssueReason::InvalidValue)],
                "Record the scenario again with capture.network.response_body set to true.",
            ),
            CompareError::BrowserRequestBodies { .. } => ErrorDocument::invalid_request(
                OPERATION,
                vec![issue(IssueReason::InvalidValue)],
                "Record the scenario again with capture.network.request_body set to true.",
            ),
        }
    }
}
