//! Words and orders that the reports for people share.

use super::limits::{FAIR_AGREEMENT, GOOD_AGREEMENT};
use crate::compare::{Agreement, Comparison, Normalised, Step, ToolResult};
use std::borrow::Cow;

/// How good an agreement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    Good,
    Fair,
    Bad,
    Unknown,
}

/// The grade of a share.
pub(super) fn grade(share: Option<f64>) -> Grade {
    match share {
        None => Grade::Unknown,
        Some(share) if share >= GOOD_AGREEMENT => Grade::Good,
        Some(share) if share >= FAIR_AGREEMENT => Grade::Fair,
        Some(_) => Grade::Bad,
    }
}

/// A share for people: `87.5 %`. One that is not whole is never shown as 100 or 0.
pub(super) fn percent(share: Option<f64>) -> String {
    match share {
        None => "–".to_owned(),
        Some(share) => {
            let shown = share * 100.0;
            let shown = if share < 1.0 { shown.min(99.9) } else { shown };
            let shown = if share > 0.0 { shown.max(0.1) } else { shown };
            format!("{shown:.1} %")
        }
    }
}

/// `1 step`, `2 steps`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The tools, those that agree least first; the ones with more calls first among equals, then in manifest order.
pub(super) fn worst_first(comparison: &Comparison) -> Vec<&ToolResult> {
    let mut tools: Vec<&ToolResult> = comparison.tools.iter().collect();
    let share = |agreement: &Agreement| agreement.ratio().unwrap_or(f64::INFINITY);
    tools.sort_by(|a, b| {
        share(&a.agreement).total_cmp(&share(&b.agreement)).then(b.agreement.compared.cmp(&a.agreement.compared))
    });
    tools
}

/// The steps that disagree, with the name of their probe, in the order in which they were made.
pub(super) fn disagreements(comparison: &Comparison) -> impl Iterator<Item = (&str, &Step)> {
    comparison.probes.iter().flat_map(|probe| {
        let disagrees = |step: &&Step| step.verdict.is_some_and(|verdict| !verdict.agrees);
        probe.steps.iter().filter(disagrees).map(|step| (probe.name.as_str(), step))
    })
}

/// `3 ids, 1 clocks`, without the kinds that did not occur; `None` when nothing was normalised.
pub(super) fn normalised(counts: &Normalised) -> Option<String> {
    let named = counts.named();
    let words: Vec<String> =
        named.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Captured text as it may be shown: control characters and those that reorder text are spelled as escapes.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let harmful = |character: char| {
        character.is_control()
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if harmful(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(None, "–")]
    #[case(Some(1.0), "100.0 %")]
    #[case(Some(0.9999), "99.9 %")]
    #[case(Some(0.0), "0.0 %")]
    #[case(Some(0.0001), "0.1 %")]
    #[case(Some(0.875), "87.5 %")]
    fn shares(#[case] share: Option<f64>, #[case] shown: &str) {
        assert_eq!(percent(share), shown);
    }

    #[test]
    fn captured_text_cannot_steer_a_terminal() {
        assert_eq!(visible("a\u{1b}[31m\u{202e}"), "a\\u{1b}[31m\\u{202e}");
    }
}
