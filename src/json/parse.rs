//! Strict RFC 8259 reading into [`Value`]: byte position in every syntax error, duplicate names found with their
//! pointer, nesting bounded, unpaired surrogate escapes kept.

use super::{Pointer, Value};

/// What a read allows.
#[derive(Clone, Copy, Debug)]
pub struct ParseOptions {
    /// Deepest nesting of arrays and objects (the root container is level 1).
    pub max_depth: usize,
    /// Whether one leading UTF-8 byte-order mark is skipped.
    pub skip_bom: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self { max_depth: 1000, skip_bom: false }
    }
}

/// A member name that an object holds more than once. The value kept is the last one, at the first one's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// Where the member is.
    pub pointer: Pointer,
    /// Byte offset of the repeated name.
    pub position: usize,
}

/// A document that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The document.
    pub value: Value,
    /// Names that occurred twice, in document order (at most 1000 are listed).
    pub duplicates: Vec<Duplicate>,
    /// Whether a byte-order mark was skipped.
    pub had_bom: bool,
}

/// Why text is not a JSON document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at byte {position} (line {line}, column {column})")]
pub struct SyntaxError {
    /// Byte offset of the problem.
    pub position: usize,
    /// One-based line of it.
    pub line: usize,
    /// One-based column of it, in characters.
    pub column: usize,
    /// What the problem is.
    pub problem: SyntaxProblem,
}

/// The kinds of syntax problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxProblem {
    /// The text is empty or only white space.
    #[error("empty document")]
    Empty,
    /// The text ends in the middle of a value.
    #[error("unexpected end of the document")]
    UnexpectedEnd,
    /// A byte that no JSON grammar rule allows here.
    #[error("expected {expected}")]
    Expected {
        /// What would have been allowed, for people.
        expected: &'static str,
    },
    /// Bytes that are not UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// An unescaped control character in a text.
    #[error("unescaped control character in a text")]
    ControlCharacter,
    /// A backslash sequence that JSON does not have.
    #[error("invalid escape")]
    InvalidEscape,
    /// A number that the grammar does not allow, such as `01` or `1.`.
    #[error("invalid number")]
    InvalidNumber,
    /// Nested deeper than the limit.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// Something follows the document.
    #[error("unexpected text after the document")]
    TrailingText,
}

/// Reads a document and lists the member names that occur twice.
///
/// # Errors
/// The first syntax problem, with its position.
pub fn parse_document(text: &[u8], options: ParseOptions) -> Result<Parsed, SyntaxError> {
    todo!("{} {options:?}", text.len())
}

/// Reads a document, keeping the last of repeated members (as JavaScript does), 1000 levels deep at most.
///
/// # Errors
/// The first syntax problem, with its position.
pub fn parse(text: &[u8]) -> Result<Value, SyntaxError> {
    parse_document(text, ParseOptions::default()).map(|parsed| parsed.value)
}
