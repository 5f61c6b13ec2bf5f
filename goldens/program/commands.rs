//! What commands print: documents for programs, help, settings, argument errors.

use super::support::{Ended, folder, project, rea, run, run_in};
use rea::evidence::authenticate;
use rea::json::{Value, parse};
use rstest::rstest;
use std::fs;

#[test]
fn help_and_version_succeed_on_standard_output() {
    for arguments in [&["--help"][..], &["--version"], &["environment-serve", "--help"]] {
        let output = rea().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.is_empty());
        assert!(output.stderr.is_empty());
    }
}

#[rstest]
#[case(&[], "no command")]
#[case(&["environment-serv"], "environment-serv")]
#[case(&["environment-serve"], "<CAPTURE>")]
#[case(&["environment-serve", "x", "--port", "70000"], "70000")]
#[case(&["inspect-web-network-capture", "x", "mitm"], "mitm")]
fn argument_errors_are_documents(#[case] arguments: &[&str], #[case] told: &str) {
    let ended = run(arguments.iter().copied());
    ended.refuses("VALIDATION_ERROR", &[told]);
    assert_eq!(ended.stderr, "");
}

#[test]
fn evidence_is_compact_authentic_and_silent() {
    let capture = project("scenarios/readme/capture.har");
    for format in [&[][..], &["--json"], &["--format", "json"]] {
        let arguments =
            ["inspect-web-network-capture", capture.to_str().unwrap(), "har"].into_iter().chain(format.iter().copied());
        let ended = run(arguments);
        assert_eq!(ended.status, Some(0));
        assert_eq!(ended.stderr, "");
        authenticate(&ended.stdout).unwrap();
        assert_eq!(format!("{}\n", ended.all()).into_bytes(), ended.stdout);
    }
}

#[test]
fn text_for_people_has_no_colour_when_redirected() {
    let capture = project("scenarios/readme/capture.har");
    let output = rea().args(["inspect-web-network-capture", "--format", "text"]).arg(capture).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("7 records") && text.contains("http://shelf.example"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn the_label_replaces_the_path_and_so_another_folder_gives_the_same_bytes() {
    let bytes = fs::read(project("scenarios/readme/capture.har")).unwrap();
    let (one, two) = (folder(&[("a.har", &bytes)]), folder(&[("b.har", &bytes)]));
    let inspect = |folder: &tempfile::TempDir, name: &str| {
        let ended = run_in(folder.path(), ["inspect-web-network-capture", name, "har", "--capture-label", "shelf.har"]);
        assert_eq!(ended.status, Some(0), "{}", ended.all());
        ended.stdout
    };
    let first = inspect(&one, "a.har");
    assert_eq!(first, inspect(&two, "b.har"));
    let text = String::from_utf8(first).unwrap();
    assert!(!text.contains(one.path().to_str().unwrap()) && text.contains("shelf.har"));
}

#[test]
fn sensitive_values_leave_neither_result_nor_error() {
    let bytes = fs::read(project("scenarios/readme/capture.har")).unwrap();
    let folder = folder(&[("a.har", &bytes)]);
    let ended = run_in(folder.path(), ["inspect-web-network-capture", "a.har", "--sensitive-value", "Piranesi"]);
    assert_eq!(ended.status, Some(0), "{}", ended.all());
    assert!(!ended.all().contains("Piranesi"));
    let ended = run_in(folder.path(), ["inspect-web-network-capture", "secret.har", "--sensitive-value", "secret"]);
    assert_eq!(ended.status, Some(1));
    assert!(!ended.all().contains("secret"), "{}", ended.all());
}

#[test]
fn the_last_log_line_says_how_the_command_ended() {
    let capture = project("scenarios/readme/capture.har");
    let log = |path: &str| {
        let output = rea().env("REA_LOG_LEVEL", "info").args(["inspect-web-network-capture", path]).output().unwrap();
        let ended = Ended::of(output);
        let line = parse(ended.stderr.lines().last().unwrap().as_bytes()).unwrap();
        ["command", "status", "msg", "application"]
            .map(|name| line.get(name).and_then(Value::as_str).unwrap().to_owned())
    };
    let command = "inspect-web-network-capture";
    assert_eq!(log(capture.to_str().unwrap()), [command, "ok", "CLI command completed", "rea"]);
    assert_eq!(log("nothing.har"), [command, "error", "CLI command failed", "rea"]);
}

#[test]
fn an_unknown_log_level_is_refused_by_name() {
    let output = rea().env("REA_LOG_LEVEL", "loud").args(["man"]).output().unwrap();
    Ended::of(output).refuses("configuration_invalid", &["REA_LOG_LEVEL"]);
}

#[test]
fn completions_and_manual_pages_are_text() {
    for arguments in [&["completions", "bash"][..], &["completions", "fish"], &["man"], &["man", "environment-serve"]] {
        let output = rea().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("rea"));
    }
    run(["man", "nothing"]).refuses("invalid_request", &["nothing"]);
}
