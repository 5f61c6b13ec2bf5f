//! Evidence: the record that every stage reads and writes, its id, and how a file of it is read and trusted. Also the
//! error document that every failure becomes.
//!
//! This module knows nothing of HAR, templates or HTTP: `parameters` and `normalized_result` are opaque values here.

mod authenticate;
mod error_document;
mod file;
mod limits;
mod record;

pub use authenticate::{AuthenticationError, authenticate, authenticate_value};
pub use error_document::{Category, Code, ErrorDocument, Issue, IssueReason};
pub use file::{FileError, StableFile, memory_headroom, read_stable};
pub use limits::*;
pub use record::{Authority, Confidence, Environment, Evidence, Location, Provider, Subject};
