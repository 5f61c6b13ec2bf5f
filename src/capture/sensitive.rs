//! The literal values a caller wants removed (`evidence.md` 3.6): what matches, and what replaces them in messages.
//! Knows nothing of HAR.

use crate::json::Text;

/// The values to remove. Matching is literal: a text that holds one of them anywhere matches.
#[derive(Clone, Debug, Default)]
pub(super) struct Sensitive {
    values: Vec<String>,
    replacement: &'static str,
}

impl Sensitive {
    /// From the caller's values; empty ones match nothing.
    pub(super) fn new(values: &[String]) -> Self {
        let mut values: Vec<String> = values.iter().filter(|value| !value.is_empty()).cloned().collect();
        // Longest first, so that a value inside another does not leave the rest of the longer one behind.
        values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        let replacement = ["[REDACTED]", "…", ""]
            .into_iter()
            .find(|candidate| !values.iter().any(|value| candidate.contains(value.as_str())))
            .unwrap_or_default();
        Self { values, replacement }
    }

    /// Whether nothing is to be removed.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether `text` holds a sensitive value.
    pub(super) fn matches(&self, text: &str) -> bool {
        self.values.iter().any(|value| text.contains(value.as_str()))
    }

    /// Whether a captured text holds a sensitive value.
    pub(super) fn matches_text(&self, text: &Text) -> bool {
        match text.as_str() {
            _ if self.is_empty() => false,
            Some(text) => self.matches(text),
            None => self.matches_bytes(text.as_bytes()),
        }
    }

    /// Whether bytes hold the UTF-8 form of a sensitive value.
    pub(super) fn matches_bytes(&self, bytes: &[u8]) -> bool {
        self.values.iter().any(|value| {
            let wanted = value.as_bytes();
            bytes.windows(wanted.len()).any(|window| window == wanted)
        })
    }

    /// A message without the values.
    pub(super) fn filter(&self, message: &str) -> String {
        let mut message = message.to_owned();
        // A replacement can join its neighbours into another value, so this repeats until none is left; after some
        // rounds nothing is put in its place, so that it ends.
        let mut rounds = 0;
        while let Some(value) = self.values.iter().find(|value| message.contains(value.as_str())) {
            message = message.replace(value.as_str(), if rounds < 16 { self.replacement } else { "" });
            rounds += 1;
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensitive(values: &[&str]) -> Sensitive {
        Sensitive::new(&values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn matches_anywhere() {
        let secret = sensitive(&["hunter2", ""]);
        assert!(secret.matches("x hunter2 y") && secret.matches_bytes(b"\xffhunter2"));
        assert!(!secret.matches("hunter") && !sensitive(&[]).matches("anything"));
    }

    #[test]
    fn the_replacement_holds_no_value() {
        assert_eq!(sensitive(&["hunter2"]).filter("a hunter2 b"), "a [REDACTED] b");
        assert_eq!(sensitive(&["RED"]).filter("a RED b"), "a … b");
        assert_eq!(sensitive(&["D", "…"]).filter("D…x"), "x");
        assert_eq!(sensitive(&["ab"]).filter("aabb"), "a[REDACTED]b");
        assert_eq!(sensitive(&["D", "…", "ab"]).filter("aDb aabb"), " ");
    }
}
