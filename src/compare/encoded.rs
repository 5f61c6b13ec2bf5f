//! Texts that hold a text in base64, as cursors do. Knows no identifiers.

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

/// Characters: the shortest text that is read as base64; shorter ones are words too often.
const MIN_ENCODED_CHARS: usize = 8;

/// A spelling of base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spelling(usize);

const SPELLINGS: [GeneralPurpose; 4] = [URL_SAFE_NO_PAD, STANDARD_NO_PAD, URL_SAFE, STANDARD];

impl Spelling {
    /// A text in this spelling.
    pub(crate) fn encode(self, text: &str) -> String {
        SPELLINGS[self.0].encode(text)
    }
}

/// The text that a text encodes, with each spelling that encodes it so: printable, and not empty.
pub(crate) fn decode(text: &str) -> Option<(String, Spelling)> {
    if text.len() < MIN_ENCODED_CHARS || text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return None;
    }
    (0..SPELLINGS.len()).find_map(|at| {
        let plain = String::from_utf8(SPELLINGS[at].decode(text).ok()?).ok()?;
        (!plain.is_empty() && !plain.chars().any(char::is_control)).then_some((plain, Spelling(at)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::no_padding("b3JkXzEyMzQ", Some("ord_1234"))]
    #[case::padding("b3JkXzEyMzQ=", Some("ord_1234"))]
    #[case::short("b3Jk", None)]
    #[case::no_text("////////", None)]
    #[case::not_encoded("hello there", None)]
    fn texts(#[case] text: &str, #[case] plain: Option<&str>) {
        assert_eq!(decode(text).map(|(plain, _)| plain).as_deref(), plain);
    }

    proptest! {
        #[test]
        fn what_is_decoded_encodes_again(text in "[ -~]{6,40}", at in 0usize..4) {
            let encoded = SPELLINGS[at].encode(&text);
            let (plain, spelling) = decode(&encoded).unwrap();
            prop_assert_eq!(&plain, &text);
            prop_assert_eq!(spelling.encode(&plain), encoded);
        }
    }
}
