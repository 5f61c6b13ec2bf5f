//! Numbers as they were spelled, and what JavaScript makes of them.

use super::Sink;

/// A JSON number: its exact text, checked against the JSON grammar when it was read.
#[derive(Clone)]
pub struct Number {
    literal: Literal,
}

/// Nearly every literal is short; those need no allocation.
#[derive(Clone)]
enum Literal {
    Short { length: u8, bytes: [u8; SHORT_LITERAL] },
    Long(Box<str>),
}

/// Bytes: what fits beside the tag and the length without making a number larger than a text.
const SHORT_LITERAL: usize = 22;

/// Digits: a decimal of so many significant digits always survives the way through a double and back.
const SURVIVING_DIGITS: usize = 15;
/// The largest integer that JavaScript calls safe, 2^53 − 1.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

impl Number {
    /// A number from text that already matches the JSON grammar (`-?int frac? exp?`); `None` when it does not.
    pub fn from_literal(literal: &str) -> Option<Self> {
        let whole = number_length(literal.as_bytes()) == literal.len() && ends_number(literal.as_bytes());
        whole.then(|| Self::from_checked(literal))
    }

    /// Wraps text that the parser has already checked.
    pub(super) fn from_checked(literal: &str) -> Self {
        let mut bytes = [0; SHORT_LITERAL];
        let literal = match bytes.get_mut(..literal.len()) {
            Some(place) => {
                place.copy_from_slice(literal.as_bytes());
                Literal::Short { length: literal.len() as u8, bytes }
            }
            None => Literal::Long(literal.into()),
        };
        Self { literal }
    }

    /// The number of a finite double, in JavaScript's spelling; `None` for NaN and infinities.
    pub fn from_f64(value: f64) -> Option<Self> {
        js_number(value).map(|literal| Self::from_checked(&literal))
    }

    /// The exact text.
    pub fn as_str(&self) -> &str {
        match &self.literal {
            // A literal is ASCII, so neither fallback is ever taken.
            Literal::Short { length, bytes } => {
                std::str::from_utf8(bytes.get(..usize::from(*length)).unwrap_or_default()).unwrap_or_default()
            }
            Literal::Long(literal) => literal,
        }
    }

    /// The nearest double (may be infinite for literals like `1e400`).
    pub fn to_f64(&self) -> f64 {
        self.as_str().parse().unwrap_or(f64::NAN)
    }

    /// The value as `i64`, when the literal is an integer literal (no fraction, no exponent) in range.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_str().parse().ok()
    }

    /// The value as `u64`, when the literal is an integer literal (no fraction, no exponent) in range.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_str().parse().ok()
    }

    /// Whether JavaScript keeps the number: an integer literal within ±(2^53−1), or a fraction/exponent literal whose
    /// significant digits survive the way through a double and back (`evidence.md` 3.3).
    pub fn is_safe(&self) -> bool {
        let parts = Parts::of(self.as_str());
        if self.is_integer_literal() {
            let digits = self.as_str().trim_start_matches('-');
            return digits.parse::<u64>().is_ok_and(|magnitude| magnitude <= MAX_SAFE_INTEGER);
        }
        let value = self.to_f64();
        if parts.count <= SURVIVING_DIGITS && value.is_normal() {
            return true;
        }
        js_number(value).is_some_and(|spelled| Parts::of(&spelled).digits().eq(parts.digits()))
    }

    /// Whether the literal is an integer literal: no fraction and no exponent.
    pub fn is_integer_literal(&self) -> bool {
        !self.as_str().bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }

    /// Whether two numbers have the same value: same literal, or the same exact decimal value. (Two safe numbers that are
    /// equal as doubles have the same decimal value; zero has no sign.)
    pub fn same_as(&self, other: &Number) -> bool {
        if self == other {
            return true;
        }
        let (a, b) = (Parts::of(self.as_str()), Parts::of(other.as_str()));
        if a.count == 0 || b.count == 0 {
            return a.count == b.count;
        }
        a.negative == b.negative && a.count == b.count && a.scale() == b.scale() && a.digits().eq(b.digits())
    }
}

/// A literal taken apart.
struct Parts<'a> {
    negative: bool,
    integer: &'a str,
    fraction: &'a str,
    exponent: &'a str,
    /// Significant digits: without leading and trailing zeros.
    count: usize,
    /// Zeros before the first significant digit.
    leading: usize,
}

impl<'a> Parts<'a> {
    fn of(literal: &'a str) -> Self {
        let (negative, unsigned) = literal.strip_prefix('-').map_or((false, literal), |rest| (true, rest));
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, ""));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut parts = Self { negative, integer, fraction, exponent, count: 0, leading: 0 };
        let total = integer.len() + fraction.len();
        let zero = |byte: &u8| *byte == b'0';
        parts.leading = parts.all_digits().take_while(zero).count();
        if parts.leading < total {
            let trailing = parts.all_digits().rev().take_while(zero).count();
            parts.count = total - parts.leading - trailing;
        }
        parts
    }

    fn all_digits(&self) -> impl DoubleEndedIterator<Item = u8> + '_ {
        self.integer.bytes().chain(self.fraction.bytes())
    }

    fn digits(&self) -> impl Iterator<Item = u8> + '_ {
        self.all_digits().skip(self.leading).take(self.count)
    }

    /// The power of ten of the digit after the first significant one; only compared, and saturated where an exponent is
    /// beyond anything (two such numbers are the same only as literals or by the same exponent).
    fn scale(&self) -> (i128, &'a str) {
        let place = self.integer.len() as i128 - self.leading as i128;
        let (sign, digits) = match self.exponent.as_bytes().first() {
            Some(b'-') => (-1, &self.exponent[1..]),
            Some(b'+') => (1, &self.exponent[1..]),
            _ => (1, self.exponent),
        };
        match digits.trim_start_matches('0') {
            "" => (place, ""),
            digits => match digits.parse::<i128>() {
                Ok(exponent) if digits.len() <= 30 => (place + sign * exponent, ""),
                _ => (place, self.exponent),
            },
        }
    }
}

/// Writes a number in its canonical spelling.
pub(super) fn put_canonical(number: &Number, sink: &mut impl Sink) {
    let literal = number.as_str();
    let short_integer = literal.len() <= SURVIVING_DIGITS && number.is_integer_literal() && literal != "-0";
    if short_integer {
        return sink.put(literal.as_bytes());
    }
    let value = number.to_f64();
    if value.is_finite() {
        sink.put(ryu_js::Buffer::new().format_finite(value).as_bytes());
    } else {
        sink.put(literal.as_bytes());
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Number {}

impl std::hash::Hash for Number {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self::from_checked(&value.to_string())
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::from_checked(&value.to_string())
    }
}

impl std::fmt::Debug for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The ECMAScript spelling of a finite double (`1e+21`, `1e-7`, `0` for −0). `None` when it is not finite.
pub fn js_number(value: f64) -> Option<String> {
    value.is_finite().then(|| ryu_js::Buffer::new().format_finite(value).to_owned())
}

/// Bytes of the longest beginning that the number grammar allows as a number or as the beginning of one.
pub(super) fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    match bytes.get(at) {
        Some(b'0') => at += 1,
        _ => at += digits(at),
    }
    if !bytes[..at].last().is_some_and(u8::is_ascii_digit) {
        return at;
    }
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        at += 1 + fraction;
        if fraction == 0 {
            return at;
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at += digits(at);
    }
    at
}

/// Whether a beginning from [`number_length`] is a whole number.
pub(super) fn ends_number(literal: &[u8]) -> bool {
    literal.last().is_some_and(u8::is_ascii_digit)
}
