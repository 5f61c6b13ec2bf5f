//! Writing a document: compact, or indented by two. Strings escape only what JSON requires; an unpaired surrogate is
//! written as `\udxxx`.

use super::{Text, Value};

/// Where bytes go: a buffer, a digest, a counter. Writing cannot fail.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Writes `value` without white space; numbers keep their text.
pub fn write_compact(value: &Value, sink: &mut impl Sink) {
    todo!("{value:?}");
    #[allow(unreachable_code)]
    sink.put(b"")
}

/// Writes `value` indented by two; `{}` and `[]` stay on one line. No trailing newline.
pub fn write_pretty(value: &Value, sink: &mut impl Sink) {
    todo!("{value:?}");
    #[allow(unreachable_code)]
    sink.put(b"")
}

/// Writes one text with its quotes.
pub fn write_string(text: &Text, sink: &mut impl Sink) {
    todo!("{text:?}");
    #[allow(unreachable_code)]
    sink.put(b"")
}

impl Value {
    /// The compact text of the value. (WTF-8 texts are escaped, so the result is always UTF-8.)
    pub fn to_compact(&self) -> String {
        let mut out = Vec::new();
        write_compact(self, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }
}
