//! Values as a report shows them: whole when short, else the beginning of their text.

use super::limits::MAX_SHOWN_VALUE_BYTES;
use super::result::Shown;
use crate::json::{Sink, Value, write_compact};

/// A value cut short: the value itself when its compact text is short, else a text that holds its beginning and says how
/// long it is.
pub(crate) fn shown(value: &Value) -> Shown {
    let mut start = Start { kept: Vec::new(), length: 0 };
    write_compact(value, &mut start);
    if start.length <= MAX_SHOWN_VALUE_BYTES {
        return Shown::Whole(value.clone());
    }
    Shown::Cut(format!("{}… ({} bytes)", start.text(), start.length))
}

/// A text cut short, likewise.
pub(crate) fn shown_text(text: &str) -> Shown {
    if text.len() <= MAX_SHOWN_VALUE_BYTES {
        return Shown::Whole(Value::from(text));
    }
    let end = (0..=MAX_SHOWN_VALUE_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    Shown::Cut(format!("{}… ({} bytes)", &text[..end], text.len()))
}

struct Start {
    kept: Vec<u8>,
    length: usize,
}

impl Start {
    fn text(&self) -> String {
        let valid = match std::str::from_utf8(&self.kept) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&self.kept[..error.valid_up_to()]).unwrap_or_default(),
        };
        valid.to_owned()
    }
}

impl Sink for Start {
    fn put(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        let room = MAX_SHOWN_VALUE_BYTES.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn a_short_value_is_whole() {
        let value = parse(br#"{"a":[1,"x"]}"#).unwrap();
        assert_eq!(shown(&value), Shown::Whole(value));
    }

    #[test]
    fn a_long_value_is_its_beginning() {
        let value = Value::from("é".repeat(200));
        let text = shown(&value).to_text();
        assert!(text.starts_with("\"éé") && text.ends_with("… (402 bytes)"), "{text}");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = format!("x{}", "é".repeat(200));
        assert!(shown_text(&text).to_text().ends_with("… (401 bytes)"));
    }
}
