//! The canonical form (RFC 8785) and its digest, computed without building the text: members in UTF-16 order, numbers
//! in JavaScript's spelling.

use super::number::put_canonical;
use super::{Object, Sink, Text, Value, write_compact, write_string};
use sha2::{Digest, Sha256};

/// Writes the canonical form. A number that no finite double holds (`1e400`) is written as its own text: Evidence never
/// holds one, and a digest must not fail.
pub fn write_canonical(value: &Value, sink: &mut impl Sink) {
    match value.plain() {
        Value::Number(number) => put_canonical(number, sink),
        Value::Array(items) => {
            sink.put(b"[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    sink.put(b",");
                }
                write_canonical(item, sink);
            }
            sink.put(b"]");
        }
        Value::Object(object) => write_canonical_object(object, sink),
        scalar => write_compact(scalar, sink),
    }
}

/// Writes the canonical form of an object.
pub fn write_canonical_object(object: &Object, sink: &mut impl Sink) {
    if object.iter().is_sorted_by(|(a, _), (b, _)| a.cmp_utf16(b).is_lt()) {
        return write_members(object.iter(), sink);
    }
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by(|(a, _), (b, _)| a.cmp_utf16(b));
    write_members(members.into_iter(), sink);
}

fn write_members<'a>(members: impl Iterator<Item = &'a (Text, Value)>, sink: &mut impl Sink) {
    sink.put(b"{");
    for (index, (name, value)) in members.enumerate() {
        if index > 0 {
            sink.put(b",");
        }
        write_string(name, sink);
        sink.put(b":");
        write_canonical(value, sink);
    }
    sink.put(b"}");
}

/// The canonical form as bytes.
pub fn canonical_bytes(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write_canonical(value, &mut out);
    out
}

/// Lower-case hex SHA-256 of the canonical form.
pub fn canonical_sha256(value: &Value) -> String {
    let mut digest = CanonicalDigest::new();
    write_canonical(value, &mut digest);
    digest.finish()
}

/// A [`Sink`] that keeps only the SHA-256 of what it takes.
pub struct CanonicalDigest {
    hasher: Sha256,
    pending: Vec<u8>,
}

/// Bytes: small pieces are gathered up to this much before they are hashed.
const GATHERED: usize = 8 * 1024;

impl CanonicalDigest {
    /// The digest of nothing yet.
    pub fn new() -> Self {
        Self { hasher: Sha256::new(), pending: Vec::with_capacity(GATHERED) }
    }

    /// Lower-case hex SHA-256 of everything that was put.
    pub fn finish(mut self) -> String {
        self.hasher.update(&self.pending);
        let mut hex = String::with_capacity(64);
        for byte in self.hasher.finalize() {
            for digit in [byte >> 4, byte & 0xf] {
                hex.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
            }
        }
        hex
    }
}

impl Default for CanonicalDigest {
    fn default() -> Self {
        Self::new()
    }
}

impl Sink for CanonicalDigest {
    fn put(&mut self, bytes: &[u8]) {
        if self.pending.len() + bytes.len() > GATHERED {
            self.hasher.update(&self.pending);
            self.pending.clear();
            if bytes.len() >= GATHERED {
                self.hasher.update(bytes);
                return;
            }
        }
        self.pending.extend_from_slice(bytes);
    }
}
