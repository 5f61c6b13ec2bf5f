//! Why a folder cannot take a bundle, or what went wrong while it was written.

use super::control::Stage;
use crate::evidence::{Code, ErrorDocument, Issue, IssueReason};
use crate::json::Value;
use rustix::io::Errno;

/// The failures of the folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The folder holds something; nothing was changed.
    #[error("the folder {path} is not empty: it holds {entry:?}")]
    Occupied {
        /// The folder as given.
        path: String,
        /// One of its entries.
        entry: String,
    },
    /// Something that is no folder is there; nothing was changed.
    #[error("{path} is {found}, not a folder")]
    NotAFolder {
        /// The path as given.
        path: String,
        /// What is there, with its article.
        found: &'static str,
    },
    /// The folder's parent is not there; nothing was changed.
    #[error("{path} cannot be made: its parent {parent} {problem}")]
    NoParent {
        /// The folder as given.
        path: String,
        /// The parent.
        parent: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The system refused before anything was written.
    #[error("{path} cannot be made: {reason}")]
    Refused {
        /// The folder as given.
        path: String,
        /// What the system said.
        reason: String,
        /// Whether that was for want of permission.
        is_permission: bool,
    },
    /// Writing failed; a part may have been written.
    #[error("{path} could not be written to {directory}: {reason}")]
    Failed {
        /// The folder.
        directory: String,
        /// The file in it.
        path: String,
        /// What the system said.
        reason: String,
        /// Files that were written in full.
        written: usize,
    },
    /// Another writer was first; nothing of it was changed.
    #[error("another writer put {path} into {directory} first")]
    Contended {
        /// The folder.
        directory: String,
        /// The file that was there.
        path: String,
    },
    /// The folder is not the one that was written to any more.
    #[error("the folder {directory} was moved, removed or replaced while it was written")]
    Replaced {
        /// The folder.
        directory: String,
    },
    /// The folder holds something that was not written.
    #[error("the folder {directory} holds {entry:?}, which this program did not write")]
    Foreign {
        /// The folder.
        directory: String,
        /// What it holds.
        entry: String,
    },
    /// A file is not what was written.
    #[error("{path} in {directory} is not what was written: {reason}")]
    Mismatch {
        /// The folder.
        directory: String,
        /// The file in it.
        path: String,
        /// What differs.
        reason: &'static str,
    },
}

impl WriteError {
    /// A system's refusal before anything was written.
    pub(super) fn refused(path: String, errno: Errno) -> Self {
        let is_permission = matches!(errno, Errno::ACCESS | Errno::PERM | Errno::ROFS);
        Self::Refused { path, reason: std::io::Error::from(errno).to_string(), is_permission }
    }
}

impl From<&WriteError> for ErrorDocument {
    fn from(error: &WriteError) -> Self {
        let operation = Stage::Export.operation();
        let message = error.to_string();
        let invalid = |reason: &str, path: &str, action: &str| {
            let issue = Issue::new(&["directory"], IssueReason::InvalidValue, &message);
            ErrorDocument::invalid_request(operation, vec![issue], action).detail("reason", reason).detail("path", path)
        };
        // Whatever was written stays for inspection, and is named.
        let partial = |code: Code, directory: &str, reason: &str| {
            ErrorDocument::new(code, &message, format!("Look into {directory}, remove it, and run the command again."))
                .detail("operation", operation)
                .detail("reason", reason)
                .detail("directory", directory)
                .detail("bundle", "partial")
        };
        match error {
            WriteError::Occupied { path, .. } => {
                invalid("exists", path, "Name a folder that does not exist yet or is empty; none is ever replaced.")
            }
            WriteError::NotAFolder { path, .. } => {
                invalid("not-folder", path, "Name a folder that does not exist yet.")
            }
            WriteError::NoParent { path, .. } => {
                invalid("no-parent", path, "Make the folder that is to hold the bundle, then run the command again.")
            }
            WriteError::Refused { path, reason, is_permission } => {
                let (code, action) = match is_permission {
                    true => (Code::AccessDenied, "Name a folder in a place where this user may write."),
                    false => (Code::ArtifactOperationFailed, "Name a folder on a disk that can be written."),
                };
                ErrorDocument::new(code, &message, action)
                    .detail("operation", operation)
                    .detail("reason", reason)
                    .detail("path", path)
                    .detail("boundary", "filesystem-write")
            }
            WriteError::Failed { directory, path, reason, written } => {
                partial(Code::ArtifactOperationFailed, directory, reason)
                    .detail("path", path)
                    .detail("files_written", *written)
            }
            WriteError::Contended { directory, path } => {
                invalid("exists", directory, "Name another folder, or wait until the other writer is done.")
                    .detail("entry", Value::from(path))
            }
            WriteError::Replaced { directory } => partial(Code::ArtifactChanged, directory, "folder-replaced"),
            WriteError::Foreign { directory, entry } => {
                partial(Code::ArtifactIntegrityMismatch, directory, "foreign-entry").detail("entry", entry)
            }
            WriteError::Mismatch { directory, path, reason } => {
                partial(Code::ArtifactIntegrityMismatch, directory, reason).detail("path", path)
            }
        }
    }
}
