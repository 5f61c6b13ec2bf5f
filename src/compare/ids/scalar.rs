//! An identifier as a value: its JSON type and its text.

use crate::json::{Number, Value};

/// A scalar that can be an identifier: a text, or a number by its value. The two never equal each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Id {
    /// A number, by its literal text (identifiers are integers, which have one spelling).
    Number(Box<str>),
    /// A text.
    Text(Box<str>),
}

impl Id {
    /// The identifier that a value is: an integer literal or a non-empty text without control characters.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value.plain() {
            Value::Number(number) if number.is_integer_literal() => Some(Id::Number(number.as_str().into())),
            Value::String(text) => {
                let text = text.as_str()?;
                (!text.is_empty() && !text.contains(|c: char| c.is_control())).then(|| Id::Text(text.into()))
            }
            _ => None,
        }
    }

    /// The text of the identifier, as a path or a query spells it.
    pub(crate) fn text(&self) -> &str {
        match self {
            Id::Number(text) | Id::Text(text) => text,
        }
    }

    /// Whether both are numbers or both are texts.
    pub(crate) fn same_type(&self, other: &Id) -> bool {
        matches!((self, other), (Id::Number(_), Id::Number(_)) | (Id::Text(_), Id::Text(_)))
    }

    /// The JSON value, with the type of the identifier.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Id::Number(text) => Number::from_literal(text).map_or_else(|| Value::from(&**text), Value::Number),
            Id::Text(text) => Value::from(&**text),
        }
    }
}

/// Whether a text that is known to be an identity can be told from other texts: a token may be of letters alone.
pub(crate) fn is_distinctive_identity(text: &str) -> bool {
    is_distinctive(text)
        || text.chars().count() >= super::super::limits::MIN_TOKEN_CHARS
            && !text.bytes().all(|byte| byte.is_ascii_digit())
            && !text.contains(char::is_whitespace)
}

/// Whether a text can be told from ordinary words and counts wherever it stands: long enough, and not digits alone. A text of letters alone counts only when it is very long: words are not identifiers.
pub(crate) fn is_distinctive(text: &str) -> bool {
    let chars = text.chars().count();
    chars >= super::super::limits::MIN_EMBEDDED_ID_CHARS
        && !text.bytes().all(|byte| byte.is_ascii_digit())
        && !text.contains(char::is_whitespace)
        && (text.bytes().any(|byte| byte.is_ascii_digit()) || chars >= 16)
}
