//! A JSON text: its bytes, its UTF-16 order, its surrogates. Nothing here parses or writes JSON.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A JSON text. Almost always UTF-8; a text with an unpaired surrogate escape is kept as WTF-8 bytes, so that it can be
/// written and hashed again exactly. Two texts are equal when they have the same characters, whichever variant holds them.
#[derive(Clone)]
pub enum Text {
    /// A text of Unicode scalar values.
    Utf8(Box<str>),
    /// A text that holds at least one unpaired surrogate, as WTF-8 (a surrogate is its three-byte generalized UTF-8 form).
    Wtf8(Box<[u8]>),
    /// A text of Unicode scalar values held in several places, such as a member name that recurs in a document.
    Shared(Arc<str>),
}

impl Text {
    /// The text as `str`, or `None` when it holds an unpaired surrogate.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Text::Utf8(text) => Some(text),
            Text::Shared(text) => Some(text),
            Text::Wtf8(_) => None,
        }
    }

    /// The text as WTF-8 bytes (UTF-8 unless it holds an unpaired surrogate).
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Text::Utf8(text) => text.as_bytes(),
            Text::Shared(text) => text.as_bytes(),
            Text::Wtf8(bytes) => bytes,
        }
    }

    /// The text for display: an unpaired surrogate becomes U+FFFD.
    pub fn to_display(&self) -> Cow<'_, str> {
        match self {
            Text::Utf8(text) => Cow::Borrowed(text),
            Text::Shared(text) => Cow::Borrowed(text),
            Text::Wtf8(bytes) => Cow::Owned(display_wtf8(bytes)),
        }
    }

    /// Whether there is no character.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }

    /// The UTF-16 code units.
    pub fn utf16_units(&self) -> impl Iterator<Item = u16> + '_ {
        Utf16Units { bytes: self.as_bytes(), at: 0, pending: None }
    }

    /// Orders by UTF-16 code units, as JavaScript and the canonical form do: `"😀"` comes before `"～"`.
    pub fn cmp_utf16(&self, other: &Text) -> Ordering {
        let (a, b) = (self.as_bytes(), other.as_bytes());
        let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) else { return a.len().cmp(&b.len()) };
        // Byte order is code point order, which differs from unit order only where a surrogate (unpaired, or half of a
        // supplementary character) stands against a character from U+D000 on.
        if a[at] < 0xed || b[at] < 0xed {
            return a[at].cmp(&b[at]);
        }
        self.utf16_units().cmp(other.utf16_units())
    }
}

/// The code units of WTF-8 bytes.
struct Utf16Units<'a> {
    bytes: &'a [u8],
    at: usize,
    pending: Option<u16>,
}

impl Iterator for Utf16Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if let Some(low) = self.pending.take() {
            return Some(low);
        }
        let (code, length) = decode(self.bytes.get(self.at..)?)?;
        self.at += length;
        if code < 0x1_0000 {
            return Some(code as u16);
        }
        let offset = code - 0x1_0000;
        self.pending = Some(0xdc00 | (offset & 0x3ff) as u16);
        Some(0xd800 | (offset >> 10) as u16)
    }
}

/// The code point at the start of WTF-8 bytes and its length in bytes; `None` at the end.
pub(super) fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    let first = u32::from(*bytes.first()?);
    let next = |index: usize| bytes.get(index).map_or(0, |byte| u32::from(byte & 0x3f));
    Some(match first {
        0..0x80 => (first, 1),
        0x80..0xe0 => ((first & 0x1f) << 6 | next(1), 2),
        0xe0..0xf0 => ((first & 0x0f) << 12 | next(1) << 6 | next(2), 3),
        _ => ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4),
    })
}

/// Appends a code point, which may be a surrogate, to WTF-8 bytes.
pub(super) fn encode(code: u32, out: &mut Vec<u8>) {
    match char::from_u32(code) {
        Some(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[
            0xe0 | (code >> 12) as u8 & 0x0f,
            0x80 | (code >> 6) as u8 & 0x3f,
            0x80 | code as u8 & 0x3f,
        ]),
    }
}

/// WTF-8 with every unpaired surrogate as one U+FFFD.
fn display_wtf8(mut bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    while let Some((code, length)) = decode(bytes) {
        shown.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        bytes = bytes.get(length..).unwrap_or_default();
    }
    shown
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_display(), f)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::Utf8(text.into())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text::Utf8(text.into_boxed_str())
    }
}

impl From<Arc<str>> for Text {
    fn from(text: Arc<str>) -> Self {
        Text::Shared(text)
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn from_units(units: &[u16]) -> Text {
        let mut bytes = Vec::new();
        for unit in char::decode_utf16(units.iter().copied()) {
            encode(unit.map_or_else(|lone| u32::from(lone.unpaired_surrogate()), u32::from), &mut bytes);
        }
        match String::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(error) => Text::Wtf8(error.into_bytes().into_boxed_slice()),
        }
    }

    fn units() -> impl Strategy<Value = Vec<u16>> {
        let unit = prop_oneof![
            0u16..0x80,
            Just(0xd83du16),
            Just(0xde00u16),
            0xd800u16..0xe000,
            0xcff0u16..0xd010,
            0xe000u16..=0xffff,
            any::<u16>()
        ];
        prop::collection::vec(unit, 0..6)
    }

    proptest! {
        #[test]
        fn order_is_the_order_of_units(a in units(), b in units()) {
            let (left, right) = (from_units(&a), from_units(&b));
            prop_assert_eq!(left.utf16_units().collect::<Vec<_>>(), a.clone());
            prop_assert_eq!(left.cmp_utf16(&right), a.cmp(&b));
            prop_assert_eq!(left == right, a == b);
        }
    }

    #[test]
    fn display_replaces_each_lone_surrogate_once() {
        assert_eq!(from_units(&[0x61, 0xd800, 0x62]).to_display(), "a\u{fffd}b");
    }

    #[test]
    fn variants_with_the_same_characters_are_equal() {
        assert_eq!(Text::from("a"), Text::from(Arc::<str>::from("a")));
    }
}
