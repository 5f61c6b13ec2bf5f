//! Evidence: the record that every stage reads and writes, its id, and how a file of it is read and trusted. Also the
//! error document that every failure becomes.
//!
//! This module knows nothing of HAR, templates or HTTP: `parameters` and `normalized_result` are opaque values here.

mod authenticate;
mod error;
mod error_document;
mod fields;
mod file;
mod limits;
mod memory;
mod record;

pub use authenticate::{AuthenticationError, authenticate, authenticate_value};
pub use error_document::{Category, Code, EXIT_COMPLETED, EXIT_FAILED, ErrorDocument, Issue, IssueReason};
pub use file::{FileError, StableFile, read_stable};
pub use limits::*;
pub use memory::{MEMORY_LIMIT_VARIABLE, memory_headroom};
pub use record::{Authority, Confidence, Environment, Evidence, Location, Provider, Subject};

#[cfg(test)]
mod tests;
