//! `environment-build` and `environment-export`: what they write and report.

use super::support::{Ended, folder, program, project, rea, run, run_in};
use rea::json::Value;
use rstest::rstest;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Every file under a folder, with its bytes.
pub fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                walk(&entry.path(), &format!("{path}/"), files);
            } else if kind.is_symlink() {
                files.insert(path, fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes());
            } else {
                files.insert(path, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(folder, "", &mut files);
    files
}

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    let found = path.iter().try_fold(value, |value, name| value.get(name));
    found.and_then(Value::as_str).unwrap_or_default()
}

const VIEW: &str = r#"{"source":{"kind":"evidence-file","path":"capture.json"},"view":{"kind":"environment-manifest","template_rules":["after-uid-literal","opaque-token","sibling-variance","prefix-variance"]}}"#;

/// The one-step build writes what the separate commands write, file by file.
#[rstest]
fn one_step_and_the_separate_commands_write_the_same_bytes(
    #[values(
        "changedetection",
        "ghost",
        "ihatemoney",
        "jupyter-server",
        "label-studio",
        "mlflow",
        "n8n",
        "nautobot",
        "prefect",
        "rabbitmq",
        "readme",
        "strapi",
        "wordpress"
    )]
    scenario: &str,
) {
    let work = folder(&[("view.json", VIEW.as_bytes())]);
    let here = work.path();
    let har = project(&format!("scenarios/{scenario}/capture.har"));
    let har = har.to_str().unwrap();
    let capture = run_in(here, ["inspect-web-network-capture", har, "har"]);
    fs::write(here.join("capture.json"), &capture.stdout).unwrap();
    let manifest = run_in(here, ["inspect-analysis-view", "view.json"]);
    fs::write(here.join("manifest.json"), &manifest.stdout).unwrap();
    let exported = run_in(
        here,
        [
            "environment-export",
            "manifest.json",
            "--evidence",
            "capture.json",
            "exported",
            "--name",
            "same",
            "--package-registry",
        ],
    );
    assert_eq!(exported.text("status"), "exported", "{}", exported.all());
    let built = run_in(here, ["environment-build", har, "built", "--name", "same", "--package-registry"]);
    assert_eq!(built.text("status"), "built", "{}", built.all());
    let (one, other) = (tree(&here.join("built")), tree(&here.join("exported")));
    assert!(one == other, "the bundles differ");
    assert!(one["envs/same/evidence.json"] == capture.stdout && one["envs/same/manifest.json"] == manifest.stdout);
    assert_eq!(built.document.get("files"), exported.document.get("files"));
    assert_eq!(built.document.get("state"), exported.document.get("state"));
}

#[test]
fn a_build_from_evidence_writes_that_evidence() {
    let work = folder(&[]);
    let har = project("scenarios/readme/capture.har");
    let har = har.to_str().unwrap();
    let capture = run_in(work.path(), ["inspect-web-network-capture", har]);
    fs::write(work.path().join("shelf.capture.json"), &capture.stdout).unwrap();
    let built = run_in(work.path(), ["environment-build", "shelf.capture.json", "built", "--package-registry"]);
    assert_eq!(text(&built.document, &["capture", "input"]), "evidence", "{}", built.all());
    assert_eq!(built.text("name"), "shelf-example");
    let from_har = run_in(work.path(), ["environment-build", har, "again", "--package-registry"]);
    assert_eq!(text(&from_har.document, &["capture", "input"]), "har");
    assert!(tree(&work.path().join("built")) == tree(&work.path().join("again")));
}

#[test]
fn the_report_is_the_references() {
    let work = folder(&[]);
    let har = project("scenarios/readme/capture.har");
    let built = run_in(work.path(), ["environment-build", har.to_str().unwrap(), "shelf"]);
    assert_eq!(built.status, Some(0), "{}", built.all());
    let names: Vec<_> =
        built.document.as_object().unwrap().iter().map(|(name, _)| name.to_display().into_owned()).collect();
    let expected = [
        "status",
        "directory",
        "name",
        "capture",
        "manifest",
        "state",
        "coverage",
        "tool_count",
        "package_source",
        "files",
        "warnings",
        "next",
    ];
    assert_eq!(names, expected);
    let directory = work.path().join("shelf");
    assert_eq!(Path::new(built.text("directory")), directory);
    assert_eq!(text(&built.document, &["package_source", "kind"]), "executable");
    // Every file is private, the program may be run, and what is reported is what is there.
    let files = tree(&directory);
    let reported = built.document.get("files").and_then(Value::as_array).unwrap();
    assert_eq!(reported.len(), files.len());
    for file in reported {
        let path = text(file, &["path"]);
        assert_eq!(file.get("bytes").unwrap().to_compact(), files[path].len().to_string());
        let mode = fs::metadata(directory.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if path.ends_with("/rea") { 0o700 } else { 0o600 }, "{path}");
    }
    assert!(files["envs/shelf-example/rea"] == fs::read(program()).unwrap());
    // The bundle is an input too, and exporting it again writes it again.
    let again = run_in(work.path(), ["environment-export", "shelf", "again"]);
    assert_eq!(again.text("status"), "exported", "{}", again.all());
    assert!(tree(&work.path().join("again")) == files);
    let compared = run_in(work.path(), ["environment-compare", "shelf", "--probe", har.to_str().unwrap()]);
    assert_eq!(compared.text("status"), "compared", "{}", compared.all());
}

#[test]
fn a_dry_run_reports_and_writes_nothing() {
    let work = folder(&[("occupied", b"")]);
    let har = project("scenarios/readme/capture.har");
    let har = har.to_str().unwrap();
    let arguments = ["environment-build", har, "--dry-run", "--package-registry"];
    let planned = run_in(work.path(), arguments);
    assert_eq!((planned.status, planned.text("status")), (Some(0), "planned"), "{}", planned.all());
    assert_eq!(planned.document.get("directory"), Some(&Value::Null));
    assert_eq!(planned.document.get("next").unwrap().to_compact(), "[]");
    // The folder is not looked at.
    let occupied = run_in(work.path(), arguments.into_iter().chain(["occupied"]));
    assert_eq!(occupied.text("status"), "planned");
    let built = run_in(work.path(), ["environment-build", har, "built", "--package-registry"]);
    assert_eq!(planned.document.get("files"), built.document.get("files"));
    assert_eq!(tree(work.path()).keys().filter(|path| !path.starts_with("built/")).count(), 1);
}

#[test]
fn a_nameless_origin_takes_the_files_name() {
    let har = fs::read_to_string(project("scenarios/readme/capture.har")).unwrap();
    let har = har.replace("shelf.example", "127.0.0.1:8080");
    let work = folder(&[("My Shelf.har", har.as_bytes()), ("___.har", har.as_bytes())]);
    let built = run_in(work.path(), ["environment-build", "My Shelf.har", "--dry-run", "--package-registry"]);
    assert_eq!(built.text("name"), "my-shelf", "{}", built.all());
    assert!(built.all().contains("name-from-file"));
    let named = run_in(
        work.path(),
        ["environment-build", "My Shelf.har", "--dry-run", "--package-registry", "--name", "shelf"],
    );
    assert_eq!(named.text("name"), "shelf");
    assert!(!named.all().contains("name-from-file"));
    run_in(work.path(), ["environment-build", "___.har", "--dry-run"])
        .refuses("invalid_request", &["___.har", "--name", "environment-build"]);
}

#[test]
fn rules_are_those_of_the_views() {
    let har = project("scenarios/readme/capture.har");
    let har = har.to_str().unwrap();
    let rules = |more: &[&str]| {
        let planned =
            run(["environment-build", har, "--dry-run", "--package-registry"].into_iter().chain(more.iter().copied()));
        planned.document.get("manifest").and_then(|manifest| manifest.get("template_rules")).map(Value::to_compact)
    };
    let two = rules(&["--template-rule", "prefix-variance", "--template-rule", "opaque-token"]);
    assert_eq!(two.as_deref(), Some(r#"["opaque-token","prefix-variance"]"#));
    assert_eq!(rules(&["--format-rules-only"]).as_deref(), Some("[]"));
}

#[test]
fn the_state_is_added_on_request() {
    let work = folder(&[]);
    let har = project("scenarios/readme/capture.har");
    let arguments = ["environment-build", har.to_str().unwrap(), "shelf", "--package-registry", "--with-state"];
    let built = run_in(work.path(), arguments.into_iter().chain(["--env-provider", "server"]));
    assert_eq!(built.status, Some(0), "{}", built.all());
    let files = tree(&work.path().join("shelf"));
    let state = rea::json::parse(&files["artifacts/state_shelf-example/state.json"]).unwrap();
    let id = text(&state, &["rea_state", "state_evidence_id"]);
    assert_eq!(id, text(&built.document, &["state", "evidence_id"]));
    for path in [
        "artifacts/state_shelf-example/artifact.toml",
        "artifacts/check_state_shelf-example/verify.py",
        "tasks/state.json",
    ] {
        assert!(files.contains_key(path), "{path} is missing");
    }
    let env = String::from_utf8(files["envs/shelf-example/env.toml"].clone()).unwrap();
    assert_eq!(env, "environment_name = \"shelf-example\"\nenv_provider_type = \"server\"\n");
}

#[test]
fn people_read_the_report_as_text() {
    let work = folder(&[]);
    let har = project("scenarios/readme/capture.har");
    let arguments = ["environment-build", har.to_str().unwrap(), "shelf", "--package-registry", "--format", "text"];
    let output = rea().current_dir(work.path()).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["shelf-example", "README.md", "agent-env run", "Coverage"] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
}

#[test]
fn stages_are_logged_and_the_report_is_the_only_output() {
    let har = project("scenarios/readme/capture.har");
    let arguments = ["environment-build", har.to_str().unwrap(), "--dry-run", "--package-registry"];
    let output = rea().env("REA_LOG_LEVEL", "info").args(arguments).output().unwrap();
    let ended = Ended::of(output);
    for stage in ["environment-build", "inspect_web_network_capture", "inspect_analysis_view", "environment-export"] {
        assert!(ended.stderr.contains(&format!("\"stage\":\"{stage}\"")), "{}", ended.stderr);
    }
}
