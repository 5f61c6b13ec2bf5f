//! Lossless JSON for captured content: member order, exact number text, unpaired surrogates and duplicate names survive
//! reading; the canonical form (RFC 8785) and its SHA-256 are written from the same tree.
//!
//! This module knows nothing of Evidence, HAR or HTTP. It is the only place that parses captured text as JSON.

mod canonical;
mod number;
mod parse;
mod pointer;
mod value;
mod write;

pub use canonical::{canonical_bytes, canonical_sha256, write_canonical};
pub use number::{Number, js_number};
pub use parse::{Duplicate, ParseOptions, Parsed, SyntaxError, SyntaxProblem, parse, parse_document};
pub use pointer::{Pointer, push_token, resolve};
pub use value::{Object, Text, Value};
pub use write::{Sink, write_compact, write_pretty, write_string};
