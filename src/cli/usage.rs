//! Argument errors: what clap finds before a command runs, as the document that every other failure is too.

use super::ending::Ending;
use super::output::{Output, OutputArguments};
use crate::json::Object;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::process::ExitCode;

/// The code of an argument error.
const CODE: &str = "VALIDATION_ERROR";

/// Prints help or the version with status 0, or the document of an argument error with status 1.
pub fn finish(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return if error.print().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    Output::new(&OutputArguments::default()).finish(ending(error, arguments))
}

fn ending(error: &clap::Error, arguments: &[OsString]) -> Ending {
    let message = without_secrets(&message(error), arguments);
    let action = action(error);
    let document = Object::new()
        .with("code", CODE)
        .with("category", "invalid_input")
        .with("message", message.as_str())
        .with("retryable", true)
        .with("remediation", Object::new().with("action", action.as_str()));
    Ending::error(document.into(), &message, &action, 1)
}

/// The first paragraph of clap's text, as a sentence fragment.
fn message(error: &clap::Error) -> String {
    if matches!(error.kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand) {
        return "no command was given".to_owned();
    }
    let text = error.render().to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.strip_prefix("error: ").unwrap_or(paragraph).split_whitespace().collect();
    words.join(" ")
}

/// What to do: clap's suggestion, and where the help is.
fn action(error: &clap::Error) -> String {
    let command = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => command_of_usage(&usage.to_string()),
        _ => "rea".to_owned(),
    };
    let help = format!("See `{command} --help`.");
    let suggestion = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
        .into_iter()
        .find_map(|kind| match error.get(kind) {
            Some(ContextValue::String(word)) => Some(word.clone()),
            Some(ContextValue::Strings(words)) => words.first().cloned(),
            _ => None,
        });
    match suggestion {
        Some(word) => format!("Did you mean `{word}`? {help}"),
        None => help,
    }
}

/// `rea some-command` of `Usage: rea some-command [OPTIONS] <FILE>`.
fn command_of_usage(usage: &str) -> String {
    let words = usage.split_whitespace().skip_while(|word| *word != "rea");
    let command: Vec<&str> = words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
    if command.is_empty() { "rea".to_owned() } else { command.join(" ") }
}

/// The message without the values that the caller named as sensitive.
fn without_secrets(message: &str, arguments: &[OsString]) -> String {
    const OPTION: &str = "--sensitive-value";
    let mut message = message.to_owned();
    let words: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    for (index, word) in words.iter().enumerate() {
        let secret = match word.strip_prefix(OPTION) {
            Some("") => words.get(index + 1).map(AsRef::as_ref),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
            message = message.replace(secret, "[REDACTED]");
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::super::Program;
    use super::{action, message, without_secrets};
    use clap::Parser;
    use rstest::rstest;

    #[rstest]
    #[case(&["rea"], "no command was given", "See `rea --help`.")]
    #[case(
        &["rea", "inspect-web-network-captur"],
        "unrecognized subcommand 'inspect-web-network-captur'",
        "Did you mean `inspect-web-network-capture`? See `rea --help`."
    )]
    #[case(
        &["rea", "man", "--jsn"],
        "unexpected argument '--jsn' found",
        "Did you mean `--json`? See `rea man --help`."
    )]
    #[case(
        &["rea", "inspect-analysis-view"],
        "the following required arguments were not provided: <VIEW>",
        "See `rea inspect-analysis-view --help`."
    )]
    fn argument_errors_say_what_and_what_next(#[case] line: &[&str], #[case] what: &str, #[case] next: &str) {
        let error = Program::try_parse_from(line).unwrap_err();
        assert_eq!((message(&error).as_str(), action(&error).as_str()), (what, next));
    }

    #[test]
    fn sensitive_values_are_not_repeated() {
        let line = ["rea", "--sensitive-value", "hunter2", "--sensitive-value=s3cret"].map(Into::into);
        assert_eq!(without_secrets("hunter2 and s3cret", &line), "[REDACTED] and [REDACTED]");
    }
}
