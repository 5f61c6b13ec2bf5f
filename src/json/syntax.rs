//! What can be wrong with JSON text, and where.

use super::Pointer;

/// A member name that an object holds more than once. The value kept is the last one, at the first one's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// Where the member is.
    pub pointer: Pointer,
    /// Byte offset of the repeated name.
    pub position: usize,
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

impl SyntaxError {
    /// The problem at byte `position` of `text`, with its line and column.
    pub(super) fn at(text: &[u8], position: usize, problem: SyntaxProblem) -> Self {
        let before = text.get(..position).unwrap_or(text);
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        // Continuation bytes do not start a character.
        let column = 1 + before[line_start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        Self { position, line, column, problem }
    }
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
