//! Writing a document: compact, or indented by two. Strings escape only what JSON requires; an unpaired surrogate is
//! written as `\udxxx`.

use super::scan::find_special;
use super::text::decode;
use super::{Object, Text, Value};

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
    if let Value::Rendered(rendered) = value {
        return sink.put(rendered.compact());
    }
    match value.plain() {
        Value::Array(items) => {
            sink.put(b"[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    sink.put(b",");
                }
                write_compact(item, sink);
            }
            sink.put(b"]");
        }
        Value::Object(object) => write_compact_object(object, sink),
        scalar => write_scalar(scalar, sink),
    }
}

/// Writes an object without white space.
pub fn write_compact_object(object: &Object, sink: &mut impl Sink) {
    sink.put(b"{");
    for (index, (name, value)) in object.iter().enumerate() {
        if index > 0 {
            sink.put(b",");
        }
        write_string(name, sink);
        sink.put(b":");
        write_compact(value, sink);
    }
    sink.put(b"}");
}

/// Writes `value` indented by two; `{}` and `[]` stay on one line. No trailing newline.
pub fn write_pretty(value: &Value, sink: &mut impl Sink) {
    pretty(value, 0, sink);
}

fn pretty(value: &Value, level: usize, sink: &mut impl Sink) {
    match value.plain() {
        Value::Array(items) if !items.is_empty() => {
            sink.put(b"[");
            for (index, item) in items.iter().enumerate() {
                new_line(index > 0, level + 1, sink);
                pretty(item, level + 1, sink);
            }
            new_line(false, level, sink);
            sink.put(b"]");
        }
        Value::Object(object) if !object.is_empty() => {
            sink.put(b"{");
            for (index, (name, value)) in object.iter().enumerate() {
                new_line(index > 0, level + 1, sink);
                write_string(name, sink);
                sink.put(b": ");
                pretty(value, level + 1, sink);
            }
            new_line(false, level, sink);
            sink.put(b"}");
        }
        other => write_compact(other, sink),
    }
}

fn new_line(comma: bool, level: usize, sink: &mut impl Sink) {
    const SPACES: [u8; 64] = [b' '; 64];
    sink.put(if comma { b",\n" } else { b"\n" });
    let mut left = level * 2;
    while left > 0 {
        let now = left.min(SPACES.len());
        sink.put(&SPACES[..now]);
        left -= now;
    }
}

/// Writes anything but a container.
fn write_scalar(value: &Value, sink: &mut impl Sink) {
    match value {
        Value::Bool(true) => sink.put(b"true"),
        Value::Bool(false) => sink.put(b"false"),
        Value::Number(number) => sink.put(number.as_str().as_bytes()),
        Value::String(text) => write_string(text, sink),
        Value::Null | Value::Array(_) | Value::Object(_) | Value::Shared(_) | Value::Rendered(_) => sink.put(b"null"),
    }
}

/// Writes one text with its quotes.
pub fn write_string(text: &Text, sink: &mut impl Sink) {
    sink.put(b"\"");
    match text {
        Text::Utf8(text) => escape(text.as_bytes(), sink),
        Text::Shared(text) => escape(text.as_bytes(), sink),
        Text::Wtf8(bytes) => escape_wtf8(bytes, sink),
    }
    sink.put(b"\"");
}

fn escape(bytes: &[u8], sink: &mut impl Sink) {
    let mut run = 0;
    loop {
        let end = find_special(bytes, run);
        if end > run {
            sink.put(&bytes[run..end]);
        }
        let Some(&byte) = bytes.get(end) else { return };
        match byte {
            b'"' => sink.put(b"\\\""),
            b'\\' => sink.put(b"\\\\"),
            0x08 => sink.put(b"\\b"),
            0x09 => sink.put(b"\\t"),
            0x0a => sink.put(b"\\n"),
            0x0c => sink.put(b"\\f"),
            0x0d => sink.put(b"\\r"),
            control => put_unit(u32::from(control), sink),
        }
        run = end + 1;
    }
}

/// As [`escape`], with every surrogate (`ED A0..BF xx`) as an escape.
fn escape_wtf8(bytes: &[u8], sink: &mut impl Sink) {
    let mut run = 0;
    let mut at = 0;
    while let Some((code, length)) = bytes.get(at..).and_then(decode) {
        if (0xd800..0xe000).contains(&code) {
            escape(&bytes[run..at], sink);
            put_unit(code, sink);
            run = at + length;
        }
        at += length;
    }
    escape(bytes.get(run..).unwrap_or_default(), sink);
}

/// Writes `\uxxxx` in lower-case hex.
fn put_unit(unit: u32, sink: &mut impl Sink) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let digit = |shift: u32| HEX[(unit >> shift & 0xf) as usize];
    sink.put(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

impl Value {
    /// The compact text of the value. (WTF-8 texts are escaped, so the result is always UTF-8.)
    pub fn to_compact(&self) -> String {
        let mut out = Vec::new();
        write_compact(self, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// The text of the value indented by two, without a trailing newline.
    pub fn to_pretty(&self) -> String {
        let mut out = Vec::new();
        write_pretty(self, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }
}
