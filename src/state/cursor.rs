//! Cursors: values that say where a page begins, by an encoded offset or by the entity before it. How they are found is in
//! `infer_paging.rs`.

/// A cursor: fixed texts around the offset (and maybe the size), base64 when encoded.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorRole {
    /// Whether the value is base64.
    pub base64: bool,
    /// A recorded cursor, for the padding and alphabet of its base64.
    pub like: String,
    /// The decoded text with `{offset}` and `{size}` in the places of the numbers, or `{id}` in that of an identity.
    pub pattern: String,
}

/// What a cursor says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// The page begins after so many entities, and has so many.
    Offset(u64, Option<u64>),
    /// The page begins after the entity with this identity.
    After(String),
}

impl CursorRole {
    /// What a cursor encodes.
    pub fn read(&self, text: &str) -> Option<Cursor> {
        if let Some((before, after)) = self.pattern.split_once("{id}") {
            let plain = if self.base64 { decode64(text)? } else { text.to_owned() };
            let id = plain.strip_prefix(before)?.strip_suffix(after)?;
            return (!id.is_empty()).then(|| Cursor::After(id.to_owned()));
        }
        let plain = if self.base64 { decode64(text)? } else { text.to_owned() };
        let (mut offset, mut size) = (None, None);
        let mut rest = plain.as_str();
        let mut pattern = self.pattern.as_str();
        while !pattern.is_empty() {
            if let Some(after) = pattern.strip_prefix("{offset}").or_else(|| pattern.strip_prefix("{size}")) {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let number = rest.get(..digits)?.parse().ok()?;
                if pattern.starts_with("{offset}") {
                    offset = Some(number)
                } else {
                    size = Some(number)
                }
                rest = &rest[digits..];
                pattern = after;
            } else {
                let character = pattern.chars().next()?;
                rest = rest.strip_prefix(character)?;
                pattern = &pattern[character.len_utf8()..];
            }
        }
        rest.is_empty().then_some(Cursor::Offset(offset?, size))
    }

    /// The cursor of the page after a window, whose last entity is `last`. `like` is a recorded cursor, whose base64 is
    /// kept (padded or not, for addresses or not).
    pub fn write(&self, offset: u64, size: u64, last: &str, like: &str) -> String {
        let plain = self.pattern.replace("{offset}", &offset.to_string()).replace("{size}", &size.to_string());
        let plain = plain.replace("{id}", last);
        if self.base64 { encode64(&plain, like) } else { plain }
    }
}

/// Base64 as cursors are written, to text: padded or not, by either alphabet.
pub fn decode64(text: &str) -> Option<String> {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
    let bytes = STANDARD
        .decode(text)
        .or_else(|_| STANDARD_NO_PAD.decode(text))
        .or_else(|_| URL_SAFE.decode(text))
        .or_else(|_| URL_SAFE_NO_PAD.decode(text))
        .ok()?;
    String::from_utf8(bytes).ok()
}

/// Base64 with the padding and the alphabet of another one.
fn encode64(text: &str, like: &str) -> String {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
    let padded = like.is_empty() || like.len().is_multiple_of(4);
    let address = like.contains(['-', '_']);
    match (address, padded) {
        (false, true) => STANDARD.encode(text),
        (false, false) => STANDARD_NO_PAD.encode(text),
        (true, true) => URL_SAFE.encode(text),
        (true, false) => URL_SAFE_NO_PAD.encode(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::wrong_text("x{offset}", "y3")]
    #[case::no_number("x{offset}", "x")]
    #[case::rest("x{offset}", "x3y")]
    #[case::no_offset("{size}", "3")]
    #[case::too_large("{offset}", "99999999999999999999999")]
    fn no_cursor(#[case] pattern: &str, #[case] text: &str) {
        let cursor = CursorRole { base64: false, like: String::new(), pattern: pattern.to_owned() };
        assert_eq!(cursor.read(text), None);
        assert_eq!(CursorRole { base64: true, ..cursor }.read("!"), None);
    }

    proptest! {
        #[test]
        fn cursors_are_read_as_they_are_written(
            base64 in any::<bool>(), offset in any::<u64>(), size in any::<u64>(), sized in any::<bool>(),
            before in "[a-zé:\"]{0,4}", after in "[a-z}]{0,4}",
        ) {
            let pattern = if sized { format!("{before}{{offset}},{{size}}{after}") } else { format!("{before}{{offset}}{after}") };
            let cursor = CursorRole { base64, like: String::new(), pattern };
            prop_assert_eq!(cursor.read(&cursor.write(offset, size, "", "")), Some(Cursor::Offset(offset, sized.then_some(size))));
        }

        #[test]
        fn any_cursor_is_read_or_refused(pattern in "[a-zé{}]{0,8}", text in "[a-z0-9é=]{0,12}") {
            for base64 in [false, true] {
                let _ = CursorRole { base64, like: String::new(), pattern: format!("{pattern}{{offset}}") }.read(&text);
            }
        }
    }
}
