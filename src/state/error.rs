//! Why a capture has no state, and the error document of each refusal.

use crate::evidence::{Code, ErrorDocument};
use crate::json::Object;
use crate::manifest::ManifestError;

/// The stage that errors of this module name: a state is a view of a capture.
const OPERATION: &str = "inspect_analysis_view";

/// The failures of deriving a state and of projecting it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The capture's request lines and answers are not whole.
    #[error(
        "the capture was inspected with {count} sensitive values removed, so its answers are not whole and no state can \
         be derived from them"
    )]
    SensitiveValues {
        /// How many values were removed.
        count: String,
    },
    /// A browser scenario that kept no answer bodies.
    #[error("the browser scenario selected no response bodies, so no read shows what the application holds")]
    NoBodies,
    /// The answers to read are larger than the budget.
    #[error(
        "the records that the manifest cites hold {bytes} decoded body bytes; a state is derived from at most {limit}"
    )]
    Bodies {
        /// Decoded bytes of the cited records' bodies.
        bytes: usize,
        /// The budget in bytes.
        limit: usize,
    },
    /// The projected state is larger than the view's budget.
    #[error("the state takes {bytes} bytes as a view; the limit is {limit}")]
    View {
        /// Bytes of the payload as compact JSON.
        bytes: usize,
        /// The budget in bytes.
        limit: usize,
    },
    /// The state document is larger than what a state may be loaded from.
    #[error("the state takes {bytes} bytes as a document; an environment holds and loads at most {limit}")]
    Document {
        /// Bytes of the document as compact JSON.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The state nests deeper than what a state may be loaded from.
    #[error("the state nests deeper than the {limit} levels that an environment loads")]
    Depth {
        /// The limit in levels.
        limit: usize,
    },
    /// The manifest or the view could not be projected.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

impl From<&StateError> for ErrorDocument {
    fn from(error: &StateError) -> Self {
        let message = error.to_string();
        let unsupported = |path: &str, action: &str| {
            ErrorDocument::new(Code::UnsupportedTarget, message.clone(), action)
                .detail("operation", OPERATION)
                .detail("path", path)
                .detail("reason", message.clone())
        };
        let constraint = |resource: &str, reason: &str, bytes: usize, limit: usize, action: &str| {
            ErrorDocument::new(Code::ResourceConstraint, message.clone(), action)
                .detail("operation", OPERATION)
                .detail("resource", resource)
                .detail("reason", reason)
                .detail("reported_limits", Object::new().with("bytes", bytes).with("max_bytes", limit))
        };
        let smaller = "Record a smaller capture, or select fewer records, and inspect it again.";
        match error {
            StateError::SensitiveValues { .. } => unsupported(
                "/parameters/sensitive_value_count",
                "Scrub the recording before it is inspected, and inspect it without sensitive values.",
            ),
            StateError::NoBodies => unsupported(
                "/parameters/capture/network/response_body",
                "Record the scenario again with capture.network.response_body, or serve replay only.",
            ),
            StateError::Bodies { bytes, limit } => constraint("memory", "derivation-budget", *bytes, *limit, smaller),
            StateError::View { bytes, limit } => constraint("memory", "view-budget", *bytes, *limit, smaller),
            StateError::Document { bytes, limit } => constraint("memory", "state-document", *bytes, *limit, smaller),
            StateError::Depth { limit } => ErrorDocument::new(Code::ResourceConstraint, message.clone(), smaller)
                .detail("operation", OPERATION)
                .detail("resource", "memory")
                .detail("reason", "state-document")
                .detail("reported_limits", Object::new().with("max_depth", *limit)),
            StateError::Manifest(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(StateError::NoBodies, "unsupported_target", "response bodies")]
    #[case(StateError::SensitiveValues { count: "2".to_owned() }, "unsupported_target", "2 sensitive values")]
    #[case(StateError::Bodies { bytes: 9, limit: 8 }, "resource_constraint", "9 decoded body bytes")]
    #[case(StateError::View { bytes: 9, limit: 8 }, "resource_constraint", "9 bytes as a view")]
    #[case(StateError::Document { bytes: 9, limit: 8 }, "resource_constraint", "at most 8")]
    fn a_refusal_says_what_is_too_much(#[case] error: StateError, #[case] code: &str, #[case] told: &str) {
        let document = ErrorDocument::from(&error);
        assert_eq!(document.code.as_str(), code);
        assert!(document.message.contains(told), "{}", document.message);
        assert!(document.details.contains("operation") && !document.action.is_empty());
    }
}
