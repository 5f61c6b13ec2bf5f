//! Lossless JSON for captured content: member order, exact number text, unpaired surrogates and duplicate names survive
//! reading; the canonical form (RFC 8785) and its SHA-256 are written from the same tree.
//!
//! This module knows nothing of Evidence, HAR or HTTP. It is the only place that parses captured text as JSON.

mod canonical;
mod limits;
mod names;
mod number;
mod parse;
mod pointer;
mod repeats;
mod scan;
mod syntax;
mod text;
mod value;
mod write;

pub use canonical::{CanonicalDigest, canonical_bytes, canonical_sha256, write_canonical, write_canonical_object};
pub use limits::*;
pub use number::{Number, js_number};
pub use parse::{ParseOptions, Parsed, parse, parse_document};
pub use pointer::{Pointer, push_index, push_token, resolve};
pub use syntax::{Duplicate, SyntaxError, SyntaxProblem};
pub use text::Text;
pub use value::{Object, Rendered, Value};
pub use write::{Sink, write_compact, write_compact_object, write_pretty, write_string};

#[cfg(test)]
mod tests;
