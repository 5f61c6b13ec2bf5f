//! Finding the next byte of a text that cannot stand for itself, eight bytes at a time. Reading and writing share it.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Index of the first `"`, `\` or control character (below U+0020) in `bytes[from..]`, or the length of `bytes`.
pub(super) fn find_special(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let Some(rest) = bytes.get(from..) else { return bytes.len() };
    let (words, tail) = rest.as_chunks::<8>();
    for word in words {
        let found = specials(u64::from_le_bytes(*word));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    for &byte in tail {
        if is_special(byte) {
            return at;
        }
        at += 1;
    }
    at
}

/// Whether a byte ends a run of plain text.
fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The high bit of every special byte of a little-endian word. Bits above the lowest one may be wrong (a borrow runs
/// upwards only), and only the lowest is used.
fn specials(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let has_quote = quote.wrapping_sub(ONES) & !quote;
    let has_backslash = backslash.wrapping_sub(ONES) & !backslash;
    let has_control = word.wrapping_sub(ONES * 0x20) & !word;
    (has_quote | has_backslash | has_control) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_special_byte_at_every_place() {
        for length in 0..40 {
            for place in 0..length {
                for byte in 0..=255u8 {
                    for filler in [b'a', 0x7f, 0x80, 0xff, b'!', b'#', b'[', b']', b' '] {
                        let mut bytes = vec![filler; length];
                        bytes[place] = byte;
                        let expected = if is_special(byte) { place } else { length };
                        assert_eq!(find_special(&bytes, 0), expected, "{byte:#x} at {place} of {length}");
                        assert_eq!(find_special(&bytes, place), expected);
                    }
                }
            }
        }
        assert_eq!(find_special(b"abc", 9), 3);
    }
}
