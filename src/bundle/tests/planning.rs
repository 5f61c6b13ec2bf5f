//! The files of a bundle: what they say for each package source, and the verifier's choice of a call.

use super::super::dockerfile::dockerfile;
use super::super::package_source::PackageSource;
use super::super::smoke::smoke_call;
use super::super::verify_py::verify_py;
use super::super::{BundleError, EnvProvider, PackageChoice, plan_bundle};
use crate::answer::{Engine, EngineOptions};
use crate::capture::{InspectOptions, capture_from_evidence, inspect_har_bytes};
use crate::manifest::{DEFAULT_BUILD_RULES, project_manifest};
use rstest::rstest;

fn executable() -> PackageSource {
    PackageSource::Executable { version: "1", sha256: "0".repeat(64) }
}

#[rstest]
#[case(executable(), "COPY --chown=10001:10001 rea /usr/local/bin/rea", "/usr/local/bin/rea")]
#[case(
    PackageSource::Tarball { file: "rea-1.tar.gz".into(), program: "rea-1/rea".into(), sha256: String::new() },
    "ADD --chown=10001:10001 rea-1.tar.gz /opt/rea/",
    "/opt/rea/rea-1/rea"
)]
#[case(
    PackageSource::Registry { specifier: "rea-agents@1".into() },
    "RUN cargo install --locked --root /opt/rea rea-agents@1",
    "/usr/local/bin/rea"
)]
fn each_source_has_its_installation(#[case] source: PackageSource, #[case] step: &str, #[case] program: &str) {
    let text = dockerfile("shop", &source);
    assert!(text.lines().any(|line| line == step), "{text}");
    assert!(text.contains(&format!("CMD [\"{program}\", ")), "{text}");
    assert!(text.contains("ARG BASE_IMAGE=python:3.13-slim-bookworm\n") && text.contains("FROM ${BASE_IMAGE}\n"));
    // The argument stands before the first FROM, where every FROM sees it.
    assert!(text.find("ARG BASE_IMAGE") < text.find("FROM "), "{text}");
    assert!(!text.contains("@sha256:"));
}

/// An environment that replays three GET tools without path parameters, with these statuses.
fn environment(statuses: [&str; 3]) -> Engine {
    let entries: Vec<String> = statuses
        .iter()
        .zip(["first", "second", "third"])
        .map(|(status, path)| {
            format!(
                r#"{{"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{{"method":"GET","url":"http://a.example/{path}","headers":[]}},"response":{{"status":{status},"headers":[],"content":{{"mimeType":"application/json","text":"{{}}"}}}}}}"#
            )
        })
        .collect();
    let har = format!(r#"{{"log":{{"version":"1.2","entries":[{}]}}}}"#, entries.join(","));
    let evidence = inspect_har_bytes(har.into_bytes(), &"0".repeat(64), "x.har", &InspectOptions::default()).unwrap();
    let capture = capture_from_evidence(evidence.into()).unwrap();
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).unwrap();
    Engine::new(capture, manifest, &EngineOptions { replay_only: true, name: None }).unwrap()
}

#[rstest]
#[case(["200", "200", "200"], "get_first", Some(200))]
#[case(["404", "200", "201"], "get_second", Some(200))]
#[case(["404", "500", "302"], "get_first", Some(404))]
fn the_call_is_one_that_succeeds_where_there_is_one(
    #[case] statuses: [&str; 3],
    #[case] tool: &str,
    #[case] status: Option<u16>,
) {
    let call = smoke_call(&environment(statuses)).unwrap();
    assert_eq!((call.tool.as_str(), call.status), (tool, status));
}

#[test]
fn a_verifier_without_a_call_counts_only() {
    let text = verify_py(3, None);
    assert!(text.contains("TOOL_COUNT = 3\nTOOL = None\nSTATUS = None\n"), "{text}");
    assert!(text.starts_with("\"\"\"") && text.contains("no tool answers without arguments"));
}

#[test]
fn a_bundle_that_replays_says_so_and_has_no_state_to_add() {
    let engine = environment(["200", "200", "200"]);
    let plan = plan_bundle(&engine, &PackageChoice::Registry, EnvProvider::Server, false).unwrap();
    let paths: Vec<&str> = plan.files.iter().map(|file| file.path.as_str()).collect();
    let expected = [
        "README.md",
        "artifacts/check_a-example/verify.py",
        "envs/a-example/Dockerfile",
        "envs/a-example/env.toml",
        "envs/a-example/evidence.json",
        "envs/a-example/manifest.json",
        "tasks/smoke.json",
    ];
    assert_eq!(paths, expected);
    assert_eq!(plan.tool_count, 3);
    let readme = String::from_utf8(plan.files[0].to_bytes()).unwrap();
    assert!(readme.contains("It replays: every tool") && readme.contains("no state is served"), "{readme}");
    let refused = plan_bundle(&engine, &PackageChoice::Registry, EnvProvider::Server, true);
    assert!(matches!(refused, Err(BundleError::NoState { .. })), "{refused:?}");
}
