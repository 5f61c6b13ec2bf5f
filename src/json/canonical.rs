//! The canonical form (RFC 8785) and its digest, computed without building the text: members in UTF-16 order, numbers
//! in JavaScript's spelling.

use super::{Sink, Value};

/// Writes the canonical form. A number that no finite double holds (`1e400`) is written as its own text: Evidence never
/// holds one, and a digest must not fail.
pub fn write_canonical(value: &Value, sink: &mut impl Sink) {
    todo!("{value:?}");
    #[allow(unreachable_code)]
    sink.put(b"")
}

/// The canonical form as bytes.
pub fn canonical_bytes(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write_canonical(value, &mut out);
    out
}

/// Lower-case hex SHA-256 of the canonical form.
pub fn canonical_sha256(value: &Value) -> String {
    todo!("{value:?}")
}
