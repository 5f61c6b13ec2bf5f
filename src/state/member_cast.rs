//! How a sent value is stored where it is not stored as it was sent: `"4.50"` as 4.5, `"a,b"` as a list. Knows one value.

use super::line::scalar_text;
use crate::json::{Number, Value};

/// How a value that was sent is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// As it was sent.
    Same,
    /// A text as the number it spells.
    ToNumber,
    /// A number or boolean as its text.
    ToText,
    /// A text as `true` or `false`.
    ToBool,
    /// A text as the list of what its commas part.
    Split,
    /// A list of digits' texts as numbers.
    Numbers,
    /// A single text as the list of it, digits as numbers.
    Single,
    /// Without space at the ends.
    Trim,
    /// A text of digits as its number, a number as it is: forms and JSON alike.
    Loose,
    /// A boolean as 1 or 0.
    Flag,
    /// A number, or a text that spells one, as a text with as many digits behind the point.
    Places(usize),
}

impl Cast {
    /// All, the plainest first.
    pub const ALL: [Self; 14] = [
        Self::Same,
        Self::ToNumber,
        Self::ToText,
        Self::ToBool,
        Self::Split,
        Self::Numbers,
        Self::Single,
        Self::Trim,
        Self::Loose,
        Self::Flag,
        Self::Places(2),
        Self::Places(1),
        Self::Places(3),
        Self::Places(6),
    ];

    /// A sent value as it is stored; `None` when it cannot be.
    pub fn apply(self, value: &Value) -> Option<Value> {
        let number = |text: &str| Number::from_literal(text).map(Value::Number);
        match self {
            Self::Same => Some(value.clone()),
            Self::ToNumber => number(value.as_str()?),
            Self::ToText => match value.plain() {
                Value::Number(_) | Value::Bool(_) => scalar_text(value).map(Value::from),
                _ => None,
            },
            Self::ToBool => match value.as_str()?.to_ascii_lowercase().as_str() {
                "true" | "1" | "on" | "yes" => Some(Value::Bool(true)),
                "false" | "0" | "off" | "no" => Some(Value::Bool(false)),
                _ => None,
            },
            Self::Split => {
                let text = value.as_str()?;
                Some(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect())
            }
            Self::Numbers => value.as_array()?.iter().map(|item| number(item.as_str()?)).collect::<Option<Value>>(),
            Self::Single => {
                let text = value.as_str()?;
                Some(Value::Array(vec![number(text).unwrap_or_else(|| Value::from(text))]))
            }
            Self::Trim => Some(Value::from(value.as_str()?.trim())),
            Self::Loose => match value.as_str() {
                Some(text) => number(text),
                None => value.as_number().map(|number| Value::Number(number.clone())),
            },
            Self::Flag => value.as_bool().map(|flag| Value::from(i64::from(flag))),
            Self::Places(places) => {
                let number = match value.as_str() {
                    Some(text) => Number::from_literal(text)?,
                    None => value.as_number()?.clone(),
                };
                // More places than were recorded may be shown as they are.
                let fraction = number.as_str().split_once('.').map_or(0, |(_, fraction)| fraction.len());
                let plain = number.to_f64().is_finite() && !number.as_str().contains(['e', 'E']);
                (plain && fraction <= places).then(|| Value::from(format!("{:.places$}", number.to_f64())))
            }
        }
    }
}
