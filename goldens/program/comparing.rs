//! `environment-compare` as a user runs it.

use super::support::{Ended, folder, project, rea, run};
use rea::json::{Number, resolve};

fn arguments(application: &str, probe: &str) -> [String; 4] {
    let path = |path: String| project(&path).to_str().unwrap().to_owned();
    [
        "environment-compare".to_owned(),
        path(format!("scenarios/{application}/capture.har")),
        "--probe".to_owned(),
        path(format!("probes/{application}/{probe}.har")),
    ]
}

fn number(ended: &Ended, pointer: &str) -> f64 {
    let value = resolve(&ended.document, pointer).unwrap_or_else(|| panic!("nothing at {pointer}: {}", ended.all()));
    value.as_number().map(Number::to_f64).unwrap()
}

#[test]
fn the_report_counts_every_step() {
    let arguments = arguments("rabbitmq", "reads");
    let ended = run(arguments.iter().map(String::as_str));
    assert_eq!(ended.status, Some(0), "{}", ended.text("message"));
    assert_eq!(ended.text("status"), "compared");
    let probe = std::fs::read(project("probes/rabbitmq/reads.expect.json")).unwrap();
    let steps = rea::json::parse(&probe).unwrap().get("steps").and_then(|steps| steps.as_number()?.as_i64()).unwrap();
    assert_eq!(number(&ended, "/summary/steps"), steps as f64);
    assert!((0.0..=1.0).contains(&number(&ended, "/summary/agreement")));
}

#[test]
fn an_agreement_below_what_is_asked_fails_with_the_report() {
    let arguments = arguments("rabbitmq", "crud");
    let words = || arguments.iter().map(String::as_str);
    let ended = run(words().chain(["--replay-only", "--fail-under", "1"]));
    assert_eq!((ended.status, ended.text("status")), (Some(1), "compared"));
    assert!(number(&ended, "/summary/agreement") < 1.0);
    let ended = run(words().chain(["--fail-under", "0"]));
    assert_eq!(ended.status, Some(0));
    run(words().chain(["--fail-under", "2"])).refuses("VALIDATION_ERROR", &["from 0 to 1"]);
    run(words().chain(["--fail-under", "1.5"])).refuses("VALIDATION_ERROR", &["from 0 to 1"]);
}

#[test]
fn the_page_is_one_file_that_asks_for_nothing() {
    let folder = folder(&[]);
    let page = folder.path().join("report.html");
    let output = rea().args(arguments("rabbitmq", "reads")).arg("--html").arg(&page).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    for outside in ["<script", "src=", "href=\"http", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_probe_that_cannot_be_read_is_named() {
    let mut arguments = arguments("rabbitmq", "reads");
    arguments[3] = "no-such-probe.har".to_owned();
    run(arguments.iter().map(String::as_str)).refuses("invalid_request", &["no-such-probe.har"]);
    run(arguments[..2].iter().map(String::as_str)).refuses("VALIDATION_ERROR", &["--probe"]);
}

#[test]
fn a_page_that_cannot_be_written_costs_only_the_page() {
    let arguments = arguments("rabbitmq", "reads");
    let words = arguments.iter().map(String::as_str).chain(["--html", "/no/such/folder/report.html"]);
    let ended = run(words);
    assert_eq!((ended.status, ended.text("status")), (Some(1), "compared"), "the report is on standard output");
    assert_eq!(number(&ended, "/summary/probes"), 1.0);
}

#[test]
fn a_probe_that_is_no_recording_is_refused() {
    let folder = folder(&[("crud.har", b"{}"), ("crud.json", b"{\"status\":\"compared\"}"), ("text.har", b"not JSON")]);
    for (file, told) in [("crud.har", "log"), ("crud.json", "crud.json"), ("text.har", "text.har")] {
        let mut arguments = arguments("rabbitmq", "reads");
        arguments[3] = folder.path().join(file).to_str().unwrap().to_owned();
        let ended = run(arguments.iter().map(String::as_str));
        assert_eq!(ended.status, Some(1));
        assert!(ended.all().contains(told), "{}", ended.all());
        assert!(ended.document.get("remediation").is_some(), "{}", ended.all());
    }
}

#[test]
fn the_same_probe_twice_gives_the_same_result_twice() {
    let arguments = arguments("rabbitmq", "crud");
    let ended = run(arguments.iter().chain(&arguments[2..]).map(String::as_str));
    let at = |pointer: &str| resolve(&ended.document, pointer).map(rea::json::Value::to_compact);
    assert_eq!(at("/probes/0"), at("/probes/1"));
    assert!(at("/probes/0").is_some());
}
