//! Why a manifest or a view was refused.

use crate::evidence::ErrorDocument;

/// The failures of the manifest stage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Placeholder until the real variants are written.
    #[error("{reason}")]
    Refused {
        /// What is wrong.
        reason: String,
    },
}

impl From<&ManifestError> for ErrorDocument {
    fn from(error: &ManifestError) -> Self {
        todo!("{error}")
    }
}
