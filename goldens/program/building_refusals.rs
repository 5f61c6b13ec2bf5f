//! Bad input to `environment-build` and `environment-export`: each refusal names its stage, and leaves nothing behind.

use super::building::tree;
use super::server::Running;
use super::support::{Ended, folder, program, project, rea, run, run_in};
use rstest::rstest;
use rustix::process::Signal;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

fn readme() -> String {
    project("scenarios/readme/capture.har").to_str().unwrap().to_owned()
}

#[rstest]
#[case::occupied("occupied", &["not empty", "there"])]
#[case::file("file", &["a file"])]
#[case::link("link", &["symbolic link"])]
#[case::no_parent("no/parent", &["does not exist"])]
#[case::parent_is_a_file("file/x", &["not a folder"])]
fn a_folder_that_cannot_take_a_bundle(#[case] directory: &str, #[case] told: &[&str]) {
    let work = folder(&[("file", b"kept")]);
    fs::create_dir(work.path().join("occupied")).unwrap();
    fs::write(work.path().join("occupied/there"), b"kept").unwrap();
    fs::create_dir(work.path().join("empty")).unwrap();
    symlink("empty", work.path().join("link")).unwrap();
    let before = tree(work.path());
    for command in ["environment-build", "environment-export"] {
        let ended = run_in(work.path(), [command, &readme(), directory, "--package-registry"]);
        ended.refuses("invalid_request", told);
        assert!(ended.all().contains(r#""operation":"environment-export""#), "{}", ended.all());
    }
    assert_eq!(tree(work.path()), before);
    assert!(fs::read_dir(work.path().join("empty")).unwrap().next().is_none());
}

#[test]
fn an_empty_folder_is_taken() {
    let work = folder(&[]);
    fs::create_dir(work.path().join("empty")).unwrap();
    let built = run_in(&work.path().join("empty"), ["environment-build", &readme(), ".", "--package-registry"]);
    assert_eq!(built.text("status"), "built", "{}", built.all());
    assert!(work.path().join("empty/tasks/smoke.json").is_file());
}

#[test]
fn a_place_where_nobody_may_write() {
    run(["environment-build", &readme(), "/sys/rea-bundle", "--package-registry"])
        .refuses("access_denied", &["/sys/rea-bundle", "environment-export"]);
}

#[rstest]
#[case("Shelf")]
#[case("a_b")]
#[case("con")]
#[case("lpt1")]
#[case("../x")]
#[case("gateway")]
#[case("")]
fn a_name_that_is_no_portable_label(#[case] name: &str) {
    for (command, stage) in [("environment-build", "environment-build"), ("environment-export", "environment-export")] {
        let work = folder(&[]);
        let ended = run_in(work.path(), [command, &readme(), "x", "--name", name]);
        ended.refuses("invalid_request", &["--name", stage]);
        assert!(!work.path().join("x").exists());
    }
}

#[test]
fn no_folder() {
    run(["environment-build", &readme()]).refuses("invalid_request", &["--dry-run", "environment-build"]);
}

#[rstest]
#[case(&["--template-rule", "opaque-token", "--template-rule", "opaque-token"], "opaque-token")]
#[case(&["--template-rule", "no-such-rule"], "no-such-rule")]
fn rules_that_the_views_refuse(#[case] more: &[&str], #[case] told: &str) {
    run(["environment-build", &readme(), "--dry-run"].into_iter().chain(more.iter().copied()))
        .refuses("invalid_request", &[told, "inspect_analysis_view"]);
}

#[test]
fn a_har_called_json() {
    let work = folder(&[("capture.json", &fs::read(readme()).unwrap())]);
    run_in(work.path(), ["environment-build", "capture.json", "--dry-run"])
        .refuses("invalid_request", &[".har", "environment-build"]);
}

#[test]
fn a_har_that_is_none() {
    let work = folder(&[("capture.har", b"{")]);
    run_in(work.path(), ["environment-build", "capture.har", "--dry-run"])
        .refuses("invalid_request", &["inspect_web_network_capture"]);
}

#[test]
fn a_capture_without_json_answers() {
    let work = folder(&[("capture.har", br#"{"log":{"version":"1.2","entries":[]}}"#)]);
    run_in(work.path(), ["environment-build", "capture.har", "--dry-run"])
        .refuses("unsupported_target", &["inspect_analysis_view"]);
}

#[test]
fn a_capture_with_sensitive_values() {
    let work = folder(&[]);
    let capture = run_in(work.path(), ["inspect-web-network-capture", &readme(), "--sensitive-value", "Mira"]);
    fs::write(work.path().join("capture.json"), &capture.stdout).unwrap();
    run_in(work.path(), ["environment-build", "capture.json", "x"])
        .refuses("unsupported_target", &["inspect_analysis_view", "sensitive"]);
    assert!(!work.path().join("x").exists());
}

#[test]
fn a_manifest_of_another_capture() {
    let work = folder(&[]);
    let capture = |name: &str, arguments: &[&str]| {
        let ended = run_in(
            work.path(),
            ["inspect-web-network-capture", &readme()].into_iter().chain(arguments.iter().copied()),
        );
        fs::write(work.path().join(name), &ended.stdout).unwrap();
    };
    capture("one.json", &[]);
    capture("other.json", &["--record", "0"]);
    let view = r#"{"source":{"kind":"evidence-file","path":"one.json"},"view":{"kind":"environment-manifest"}}"#;
    fs::write(work.path().join("manifest.json"), run_in(work.path(), ["inspect-analysis-view", view]).stdout).unwrap();
    run_in(work.path(), ["environment-export", "manifest.json", "--evidence", "other.json", "x", "--package-registry"])
        .refuses("invalid_request", &["environment-export", "projected from capture"]);
    run_in(work.path(), ["environment-export", "one.json", "--evidence", "one.json", "x"])
        .refuses("invalid_request", &["environment-export"]);
    assert!(!work.path().join("x").exists());
}

#[test]
fn evidence_over_the_headroom_is_not_read() {
    let work = folder(&[]);
    let capture = run_in(work.path(), ["inspect-web-network-capture", &readme()]);
    fs::write(work.path().join("capture.json"), &capture.stdout).unwrap();
    let output = rea()
        .current_dir(work.path())
        .env("REA_MEMORY_LIMIT_BYTES", "1000000")
        .args(["environment-build", "capture.json", "x"])
        .output();
    Ended::of(output.unwrap()).refuses("resource_constraint", &["environment-build", "memory"]);
    assert!(!work.path().join("x").exists());
}

#[rstest]
#[case::missing(None, "does not exist")]
#[case::no_archive(Some(b"not an archive".as_slice()), "read to its end")]
#[case::empty(Some(b"".as_slice()), "read to its end")]
fn a_tarball_that_is_none(#[case] bytes: Option<&[u8]>, #[case] told: &str) {
    let work = folder(&[]);
    if let Some(bytes) = bytes {
        fs::write(work.path().join("rea.tar.gz"), bytes).unwrap();
    }
    for more in [&["x"][..], &["--dry-run"]] {
        let arguments = ["environment-build", &readme(), "--package-tarball", "rea.tar.gz"];
        run_in(work.path(), arguments.into_iter().chain(more.iter().copied()))
            .refuses("invalid_request", &["rea.tar.gz", told, "environment-export"]);
    }
    assert!(!work.path().join("x").exists());
}

/// A limit on the size of files stands for a full disk: a write fails in the middle.
#[test]
fn a_failed_write_names_the_partial_folder() {
    let work = folder(&[]);
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' environment-build '{}' x --package-registry",
        program().display(),
        project("scenarios/ghost/capture.har").display()
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(work.path()).output().unwrap();
    let ended = Ended::of(output);
    ended.refuses("artifact_operation_failed", &["evidence.json", "\"bundle\":\"partial\"", "environment-export"]);
    assert!(ended.all().contains(&format!("\"directory\":\"{}", work.path().join("x").display())), "{}", ended.all());
    assert!(work.path().join("x/README.md").is_file());
}

#[test]
fn two_builds_into_one_folder_at_once() {
    let work = folder(&[]);
    let start = || {
        let arguments = ["environment-build", &readme(), "x", "--package-registry"].map(OsString::from);
        let mut command = Command::new(program());
        command.args(arguments).current_dir(work.path()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let ended: Vec<Ended> =
        [start(), start()].into_iter().map(|child| Ended::of(child.wait_with_output().unwrap())).collect();
    let built = ended.iter().filter(|ended| ended.text("status") == "built").count();
    assert_eq!(built, 1, "{}; {}", ended[0].all(), ended[1].all());
    let refused = ended.iter().find(|ended| ended.text("status") != "built").unwrap();
    refused.refuses("invalid_request", &["\"reason\":\"exists\""]);
    assert_eq!(tree(&work.path().join("x")).len(), 7);
}

/// Until the first file is written a signal leaves nothing, whatever stage it meets.
#[rstest]
#[case("environment-build")]
#[case("inspect_web_network_capture")]
#[case("environment-export")]
fn a_signal_before_the_write_leaves_nothing(#[case] stage: &str) {
    let entry = r#"{"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a.example/x/1","headers":[]},"response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":"{\"a\":[1,2,3,4,5,6,7,8,9]}"}}}"#;
    let entries = vec![entry; 100_000].join(",");
    let work = folder(&[("big.har", format!(r#"{{"log":{{"version":"1.2","entries":[{entries}]}}}}"#).as_bytes())]);
    let path = |name: &str| Path::join(work.path(), name).into_os_string();
    let arguments =
        [OsString::from("environment-build"), path("big.har"), path("x"), OsString::from("--package-registry")];
    let mut running = Running::start(arguments, &[("REA_LOG_LEVEL", "info")]);
    running.wait_for_member("stage", stage);
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.status, Some(130), "{}", ended.all());
    assert_eq!(ended.text("code"), "cancelled");
    assert!(ended.all().contains("\"cleanup\":\"complete\""), "{}", ended.all());
    assert!(!work.path().join("x").exists());
}
