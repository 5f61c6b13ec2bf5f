//! Bad input: every refusal names what is wrong, where, and what to do.

use super::support::{Ended, folder, project, rea, run_in};
use rea::json::{Value, parse};
use rstest::rstest;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};

const ENTRY: &str = r#"{"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a.example/x","headers":[]},"response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":"{}"}}}"#;

fn har(entries: &str) -> String {
    format!(r#"{{"log":{{"version":"1.2","entries":[{entries}]}}}}"#)
}

#[rstest]
#[case::not_json(r#"{"log": oops}"#, &["byte 8"])]
#[case::cut(r#"{"log":{"version":"1.2","entries":[{"#, &["byte 36"])]
#[case::empty("", &["capture.har"])]
#[case::duplicate_at_the_top(r#"{"log":{"entries":[],"entries":[]}}"#, &["/log/entries"])]
#[case::no_log("[]", &["log"])]
#[case::no_entries(r#"{"log":{"version":"1.2"}}"#, &["entries"])]
#[case::entries_of_another_type(r#"{"log":{"entries":{}}}"#, &["entries"])]
fn a_capture_that_is_no_har(#[case] text: &str, #[case] told: &[&str]) {
    let folder = folder(&[("capture.har", text.as_bytes())]);
    for command in ["inspect-web-network-capture", "environment-serve"] {
        run_in(folder.path(), [command, "capture.har"]).refuses("invalid_request", told);
    }
}

#[test]
fn nesting_beyond_the_limit() {
    let text = har(&format!("{}{}", "[".repeat(70), "]".repeat(70)));
    let folder = folder(&[("capture.har", text.as_bytes())]);
    run_in(folder.path(), ["inspect-web-network-capture", "capture.har"]).refuses("invalid_request", &["64"]);
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let folder = folder(&[]);
    File::create(folder.path().join("capture.har")).unwrap().set_len(256 * 1024 * 1024 + 1).unwrap();
    run_in(folder.path(), ["inspect-web-network-capture", "capture.har"])
        .refuses("invalid_request", &["268435456", "capture.har"]);
}

#[test]
fn a_missing_file() {
    let folder = folder(&[]);
    run_in(folder.path(), ["inspect-web-network-capture", "no.har"]).refuses("invalid_request", &["no.har"]);
    run_in(folder.path(), ["environment-serve", "no.har"]).refuses("invalid_request", &["no.har"]);
}

#[test]
fn a_folder() {
    let folder = folder(&[]);
    fs::create_dir(folder.path().join("a.har")).unwrap();
    run_in(folder.path(), ["inspect-web-network-capture", "a.har"]).refuses("invalid_request", &["a.har"]);
}

#[test]
fn a_symlink() {
    let folder = folder(&[("real.har", har(ENTRY).as_bytes())]);
    symlink("real.har", folder.path().join("link.har")).unwrap();
    run_in(folder.path(), ["inspect-web-network-capture", "link.har"])
        .refuses("invalid_request", &["link.har", "symbolic link"]);
}

#[test]
fn a_file_without_permission() {
    let folder = folder(&[("shut.har", har(ENTRY).as_bytes())]);
    let path = folder.path().join("shut.har");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(&path).is_ok() {
        eprintln!("not tested: this user may read everything");
        return;
    }
    run_in(folder.path(), ["inspect-web-network-capture", "shut.har"]).refuses("access_denied", &["shut.har"]);
}

#[test]
fn one_bad_entry_never_costs_the_others() {
    let twice = r#"{"request":{"method":"GET","method":"GET"}}"#;
    let folder = folder(&[("capture.har", har(&format!("{ENTRY},{twice},7")).as_bytes())]);
    let ended = run_in(folder.path(), ["inspect-web-network-capture", "capture.har"]);
    assert_eq!(ended.status, Some(0), "{}", ended.all());
    let records = ended.document.get("normalized_result").and_then(|result| result.get("records")).unwrap();
    let reported: Vec<_> =
        records.as_array().unwrap().iter().map(|record| record.get("reported").is_some_and(Value::is_null)).collect();
    assert_eq!(reported, [false, true, true]);
    let limitations = records.as_array().unwrap()[1].get("limitations").unwrap().to_compact();
    assert!(limitations.contains("/request/method"), "{limitations}");
}

#[rstest]
#[case::no_json_answer("text/html", "http://a.example/x")]
#[case::only_extension_requests("application/json", "chrome-extension://abc/x")]
fn a_capture_without_an_application(#[case] media_type: &str, #[case] url: &str) {
    let entry =
        ENTRY.replace("application/json", media_type).replace("http://a.example/x", url).replace("\"{}\"", "\"<p>\"");
    let folder = folder(&[("capture.har", har(&entry).as_bytes())]);
    run_in(folder.path(), ["environment-serve", "capture.har"]).refuses("unsupported_target", &["JSON"]);
}

#[test]
fn a_har_named_json_gets_a_hint() {
    let folder = folder(&[("capture.json", har(ENTRY).as_bytes())]);
    run_in(folder.path(), ["environment-serve", "capture.json"]).refuses("invalid_request", &[".har"]);
}

/// The Evidence of the README's capture, and of the same capture without its last entry.
fn two_captures() -> tempfile::TempDir {
    let whole = fs::read_to_string(project("scenarios/readme/capture.har")).unwrap();
    let folder =
        folder(&[("one.har", whole.as_bytes()), ("two.har", whole.replace("Piranesi", "Ficciones").as_bytes())]);
    for name in ["one", "two"] {
        let capture = run_in(folder.path(), ["inspect-web-network-capture", &format!("{name}.har")]);
        assert_eq!(capture.status, Some(0), "{}", capture.all());
        fs::write(folder.path().join(format!("{name}.json")), &capture.stdout).unwrap();
        let view = format!(
            r#"{{"source":{{"kind":"evidence-file","path":"{name}.json"}},"view":{{"kind":"environment-manifest"}}}}"#
        );
        let manifest = run_in(folder.path(), ["inspect-analysis-view", &view]);
        assert_eq!(manifest.status, Some(0), "{}", manifest.all());
        fs::write(folder.path().join(format!("{name}.manifest.json")), &manifest.stdout).unwrap();
    }
    folder
}

#[test]
fn a_manifest_of_another_capture_names_both() {
    let folder = two_captures();
    let id = |name: &str| {
        let bytes = fs::read(folder.path().join(name)).unwrap();
        parse(&bytes).unwrap().get("evidence_id").and_then(Value::as_str).unwrap().to_owned()
    };
    run_in(folder.path(), ["environment-serve", "one.manifest.json", "--evidence", "two.json"])
        .refuses("invalid_request", &[&id("one.json"), &id("two.json")]);
}

#[test]
fn edited_evidence() {
    let folder = two_captures();
    let path = folder.path().join("one.json");
    let edited = fs::read_to_string(&path).unwrap().replace("Invisible Cities", "Visible Cities");
    fs::write(&path, edited).unwrap();
    for arguments in
        [&["environment-serve", "one.json"][..], &["environment-serve", "one.manifest.json", "--evidence", "one.json"]]
    {
        run_in(folder.path(), arguments.iter().copied()).refuses("evidence_integrity_mismatch", &["evidence_id"]);
    }
}

#[test]
fn evidence_of_another_operation() {
    let folder = two_captures();
    let ended = run_in(folder.path(), ["environment-serve", "one.json", "--evidence", "two.json"]);
    assert_eq!(ended.status, Some(1), "{}", ended.all());
    assert!(ended.all().contains("inspect_web_network_capture"), "{}", ended.all());
    let ended = run_in(folder.path(), ["environment-serve", "one.manifest.json", "--evidence", "one.manifest.json"]);
    assert_eq!(ended.status, Some(1), "{}", ended.all());
    assert!(ended.all().contains("inspect_analysis_view"), "{}", ended.all());
}

#[rstest]
#[case::not_json("{oops", &["byte 1"])]
#[case::unknown_member(r#"{"source":{"kind":"evidence-file","path":"one.json"},"view":{"kind":"environment-manifest"},"more":1}"#, &["more"])]
#[case::unknown_kind(r#"{"source":{"kind":"evidence-file","path":"one.json"},"view":{"kind":"nope"}}"#, &["nope"])]
#[case::repeated_rule(
    r#"{"source":{"kind":"evidence-file","path":"one.json"},"view":{"kind":"environment-manifest","template_rules":["opaque-token","opaque-token"]}}"#,
    &["opaque-token"]
)]
#[case::unknown_rule(
    r#"{"source":{"kind":"evidence-file","path":"one.json"},"view":{"kind":"environment-manifest","template_rules":["guess"]}}"#,
    &["guess"]
)]
#[case::missing_file("nothing.json", &["nothing.json"])]
fn a_view_request_that_is_wrong(#[case] request: &str, #[case] told: &[&str]) {
    let folder = two_captures();
    run_in(folder.path(), ["inspect-analysis-view", request]).refuses("invalid_request", told);
}

#[rstest]
#[case(&["--record", "7"], &["7"])]
#[case(&["--record", "1", "--record", "1"], &["1"])]
fn ordinals_that_do_not_exist_or_repeat(#[case] options: &[&str], #[case] told: &[&str]) {
    let folder = folder(&[("capture.har", fs::read(project("scenarios/readme/capture.har")).unwrap().as_slice())]);
    let arguments = ["inspect-web-network-capture", "capture.har", "har"].into_iter().chain(options.iter().copied());
    run_in(folder.path(), arguments).refuses("invalid_request", told);
}

#[rstest]
#[case("1000", "resource_constraint")]
#[case("much", "configuration_invalid")]
fn memory_that_is_not_there_or_not_a_number(#[case] limit: &str, #[case] code: &str) {
    let capture = project("scenarios/readme/capture.har");
    let output =
        rea().env("REA_MEMORY_LIMIT_BYTES", limit).arg("inspect-web-network-capture").arg(capture).output().unwrap();
    Ended::of(output).refuses(code, &["REA_MEMORY_LIMIT_BYTES"]);
}

#[test]
fn an_inspection_that_takes_too_long() {
    let folder = folder(&[("capture.har", har(&vec![ENTRY; 50_000].join(",")).as_bytes())]);
    run_in(folder.path(), ["inspect-web-network-capture", "capture.har", "--capture-timeout-ms", "1"])
        .refuses("provider_timeout", &["\"timeout_ms\":1"]);
}

#[rstest]
#[case(&["--capture-max-bytes", "100"], "maximum_capture_bytes\":100")]
#[case(&["--capture-max-nesting", "3"], "maximum_capture_nesting\":3")]
#[case(&["--capture-max-result-bytes", "100"], "100")]
fn limits_are_set_by_the_caller(#[case] options: &[&str], #[case] told: &str) {
    let folder = folder(&[("capture.har", har(ENTRY).as_bytes())]);
    let arguments = ["inspect-web-network-capture", "capture.har"].into_iter().chain(options.iter().copied());
    let ended = run_in(folder.path(), arguments);
    assert_eq!(ended.status, Some(1));
    assert!(ended.all().contains(told), "{}", ended.all());
}
