//! Why a capture was refused. Each becomes the error document of `evidence.md` 3.8.

use crate::evidence::ErrorDocument;

/// The failures of the capture stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// Placeholder until the real variants are written.
    #[error("{reason}")]
    Refused {
        /// What is wrong.
        reason: String,
    },
}

impl From<&CaptureError> for ErrorDocument {
    fn from(error: &CaptureError) -> Self {
        todo!("{error}")
    }
}
