//! Whether a document is an Evidence record whose content matches its id, and what is wrong when it is not.

use super::Evidence;
use crate::json::Value;

/// Why a document is not authentic Evidence. Every variant names the member by JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthenticationError {
    /// Placeholder until the real variants are written.
    #[error("not Evidence: {reason}")]
    Shape {
        /// What is wrong.
        reason: String,
    },
}

/// Parses and authenticates the bytes of an Evidence file.
///
/// # Errors
/// Not JSON (with the position), not an Evidence record (with the pointer), an older generation, or an id that does not
/// match the content.
pub fn authenticate(bytes: &[u8]) -> Result<Evidence, AuthenticationError> {
    todo!("{}", bytes.len())
}

/// Authenticates a record that is already a document, such as the inline source of a view.
///
/// # Errors
/// As [`authenticate`].
pub fn authenticate_value(value: Value) -> Result<Evidence, AuthenticationError> {
    todo!("{value:?}")
}
