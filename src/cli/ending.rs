//! How a command ends: the one document it prints and its exit status.

use crate::evidence::{Code, ErrorDocument, Evidence};
use crate::json::Value;
use crate::serve::Signal;
use std::sync::Arc;

/// What standard output gets.
pub enum Document {
    /// An Evidence record, in its printed form.
    Evidence(Arc<Evidence>),
    /// Any other document.
    Value(Value),
    /// Plain text, the same for people and programs (a completion script, a manual page).
    Text(Vec<u8>),
}

/// The end of a command.
pub struct Ending {
    /// What is printed.
    pub document: Document,
    /// The same for people, when the output is read by them; an empty text prints nothing.
    pub people: Option<String>,
    /// Whether the document is an error document.
    pub failed: bool,
    /// For a failure: what happened and what to do next, in one paragraph.
    pub paragraph: Option<String>,
    /// The exit status.
    pub status: u8,
}

impl Ending {
    /// A command that did what it was asked.
    pub fn done(document: Document, people: Option<String>) -> Self {
        Self { document, people, failed: false, paragraph: None, status: 0 }
    }

    /// A command that ran until a signal ended it, as it should.
    pub fn stopped(document: Value, people: Option<String>, signal: Signal) -> Self {
        Self {
            document: Document::Value(document),
            people,
            failed: false,
            paragraph: None,
            status: signal.exit_status(),
        }
    }

    /// A command that was refused or failed.
    pub fn refused(error: &ErrorDocument) -> Self {
        Self::error(error.to_value(), &error.message, &error.action, 1)
    }

    /// A command that a signal ended before it was done.
    pub fn cancelled(operation: &str, signal: Signal) -> Self {
        let error = ErrorDocument::new(
            Code::Cancelled,
            format!("{operation} was cancelled by {}", name_of(signal)),
            "Run the command again.",
        )
        .detail("operation", operation)
        .detail("cleanup", "complete");
        Self { status: signal.exit_status(), ..Self::refused(&error) }
    }

    /// An error document that is printed as it is.
    pub fn error(document: Value, message: &str, action: &str, status: u8) -> Self {
        let paragraph = format!("{} {}", sentence(message), sentence(action));
        Self { document: Document::Value(document), people: None, failed: true, paragraph: Some(paragraph), status }
    }
}

fn name_of(signal: Signal) -> &'static str {
    match signal {
        Signal::Interrupt => "SIGINT",
        Signal::Terminate => "SIGTERM",
    }
}

/// The text as a sentence: a capital first and a full stop last.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut characters = text.chars();
    let mut sentence: String = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    // A path or a name that starts the message keeps its spelling.
    let first_word = text.split_whitespace().next().unwrap_or_default();
    if first_word.contains(['/', '.', '_', '-', '`', '"']) {
        sentence = text.chars().next().map(String::from).unwrap_or_default();
    }
    sentence.push_str(characters.as_str());
    if !sentence.ends_with(['.', '!', '?', ':']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::sentence;
    use rstest::rstest;

    #[rstest]
    #[case("no such file", "No such file.")]
    #[case("capture.har is not JSON", "capture.har is not JSON.")]
    #[case("Run it again.", "Run it again.")]
    #[case("", ".")]
    fn messages_become_sentences(#[case] message: &str, #[case] expected: &str) {
        assert_eq!(sentence(message), expected);
    }
}
