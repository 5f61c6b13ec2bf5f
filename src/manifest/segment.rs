//! Path segments: splitting, decoding once, and the formats that a segment may have. Knows nothing of siblings: what a
//! segment looks like here depends on its own text alone.

use super::limits::{MIN_HEX_DIGITS, ULID_CHARS};
use std::borrow::Cow;

/// The format rules of `decisions.md` 3, always on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SegmentFormat {
    /// Digits only.
    Numeric,
    /// 8-4-4-4-12 hex digits.
    Uuid,
    /// 26 characters of Crockford base 32, the first at most `7`.
    Ulid,
    /// 16 or more hex digits.
    Hex,
    /// A calendar date `YYYY-MM-DD`.
    Date,
}

impl SegmentFormat {
    /// All formats, in the order in which they are tried.
    pub const ALL: [Self; 5] = [Self::Numeric, Self::Uuid, Self::Ulid, Self::Hex, Self::Date];

    /// The format of a decoded segment, if it has one: the first that fits.
    pub fn of(decoded: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.fits(decoded))
    }

    /// Whether a decoded segment fits this format. A text of digits fits `numeric` and, when it is long enough, `hex`.
    pub fn fits(self, decoded: &str) -> bool {
        let bytes = decoded.as_bytes();
        match self {
            Self::Numeric => !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit),
            Self::Uuid => is_uuid(bytes),
            Self::Ulid => is_ulid(bytes),
            Self::Hex => bytes.len() >= MIN_HEX_DIGITS && bytes.iter().all(u8::is_ascii_hexdigit),
            Self::Date => is_date(bytes),
        }
    }

    /// The word used in templates: `numeric`, `uuid`, `ulid`, `hex`, `date`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Uuid => "uuid",
            Self::Ulid => "ulid",
            Self::Hex => "hex",
            Self::Date => "date",
        }
    }

    /// The format called `word`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.word() == word)
    }
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_ulid(bytes: &[u8]) -> bool {
    bytes.len() == ULID_CHARS
        && matches!(bytes.first(), Some(b'0'..=b'7'))
        && bytes.iter().all(|byte| {
            byte.is_ascii_digit()
                || (byte.is_ascii_alphabetic() && !matches!(byte.to_ascii_uppercase(), b'I' | b'L' | b'O' | b'U'))
        })
}

fn is_date(bytes: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *bytes else {
        return false;
    };
    let digits = [y1, y2, y3, y4, m1, m2, d1, d2];
    if !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let number = |part: &[u8]| part.iter().fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    let (year, month, day) = (number(&digits[..4]), number(&digits[4..6]), number(&digits[6..]));
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=last).contains(&day)
}

/// The segments of a raw path without its leading slash: empty internal segments are kept; one trailing slash yields a
/// last empty segment (it is part of the recorded line; collections ignore it). The root path `/` has one empty segment.
pub fn split_path(path: &str) -> Vec<&str> {
    path.strip_prefix('/').unwrap_or(path).split('/').collect()
}

/// Percent-decodes once. A segment whose decoded bytes are not UTF-8, and an escape that is not two hex digits, stay as
/// they were written.
pub fn decode_once(raw: &str) -> Cow<'_, str> {
    if !raw.contains('%') {
        return Cow::Borrowed(raw);
    }
    percent_encoding::percent_decode_str(raw).decode_utf8().unwrap_or(Cow::Borrowed(raw))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("7", Some(SegmentFormat::Numeric))]
    #[case("00000000000000000000000000", Some(SegmentFormat::Numeric))]
    #[case("-7", None)]
    #[case("7.5", None)]
    #[case("٣", None)]
    #[case("6f9619ff-8b86-d011-b42d-00c04fc964ff", Some(SegmentFormat::Uuid))]
    #[case("6F9619FF-8B86-D011-B42D-00C04FC964FF", Some(SegmentFormat::Uuid))]
    #[case("6f9619ff-8b86-d011-b42d-00c04fc964f", None)]
    #[case("6f9619ff8b86d011b42d00c04fc964ff", Some(SegmentFormat::Hex))]
    #[case("01ARZ3NDEKTSV4RRFFQ69G5FAV", Some(SegmentFormat::Ulid))]
    #[case("01arz3ndektsv4rrffq69g5fav", Some(SegmentFormat::Ulid))]
    #[case("81ARZ3NDEKTSV4RRFFQ69G5FAV", None)]
    #[case("01ARZ3NDEKTSV4RRFFQ69G5FAI", None)]
    #[case("507f1f77bcf86cd799439011", Some(SegmentFormat::Hex))]
    #[case("507f1f77bcf86cd", None)]
    #[case("507f1f77bcf86cd7", Some(SegmentFormat::Hex))]
    #[case("2024-02-29", Some(SegmentFormat::Date))]
    #[case("2023-02-29", None)]
    #[case("2024-13-01", None)]
    #[case("2024-00-01", None)]
    #[case("2024-04-31", None)]
    #[case("2024-4-3", None)]
    #[case("", None)]
    #[case("users", None)]
    fn formats(#[case] text: &str, #[case] format: Option<SegmentFormat>) {
        assert_eq!(SegmentFormat::of(text), format);
    }

    #[rstest]
    #[case("/", &[""])]
    #[case("", &[""])]
    #[case("/api", &["api"])]
    #[case("/api/", &["api", ""])]
    #[case("/api//books", &["api", "", "books"])]
    #[case("//api", &["", "api"])]
    fn splitting(#[case] path: &str, #[case] segments: &[&str]) {
        assert_eq!(split_path(path), segments);
    }

    #[rstest]
    #[case("%2F", "/")]
    #[case("%252F", "%2F")]
    #[case("Untitled%20Folder", "Untitled Folder")]
    #[case("a+b", "a+b")]
    #[case("%ff", "%ff")]
    #[case("100%", "100%")]
    #[case("%zz", "%zz")]
    #[case("k%C3%A4se", "käse")]
    fn decoding(#[case] raw: &str, #[case] decoded: &str) {
        assert_eq!(decode_once(raw), decoded);
    }

    #[test]
    fn words_lead_back() {
        for format in SegmentFormat::ALL {
            assert_eq!(SegmentFormat::from_word(format.word()), Some(format));
        }
    }
}
