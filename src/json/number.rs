//! Numbers as they were spelled, and what JavaScript makes of them.

/// A JSON number: its exact text, checked against the JSON grammar when it was read.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number {
    literal: Box<str>,
}

impl Number {
    /// A number from text that already matches the JSON grammar (`-?int frac? exp?`); `None` when it does not.
    pub fn from_literal(literal: &str) -> Option<Self> {
        todo!("{literal}")
    }

    /// Wraps text that the parser has already checked.
    pub(super) fn from_checked(literal: &str) -> Self {
        Self { literal: literal.into() }
    }

    /// The number of a finite double, in JavaScript's spelling; `None` for NaN and infinities.
    pub fn from_f64(value: f64) -> Option<Self> {
        todo!("{value}")
    }

    /// The exact text.
    pub fn as_str(&self) -> &str {
        &self.literal
    }

    /// The nearest double (may be infinite for literals like `1e400`).
    pub fn to_f64(&self) -> f64 {
        self.literal.parse().unwrap_or(f64::NAN)
    }

    /// The value as `i64`, when the literal is an integer literal (no fraction, no exponent) in range.
    pub fn as_i64(&self) -> Option<i64> {
        self.literal.parse().ok()
    }

    /// Whether JavaScript keeps the number: an integer literal within ±(2^53−1), or a fraction/exponent literal whose
    /// significant digits survive the way through a double and back (`evidence.md` 3.3).
    pub fn is_safe(&self) -> bool {
        todo!()
    }

    /// Whether the literal is an integer literal: no fraction and no exponent.
    pub fn is_integer_literal(&self) -> bool {
        !self.literal.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }

    /// Whether two numbers have the same value: same literal, or both safe and equal as doubles, or the same exact
    /// decimal value.
    pub fn same_as(&self, other: &Number) -> bool {
        todo!("{}", other.as_str())
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self { literal: value.to_string().into() }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self { literal: value.to_string().into() }
    }
}

impl std::fmt::Debug for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.literal)
    }
}

/// The ECMAScript spelling of a finite double (`1e+21`, `1e-7`, `0` for −0). `None` when it is not finite.
pub fn js_number(value: f64) -> Option<String> {
    todo!("{value}")
}
