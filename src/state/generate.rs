//! Values that a write makes: deterministic from the state's Evidence id, the tool, the member and the count of writes.
//! While recordings are replayed, the recorded values are taken instead.

use super::path::MemberPath;
use super::text_rule::{Piece, make_text};
use crate::json::Value;
use sha2::{Digest, Sha256};

/// A kind of generated text or number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Generator {
    /// One past the largest that is held or was generated.
    Sequence {
        /// Which entities are counted together.
        scope: SequenceScope,
        /// The first number, where none is held that is larger.
        start: i64,
        /// Digits of a text spelling, zero-padded to this width; `None` is a number.
        digits: Option<usize>,
    },
    /// A UUID of a version.
    Uuid {
        /// The version digit.
        version: char,
    },
    /// A text of letters and digits.
    Token {
        /// The characters it is made of.
        alphabet: Box<str>,
        /// How many.
        length: usize,
    },
    /// A token or UUID that begins with what rises from one to the next, such as its time.
    Rising(Box<Generator>),
    /// A text with a token in it.
    Framed {
        /// What is before the token, from the entity's members.
        before: Vec<Piece>,
        /// The token.
        token: Box<Generator>,
        /// What is behind it.
        after: Vec<Piece>,
    },
}

/// Which entities share a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceScope {
    /// All of the type.
    Type,
    /// Those of one collection.
    Collection,
    /// Those that hold the same value in a member.
    Member(MemberPath),
    /// All of the type, by their identities: a number inside of an entity that is taken from the same sequence.
    Shared,
}

/// Lower-case hex digits.
const HEX: &str = "0123456789abcdef";
/// Lower-case letters and digits.
const LOWER: &str = "0123456789abcdefghijklmnopqrstuvwxyz";
/// Letters and digits.
const MIXED: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Letters, digits and signs of encoded bytes, the padding last.
const ENCODED: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/=";
/// The padding of encoded bytes.
const PADDING: char = '=';
/// Characters: shorter texts of encoded bytes may be of anything.
const MIN_ENCODED: usize = 32;
/// Characters: shorter texts are not taken for generated ones.
const MIN_TOKEN: usize = 8;
/// Characters at the beginning of a text that say when it was made.
const HEAD: usize = 8;
/// Characters of a UUID.
const UUID: usize = 36;

impl Generator {
    /// The generator of a recorded text that looks made at random: a UUID, or letters and digits in no word's order.
    pub fn of_text(text: &str) -> Option<Self> {
        if is_uuid(text) {
            return Some(Self::Uuid { version: text.chars().nth(14).unwrap_or('4') });
        }
        let ascii = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let digit = text.bytes().any(|byte| byte.is_ascii_digit());
        let letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        if is_encoded(text) {
            return Some(Self::Token { alphabet: ENCODED.into(), length: text.len() });
        }
        if text.len() < MIN_TOKEN || !ascii || !digit || !letter {
            return None;
        }
        let alphabet =
            [HEX, LOWER, MIXED].into_iter().find(|alphabet| text.chars().all(|next| alphabet.contains(next)))?;
        Some(Self::Token { alphabet: alphabet.into(), length: text.len() })
    }

    /// The generator of both: the wider alphabet.
    pub fn joined(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Token { alphabet, length }, Self::Token { alphabet: second, length: same }) if length == same => {
                let alphabet = if alphabet.len() >= second.len() { alphabet } else { second };
                Some(Self::Token { alphabet: alphabet.clone(), length: *length })
            }
            (one, other) if one == other => Some(one.clone()),
            _ => None,
        }
    }

    /// A made text in what is around it for an entity; `None` where a member of that is not known.
    pub fn around(&self, text: String, entity: &Value) -> Option<String> {
        match self {
            Self::Framed { before, after, .. } => {
                Some(format!("{}{text}{}", make_text(before, entity)?, make_text(after, entity)?))
            }
            _ => Some(text),
        }
    }

    /// The word by which the comparison knows the rule.
    pub fn word(&self, renewed: bool) -> &'static str {
        match self {
            _ if renewed => "renewed",
            Self::Sequence { .. } => "sequence",
            Self::Uuid { .. } => "unique",
            Self::Rising(made) => made.word(renewed),
            Self::Token { .. } | Self::Framed { .. } => "token",
        }
    }

    /// What a text begins with, as a number in the letters that it is made of; `None` where it is not one of these texts.
    pub fn height(&self, text: &str) -> Option<i64> {
        let letters = self.letters()?;
        let head = text.get(..HEAD).filter(|_| text.len() == self.length())?;
        head.chars().try_fold(0, |height: i64, letter| {
            let digit = letters.find(letter)?;
            Some(height * i64::try_from(letters.len()).ok()? + i64::try_from(digit).ok()?)
        })
    }

    /// The text with another beginning; `None` where there is none so large.
    pub fn raised(&self, text: &str, height: i64) -> Option<String> {
        let letters: Vec<char> = self.letters()?.chars().collect();
        let base = i64::try_from(letters.len()).ok()?;
        let mut head = Vec::with_capacity(HEAD);
        let mut rest = height;
        for _ in 0..HEAD {
            head.push(*letters.get(usize::try_from(rest % base).ok()?)?);
            rest /= base;
        }
        (rest == 0).then(|| head.into_iter().rev().chain(text.chars().skip(HEAD)).collect())
    }

    /// The letters of a text, in the order of their rank.
    fn letters(&self) -> Option<&str> {
        match self {
            Self::Token { alphabet, .. } if **alphabet != *ENCODED => Some(alphabet),
            // Versions that begin with the time; others rise by chance.
            Self::Uuid { version: '6' | '7' } => Some(HEX),
            Self::Rising(made) => made.letters(),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::Token { length, .. } => *length,
            Self::Uuid { .. } => UUID,
            Self::Rising(made) => made.length(),
            Self::Sequence { .. } | Self::Framed { .. } => 0,
        }
    }

    /// A text from the digest of what names it; `attempt` makes another one. Of a text with a token in it, the token.
    pub fn text(&self, named: &[&str], count: u64, attempt: u64) -> Option<String> {
        let mut bytes = Vec::new();
        let mut block = 0u64;
        let mut take = |wanted: usize| {
            while bytes.len() < wanted {
                let mut hasher = Sha256::new();
                for part in named {
                    hasher.update((part.len() as u64).to_be_bytes());
                    hasher.update(part.as_bytes());
                }
                hasher.update(count.to_be_bytes());
                hasher.update(attempt.to_be_bytes());
                hasher.update(block.to_be_bytes());
                bytes.extend_from_slice(&hasher.finalize());
                block += 1;
            }
            bytes[..wanted].to_vec()
        };
        match self {
            Self::Sequence { .. } => None,
            Self::Framed { token: made, .. } | Self::Rising(made) => made.text(named, count, attempt),
            Self::Uuid { version } => {
                let hex: Vec<char> = take(16).iter().flat_map(|byte| [byte >> 4, byte & 15]).map(hex_digit).collect();
                let mut text = String::with_capacity(36);
                for (at, digit) in hex.into_iter().enumerate() {
                    if matches!(at, 8 | 12 | 16 | 20) {
                        text.push('-');
                    }
                    text.push(match at {
                        12 => *version,
                        16 => match digit {
                            '0'..='3' => '8',
                            '4'..='7' => '9',
                            '8'..='9' | 'a'..='b' => 'a',
                            _ => 'b',
                        },
                        _ => digit,
                    });
                }
                Some(text)
            }
            Self::Token { alphabet, length } => {
                let padded = alphabet.ends_with(PADDING);
                let letters: Vec<char> = alphabet.chars().filter(|letter| *letter != PADDING).collect();
                if padded {
                    let text: String = take(length.saturating_sub(1))
                        .iter()
                        .map(|byte| letters[usize::from(*byte) % letters.len()])
                        .collect();
                    return Some(format!("{}{PADDING}", digit_and_letter(text)));
                }
                let text = take(*length).iter().map(|byte| letters[usize::from(*byte) % letters.len()]).collect();
                let text = digit_and_letter(text);
                Some(if **alphabet == *MIXED { both_cases(text) } else { text })
            }
        }
    }
}

/// Whether a text is of bytes that were encoded, as what is encrypted is: padded to groups of four, letters of both cases
/// and digits in it.
fn is_encoded(text: &str) -> bool {
    let body = text.trim_end_matches(PADDING);
    let signs = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len() >= MIN_ENCODED
        && text.len().is_multiple_of(4)
        && matches!(text.len() - body.len(), 1 | 2)
        && body.bytes().all(signs)
        && body.bytes().any(|byte| byte.is_ascii_digit())
        && body.bytes().any(|byte| byte.is_ascii_lowercase())
        && body.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// A token always shows both kinds, as the recorded ones do.
fn digit_and_letter(text: String) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if !letters.iter().any(char::is_ascii_digit)
        && let Some(first) = letters.first_mut()
    {
        *first = '7';
    }
    if !letters.iter().any(char::is_ascii_alphabetic)
        && let Some(last) = letters.last_mut()
    {
        *last = 'c';
    }
    letters.into_iter().collect()
}

/// A token of letters of both cases always shows both: a comparison takes it for a made one by that.
fn both_cases(text: String) -> String {
    let lacks = |case: fn(&char) -> bool| !text.chars().any(|letter| case(&letter));
    let (upper, lower) = (lacks(char::is_ascii_uppercase), lacks(char::is_ascii_lowercase));
    let mut letters: Vec<char> = text.chars().collect();
    if let Some(last) = letters.iter_mut().rev().find(|letter| letter.is_ascii_alphabetic()) {
        match (upper, lower) {
            (true, _) => last.make_ascii_uppercase(),
            (_, true) => last.make_ascii_lowercase(),
            _ => {}
        }
    }
    letters.into_iter().collect()
}

fn hex_digit(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16).unwrap_or('0')
}

/// Whether a text is a UUID in lower case.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        })
}

/// The number that a value counts: an integer, or a text of digits.
pub fn counted(value: &Value) -> Option<(i64, Option<usize>)> {
    if let Some(number) = value.as_number() {
        return number.as_i64().map(|number| (number, None));
    }
    let text = value.as_str().filter(|text| !text.is_empty() && text.len() <= 18)?;
    let width = if text.len() > 1 && text.starts_with('0') { text.len() } else { 1 };
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
        .map(|number| (number, Some(width)))
}

/// A count as a generator spells it.
pub fn count_value(number: i64, digits: Option<usize>) -> Value {
    match digits {
        None => Value::from(number),
        Some(width) => Value::from(format!("{number:0width$}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::upper_alone("B3NC7UL6JKH0MZCD", "B3NC7UL6JKH0MZCd")]
    #[case::lower_alone("b3nc7ul6jkh0mz77", "b3nc7ul6jkh0mZ77")]
    #[case::both("G0lkaoBiM1d86M88", "G0lkaoBiM1d86M88")]
    fn a_token_of_both_cases_shows_both(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(both_cases(text.to_owned()), expected);
    }

    #[rstest]
    #[case("890fdee9-02e5-48cf-870f-a893ad87abe4")]
    #[case("6b0c88d7e251ff2fe5bb50de")]
    #[case("FFsNIvkg6XVEEPnH")]
    #[case("u0ia4y3pyrjqyv3khi5ta3nf")]
    #[case("U2FsdGVkX1++kBXxHmmUnvi4MOtWS0BngdKwgL+Bx/lqlRzBF5D3mMh9IvF+wo==")]
    fn made_texts_look_like_recorded_ones(#[case] recorded: &str) {
        let generator = Generator::of_text(recorded).unwrap();
        let made = generator.text(&["ev", "tool", "/id"], 3, 0).unwrap();
        assert_eq!(made.len(), recorded.len());
        assert_eq!(Generator::of_text(&made).and_then(|held| held.joined(&generator)), Some(generator.clone()));
        assert_eq!(generator.text(&["ev", "tool", "/id"], 3, 0).unwrap(), made);
        for other in [generator.text(&["ev", "tool", "/id"], 4, 0), generator.text(&["ev", "tool", "/id"], 3, 1)] {
            assert_ne!(other.unwrap(), made);
        }
    }

    #[rstest]
    #[case::of_time("0199c2a4-7d1e-7a11-9f0a-c8a1d2e3f405", true)]
    #[case::of_time_reordered("1f0b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d", true)]
    #[case::at_random("890fdee9-02e5-48cf-870f-a893ad87abe4", false)]
    fn only_identities_that_begin_with_the_time_rise(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(Generator::of_text(text).unwrap().height(text).is_some(), expected);
    }

    #[rstest]
    #[case("gardens")]
    #[case("2026")]
    #[case("a1")]
    #[case("first draft 2")]
    fn words_are_not_made(#[case] text: &str) {
        assert_eq!(Generator::of_text(text), None);
    }

    #[rstest]
    #[case("7", Some((7, None)))]
    #[case("\"7\"", Some((7, Some(1))))]
    #[case("\"007\"", Some((7, Some(3))))]
    #[case("1.5", None)]
    #[case("\"x7\"", None)]
    fn counts(#[case] text: &str, #[case] expected: Option<(i64, Option<usize>)>) {
        let value = crate::json::parse(text.as_bytes()).unwrap();
        assert_eq!(counted(&value), expected);
        if let Some((number, digits)) = expected {
            assert!(count_value(number, digits).same_as(&value));
        }
    }
}
