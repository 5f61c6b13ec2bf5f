//! How captured text is shown where only a sample fits: cut at a character within the display budget and marked, lists
//! as whole values with the number that was left out.

use super::limits::MAX_DISPLAY_BYTES;
use crate::json::{Text, write_string};

/// The longest prefix of at most `limit` bytes that ends at a character.
pub(super) fn prefix(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0);
    &text[..end]
}

/// The text within the display budget, and whether it was cut.
pub(super) fn bounded(text: &str) -> (&str, bool) {
    let shown = prefix(text, MAX_DISPLAY_BYTES);
    (shown, shown.len() < text.len())
}

/// The text, or its marked prefix when it is over the budget.
pub(super) fn marked(text: &str) -> String {
    match bounded(text) {
        (shown, false) => shown.to_owned(),
        (shown, true) => format!("{shown}… (truncated)"),
    }
}

/// The text as a JSON string, so that it cannot read as anything but a name; a marked, quoted prefix when it is over the
/// budget.
pub(super) fn quoted(text: &str) -> String {
    let (shown, cut) = bounded(text);
    let mut out = json_string(shown);
    if cut {
        out.push_str(" (truncated)");
    }
    out
}

/// The text as it is when it is a plain word, else as a JSON string.
pub(super) fn word(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.~%:@+/".contains(character);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { json_string(text) }
}

/// Items joined by `, ` as far as they fit the display budget whole, then how many did not.
pub(super) fn sample(items: impl IntoIterator<Item = String>) -> String {
    let mut out = String::new();
    let mut omitted = 0_usize;
    for item in items {
        let separator = if out.is_empty() { "" } else { ", " };
        if omitted == 0 && out.len() + separator.len() + item.len() <= MAX_DISPLAY_BYTES {
            out.push_str(separator);
            out.push_str(&item);
        } else {
            omitted += 1;
        }
    }
    match (out.is_empty(), omitted) {
        (_, 0) => out,
        (true, count) => format!("{count} not shown"),
        (false, count) => format!("{out} and {count} more"),
    }
}

fn json_string(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(&Text::from(text), &mut out);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::fits("abc", 3, "abc")]
    #[case::cut("abcd", 3, "abc")]
    #[case::inside_a_character("aé", 2, "a")]
    #[case::nothing("é", 1, "")]
    fn prefixes_end_at_a_character(#[case] text: &str, #[case] limit: usize, #[case] expected: &str) {
        assert_eq!(prefix(text, limit), expected);
    }

    #[test]
    fn long_texts_are_marked() {
        let long = "x".repeat(MAX_DISPLAY_BYTES + 1);
        assert_eq!(marked(&long), format!("{}… (truncated)", "x".repeat(MAX_DISPLAY_BYTES)));
        assert_eq!(quoted(&long), format!("\"{}\" (truncated)", "x".repeat(MAX_DISPLAY_BYTES)));
        assert_eq!(quoted("a\"; returns"), r#""a\"; returns""#);
    }

    #[rstest]
    #[case("2", "2")]
    #[case("a-b_c.d~e%20f", "a-b_c.d~e%20f")]
    #[case("", "\"\"")]
    #[case("a, b", "\"a, b\"")]
    #[case("line\nbreak", "\"line\\nbreak\"")]
    fn only_plain_words_stand_without_quotes(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(word(text), expected);
    }

    #[test]
    fn lists_show_whole_values_and_count_the_rest() {
        assert_eq!(sample(["2".to_owned(), "3".to_owned()]), "2, 3");
        let items = (0..500).map(|index| format!("value-{index:04}"));
        let shown = sample(items);
        assert!(shown.starts_with("value-0000, value-0001"), "{shown}");
        assert!(shown.ends_with("value-0084 and 415 more"), "{shown}");
        assert_eq!(sample(["x".repeat(MAX_DISPLAY_BYTES + 1)]), "1 not shown");
        assert_eq!(sample([]), "");
    }
}
