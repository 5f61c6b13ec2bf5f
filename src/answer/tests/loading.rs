//! What the environment commands take: the pair, a capture alone, a bundle folder, and what is said of anything else.

use crate::answer::{AnswerError, Engine, EngineOptions, load_pair};
use crate::capture::{CaptureInput, InspectOptions, load_capture};
use crate::evidence::{Code, ErrorDocument};
use crate::manifest::manifest_evidence;
use rstest::rstest;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn har(line: &str) -> String {
    format!(
        r#"{{"log":{{"version":"1.2","creator":{{"name":"t","version":"1"}},"entries":[{{
            "startedDateTime":"2026-01-01T00:00:00.000Z","time":1,
            "request":{{"method":"GET","url":"http://app.test{line}","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
                "queryString":[],"headersSize":-1,"bodySize":0}},
            "response":{{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
                "content":{{"size":8,"mimeType":"application/json","text":"{{\"id\":2}}"}},
                "redirectURL":"","headersSize":-1,"bodySize":8}},
            "cache":{{}},"timings":{{"send":0,"wait":1,"receive":0}}}}]}}}}"#
    )
}

/// Writes `manifest.json` and `evidence.json` of a one-record capture into `folder`.
fn write_pair(folder: &Path, line: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let capture_har = folder.join("capture.har");
    fs::write(&capture_har, har(line)).unwrap();
    let capture = load_capture(&capture_har, &InspectOptions::default()).unwrap();
    fs::remove_file(&capture_har).unwrap();
    fs::write(folder.join("evidence.json"), capture.evidence.to_compact_bytes()).unwrap();
    let manifest = manifest_evidence(&capture, &[]).unwrap();
    fs::write(folder.join("manifest.json"), manifest.to_compact_bytes()).unwrap();
    folder.to_owned()
}

fn load(path: &Path, evidence: Option<&Path>) -> Result<Engine, AnswerError> {
    let (capture, manifest) = load_pair(path, evidence, &InspectOptions::default())?;
    Engine::new(capture, manifest, &EngineOptions::default())
}

#[test]
fn the_pair() {
    let folder = TempDir::new().unwrap();
    let pair = write_pair(folder.path(), "/api/users/2");
    let engine = load(&pair.join("manifest.json"), Some(&pair.join("evidence.json"))).unwrap();
    assert_eq!(engine.catalog.tools[0].name, "get_users_by_id");
    assert_eq!(engine.capture.input, CaptureInput::Evidence);
}

#[test]
fn a_capture_alone() {
    let folder = TempDir::new().unwrap();
    let pair = write_pair(folder.path(), "/api/users/2");
    let capture_har = folder.path().join("capture.har");
    fs::write(&capture_har, har("/api/users/2")).unwrap();
    for (path, input) in [(capture_har, CaptureInput::Har), (pair.join("evidence.json"), CaptureInput::Evidence)] {
        let engine = load(&path, None).unwrap();
        assert_eq!((engine.catalog.tools.len(), engine.capture.input), (1, input));
    }
}

#[test]
fn a_bundle_folder_and_its_environment_folder() {
    let bundle = TempDir::new().unwrap();
    let environment = write_pair(&bundle.path().join("envs/app"), "/api/users/2");
    for path in [bundle.path(), &environment] {
        assert_eq!(load(path, None).unwrap().catalog.tools.len(), 1);
    }
}

#[rstest]
#[case::no_envs(&[], "envs cannot be listed")]
#[case::no_pair(&["envs/app/other"], "no folder under envs holds manifest.json and evidence.json")]
fn another_folder_is_refused(#[case] folders: &[&str], #[case] message: &str) {
    let bundle = TempDir::new().unwrap();
    for folder in folders {
        fs::create_dir_all(bundle.path().join(folder)).unwrap();
    }
    let error = load(bundle.path(), None).unwrap_err();
    assert!(error.to_string().contains(message), "{error}");
    assert_eq!(ErrorDocument::from(&error).code, Code::InvalidRequest);
}

#[test]
fn a_bundle_of_two_environments_is_refused() {
    let bundle = TempDir::new().unwrap();
    write_pair(&bundle.path().join("envs/one"), "/api/users/2");
    write_pair(&bundle.path().join("envs/two"), "/api/users/3");
    let error = load(bundle.path(), None).unwrap_err();
    assert!(error.to_string().contains("envs holds 2 environments"), "{error}");
}

#[test]
fn a_manifest_of_another_capture_names_both() {
    let folder = TempDir::new().unwrap();
    let one = write_pair(&folder.path().join("one"), "/api/users/2");
    let other = write_pair(&folder.path().join("other"), "/api/users/3");
    let error = load(&one.join("manifest.json"), Some(&other.join("evidence.json"))).unwrap_err();
    let AnswerError::OtherCapture { parent, capture } = &error else { panic!("{error}") };
    let id = |path: &Path| load_capture(path, &InspectOptions::default()).unwrap().evidence.evidence_id.clone();
    assert_eq!((parent, capture), (&id(&one.join("evidence.json")), &id(&other.join("evidence.json"))));
}

#[test]
fn what_is_not_a_manifest_is_named() {
    let folder = TempDir::new().unwrap();
    let pair = write_pair(folder.path(), "/api/users/2");
    let (manifest, evidence) = (pair.join("manifest.json"), pair.join("evidence.json"));
    let document = |path: &Path, evidence: Option<&Path>| ErrorDocument::from(&load(path, evidence).unwrap_err());

    let swapped = document(&evidence, Some(&manifest));
    assert_eq!(swapped.code, Code::InvalidRequest, "{}", swapped.message);
    assert!(swapped.message.contains("evidence.json is not a manifest"), "{}", swapped.message);
    let alone = document(&manifest, None);
    assert!(alone.message.contains("inspect_analysis_view"), "{}", alone.message);
    let missing = document(&folder.path().join("none.json"), Some(&evidence));
    assert!(missing.message.contains("none.json"), "{}", missing.message);

    let edited = fs::read_to_string(&manifest).unwrap().replace("get_users_by_id", "get_users_by_xx");
    fs::write(&manifest, edited).unwrap();
    let edited = document(&manifest, Some(&evidence));
    assert_eq!(edited.code, Code::EvidenceIntegrityMismatch, "{}", edited.message);

    fs::write(&manifest, "{").unwrap();
    let cut = document(&manifest, Some(&evidence));
    assert_eq!(cut.code, Code::EvidenceIntegrityMismatch, "{}", cut.message);
    assert!(cut.message.contains("manifest.json"), "{}", cut.message);
}
