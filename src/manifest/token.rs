//! Whether a segment looks like a token that a program made: letters and digits mixed so that it is not words and a
//! small number.

use super::limits::MIN_TOKEN_CHARS;
use super::segment::SegmentFormat;

/// Whether a text is one that a program made: an identifier of a known format other than a plain number, or an opaque
/// token.
pub fn is_made_token(text: &str) -> bool {
    match SegmentFormat::of(text) {
        Some(SegmentFormat::Numeric | SegmentFormat::Date) => false,
        Some(_) => true,
        None => is_opaque_token(text),
    }
}

/// Whether a decoded segment is an opaque token: some run of eight or more letters and digits (a whole segment, or one
/// part between separators) that does not read as words with small numbers.
pub(super) fn is_opaque_token(decoded: &str) -> bool {
    decoded.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '~' | '=' | '.'))
        && decoded.split(['-', '_', '~', '=', '.']).any(is_opaque_run)
}

fn is_opaque_run(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    run.len() >= MIN_TOKEN_CHARS && digits > 0 && digits < run.len() && !reads_as_words(run)
}

/// Words in camel case or lower case with at most two small numbers: `oauth2callback`, `sha256sum`, `Report2024`.
fn reads_as_words(run: &str) -> bool {
    let mut numbers = 0;
    let mut short = 0;
    for piece in pieces(run) {
        if piece.starts_with(|c: char| c.is_ascii_digit()) {
            numbers += 1;
            if numbers > 2 || piece.len() > 4 {
                return false;
            }
        } else if piece.len() <= 2 {
            short += 1;
            if short > 2 {
                return false;
            }
        } else if !is_pronounceable(piece) {
            return false;
        }
    }
    // `a1b2c3d4` and `k3jd82ls` have short pieces only; words have a long one.
    pieces(run).any(|piece| piece.len() >= 3 && piece.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Splits between letters and digits and before a capital that follows a small letter.
fn pieces(run: &str) -> impl Iterator<Item = &str> {
    let bytes = run.as_bytes();
    let mut start = 0;
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for index in 1..bytes.len() {
        let (before, here) = (bytes[index - 1], bytes[index]);
        if before.is_ascii_digit() != here.is_ascii_digit()
            || (before.is_ascii_lowercase() && here.is_ascii_uppercase())
        {
            ends.push((start, index));
            start = index;
        }
    }
    ends.push((start, bytes.len()));
    ends.into_iter().filter_map(move |(start, end)| run.get(start..end))
}

/// A run of letters that could be a word: a vowel in it, and no five consonants in a row (`y` counts as a vowel).
fn is_pronounceable(word: &str) -> bool {
    let mut vowels = 0;
    let mut consonants = 0;
    for byte in word.bytes() {
        if matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y') {
            vowels += 1;
            consonants = 0;
        } else {
            consonants += 1;
            if consonants >= 5 {
                return false;
            }
        }
    }
    vowels > 0 || word.len() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("V1StGXR8Z5jdHi6B")]
    #[case("a1b2c3d4")]
    #[case("k3jd82ls")]
    #[case("ekqaumygyq1d015nzur6mdki")]
    #[case("c2444ad6n0si8vv5j958vb0k")]
    #[case("cus_Ab8Fj2kQ91Lm")]
    #[case("3f2504e0f")]
    #[case("eyJhbGciOiJIUzI1NiJ9")]
    fn tokens(#[case] text: &str) {
        assert!(is_opaque_token(text), "{text}");
    }

    #[rstest]
    #[case("users")]
    #[case("python3")]
    #[case("oauth2callback")]
    #[case("sha256sum")]
    #[case("Report2024")]
    #[case("experiment-2")]
    #[case("without-permissions")]
    #[case("web2-service")]
    #[case("base64encode")]
    #[case("2fa-settings")]
    #[case("12345678")]
    #[case("cus_8Fj2")]
    #[case("admin-ajax.php")]
    #[case("day1.txt")]
    #[case("block-patterns")]
    #[case("getUserById2")]
    fn words(#[case] text: &str) {
        assert!(!is_opaque_token(text), "{text}");
    }
}
