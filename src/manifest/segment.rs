//! Path segments: splitting, decoding once, and the formats that a segment may have.

/// The format rules of `decisions.md` 3, always on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SegmentFormat {
    /// Digits only.
    Numeric,
    /// 8-4-4-4-12 hex digits.
    Uuid,
    /// 26 characters of Crockford base 32.
    Ulid,
    /// 16 or more hex digits.
    Hex,
    /// A calendar date `YYYY-MM-DD`.
    Date,
}

impl SegmentFormat {
    /// The format of a decoded segment, if it has one.
    pub fn of(decoded: &str) -> Option<Self> {
        todo!("{decoded}")
    }

    /// Whether a decoded segment fits this format.
    pub fn fits(self, decoded: &str) -> bool {
        todo!("{decoded}")
    }

    /// The word used in templates: `numeric`, `uuid`, `ulid`, `hex`, `date`.
    pub fn word(self) -> &'static str {
        todo!()
    }
}

/// The segments of a raw path without its leading slash: empty internal segments are kept; one trailing slash yields a
/// last empty segment (it is part of the recorded line; collections ignore it).
pub fn split_path(path: &str) -> Vec<&str> {
    todo!("{path}")
}

/// Percent-decodes once. Bytes that are not UTF-8 stay as they were written.
pub fn decode_once(raw: &str) -> std::borrow::Cow<'_, str> {
    todo!("{raw}")
}
