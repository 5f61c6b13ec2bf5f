//! Why an environment could not be prepared.

use crate::capture::CaptureError;
use crate::evidence::ErrorDocument;
use crate::manifest::ManifestError;

/// The failures of preparing an engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The capture was refused.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The manifest was refused.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

impl From<&AnswerError> for ErrorDocument {
    fn from(error: &AnswerError) -> Self {
        match error {
            AnswerError::Capture(error) => error.into(),
            AnswerError::Manifest(error) => error.into(),
        }
    }
}
