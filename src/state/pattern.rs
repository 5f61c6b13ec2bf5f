//! Patterns: texts of a capture that are read as regular expressions. They are untrusted, so a pattern is of limited size,
//! and a match takes time in proportion to pattern and text. What is not understood, or too large, is no pattern at all:
//! there is no guess. Nothing here knows of entities.

use regex_lite::{Regex, RegexBuilder};

/// Bytes of a pattern, at the most.
const MAX_PATTERN: usize = 256;
/// Bytes of a text that is matched, at the most.
const MAX_TEXT: usize = 4096;
/// Bytes of a pattern that is ready to match.
const MAX_READY: usize = 64 * 1024;
/// Groups in groups.
const MAX_DEPTH: u32 = 16;
/// What says "and never gives back" elsewhere, and "once more" here.
const POSSESSIVE: [&str; 4] = ["++", "*+", "?+", "}+"];

/// A pattern that is understood.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// A text as a pattern; `None` where it is none that is understood.
    pub fn of(text: &str) -> Option<Self> {
        if text.len() > MAX_PATTERN || POSSESSIVE.iter().any(|sign| text.contains(sign)) {
            return None;
        }
        RegexBuilder::new(text).size_limit(MAX_READY).nest_limit(MAX_DEPTH).build().ok().map(Self)
    }

    /// Whether the pattern is somewhere in a text; `None` where the text is too long to say.
    pub fn is_in(&self, text: &str) -> Option<bool> {
        (text.len() <= MAX_TEXT).then(|| self.0.is_match(text))
    }

    /// Whether a text says more as a pattern than as a plain text.
    pub fn is_telling(text: &str) -> bool {
        text.contains(['^', '$', '*', '+', '[', '(', '|', '\\'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case::start("^order", "orders", true)]
    #[case::not_at_the_start("^order", "reorders", false)]
    #[case::anywhere("order", "reorders", true)]
    #[case::whole("^orders$", "orders.late", false)]
    #[case::anything(".*", "", true)]
    #[case::plain_dot(r"^a\.b$", "a.b", true)]
    #[case::no_plain_dot(r"^a\.b$", "axb", false)]
    #[case::either("^(amq|dead)\\.", "dead.orders", true)]
    #[case::neither("^(amq|dead)\\.", "orders.dead", false)]
    #[case::either_at_the_top("^a$|^b$", "b", true)]
    #[case::class("^[a-c_]+$", "a_c", true)]
    #[case::not_in_class("^[^0-9]+$", "a1", false)]
    #[case::digits(r"-\d{2,3}$", "mail-123", true)]
    #[case::too_many_digits(r"-\d{2,3}$", "mail-1234", false)]
    #[case::at_least("^x{2,}$", "xxx", true)]
    #[case::maybe("^colou?r$", "color", true)]
    #[case::group("^(?:ab)*$", "abab", true)]
    #[case::lazy("^a+?b$", "aab", true)]
    #[case::word_end(r"a\b", "ba c", true)]
    #[case::any_case("(?i)^order", "ORDERS", true)]
    fn a_pattern_is_in_a_text_or_not(#[case] pattern: &str, #[case] text: &str, #[case] expected: bool) {
        assert_eq!(Pattern::of(pattern).unwrap().is_in(text), Some(expected));
    }

    #[rstest::rstest]
    #[case::look_ahead("^(?!amq)")]
    #[case::back_reference(r"(a)\1")]
    #[case::never_gives_back("a++")]
    #[case::nothing_to_repeat("*")]
    #[case::open_group("(a")]
    #[case::closed_group("a)")]
    #[case::open_class("[a")]
    #[case::too_often("(((a{60}){60}){60}){60}")]
    #[case::too_long(&"a".repeat(300))]
    #[case::too_deep(&format!("{}a{}", "(".repeat(40), ")".repeat(40)))]
    fn what_is_not_understood_is_no_pattern(#[case] pattern: &str) {
        assert!(Pattern::of(pattern).is_none());
    }

    #[test]
    fn a_match_takes_time_in_proportion() {
        let pattern = Pattern::of("^((a*)*)*((a*)*)*b$").unwrap();
        assert_eq!(pattern.is_in(&"a".repeat(4000)), Some(false));
        assert_eq!(pattern.is_in(&"a".repeat(5000)), None);
    }
}
