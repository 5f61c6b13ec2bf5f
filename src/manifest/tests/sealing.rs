//! Sealed manifests: what a manifest says survives its Evidence, the same capture gives the same bytes, requests are
//! read strictly, and every refusal says where and why.

use super::recording::{Line, ORIGIN, capture, project, record};
use crate::capture::{Answer, Body, Record, Request};
use crate::evidence::{ErrorDocument, Evidence, authenticate};
use crate::json::Value;
use crate::manifest::{
    DEFAULT_BUILD_RULES, Manifest, ManifestError, TemplateRule, ViewKind, inspect_view, manifest_evidence,
    manifest_from_evidence, project_manifest, read_view,
};
use proptest::prelude::*;
use rstest::rstest;
use std::path::Path;

fn assert_same(read: &Manifest, projected: &Manifest) {
    assert_eq!(read.name, projected.name);
    assert_eq!(read.origin, projected.origin);
    assert_eq!(read.template_rules, projected.template_rules);
    assert_eq!(read.tools, projected.tools);
    assert_eq!(read.excluded_groups, projected.excluded_groups);
    assert_eq!(read.unknowns, projected.unknowns);
    assert_eq!(read.view_digest, projected.view_digest);
}

fn any_record() -> impl Strategy<Value = (String, String, u16, String, String, bool)> {
    (
        prop::sample::select(vec!["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "REPORT"]).prop_map(str::to_owned),
        prop::collection::vec(
            prop_oneof![
                Just("api".to_owned()),
                Just("users".to_owned()),
                Just("7".to_owned()),
                Just("V1StGXR8Z5jdHi6B".to_owned()),
                Just("%2F".to_owned()),
                Just("{numeric}".to_owned()),
                Just("Sets('a')".to_owned()),
                "[a-z]{0,4}",
            ],
            0..5,
        )
        .prop_map(|parts| format!("/{}", parts.join("/"))),
        prop::sample::select(vec![200u16, 201, 204, 404, 500]),
        prop_oneof![Just(String::new()), Just("x=1&x=2&_y=%20&model_config=3".to_owned()), "[a-z=&%+]{0,12}",],
        prop_oneof![
            Just(String::new()),
            Just("{}".to_owned()),
            Just(r#"[{"id":7,"name":"users"}]"#.to_owned()),
            Just(r#"{"id":7,"name":"abc","tags":["x"]}"#.to_owned()),
            Just(r#"{"a":{"b":{"id":"api"}}}"#.to_owned()),
            Just("null".to_owned()),
        ],
        any::<bool>(),
    )
}

fn records(rows: &[(String, String, u16, String, String, bool)]) -> Vec<Record> {
    rows.iter()
        .enumerate()
        .map(|(ordinal, (method, path, status, query, body, sent))| Record {
            ordinal,
            start: None,
            duration_ms: None,
            request: Some(Request {
                method: method.clone(),
                origin: ORIGIN.to_owned(),
                path: path.clone(),
                query: (!query.is_empty()).then(|| query.clone()),
                content_type: Some("application/json".to_owned()),
                body: if *sent { Body::Text(body.as_str().into()) } else { Body::Unrecorded },
            }),
            no_request_reason: None,
            answer: Some(Answer {
                status: *status,
                content_type: Some("application/json".to_owned()),
                location: None,
                body: Body::Text(body.as_str().into()),
            }),
            bodies_unselected: false,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_manifest_survives_its_evidence(
        rows in prop::collection::vec(any_record(), 1..24),
        rules in prop::sample::subsequence(DEFAULT_BUILD_RULES.to_vec(), 0..=4),
    ) {
        let capture = capture(records(&rows));
        let projected = project_manifest(&capture, &rules).unwrap();
        let bytes = projected.evidence.to_compact_bytes();
        let read = manifest_from_evidence(authenticate(&bytes).unwrap().into()).unwrap();
        assert_same(&read, &projected);
        prop_assert_eq!(project_manifest(&capture, &rules).unwrap().evidence.to_compact_bytes(), bytes);
    }

    #[test]
    fn every_record_is_cited_once_and_fits_its_template(rows in prop::collection::vec(any_record(), 1..24)) {
        let capture = capture(records(&rows));
        let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).unwrap();
        let mut cited: Vec<usize> = manifest.tools.iter().flat_map(|tool| tool.records.iter().copied()).collect();
        cited.sort_unstable();
        let excluded: usize = manifest.excluded_groups.iter().map(|group| group.records).sum();
        prop_assert_eq!(cited.len() + excluded, rows.len());
        prop_assert!(cited.windows(2).all(|pair| pair[0] < pair[1]));
        let mut names: Vec<&str> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.sort_unstable();
        prop_assert!(names.windows(2).all(|pair| pair[0] < pair[1]));
        for tool in &manifest.tools {
            prop_assert!(!tool.name.is_empty() && tool.name.len() <= 64);
            for ordinal in &tool.records {
                let path = &rows[*ordinal].1;
                let values = tool.template.matches(path);
                prop_assert_eq!(values.map(|values| values.len()), Some(tool.parameters.len()), "{} {}", path, tool.template.spelling());
            }
            let mut arguments: Vec<&str> = tool.parameters.iter().map(|p| p.argument.as_str()).collect();
            arguments.extend(tool.query.iter().map(|q| q.argument.as_str()));
            arguments.push(&tool.body_argument);
            let count = arguments.len();
            arguments.sort_unstable();
            arguments.dedup();
            prop_assert_eq!(arguments.len(), count);
            prop_assert!(arguments.iter().all(|a| !a.is_empty() && !a.starts_with('_') && *a != "model_config"));
        }
    }

    #[test]
    fn the_order_of_records_does_not_change_what_the_tools_are(rows in prop::collection::vec(any_record(), 1..16)) {
        let mut turned = rows.clone();
        turned.reverse();
        let spell = |rows: &[_]| {
            super::recording::spellings(&project_manifest(&capture(records(rows)), &DEFAULT_BUILD_RULES).unwrap())
        };
        prop_assert_eq!(spell(&rows), spell(&turned));
    }
}

const LINES: &[Line] = &[("GET", "/api/users/7", 200, r#"{"id":7}"#), ("GET", "/api/users", 200, r#"[{"id":7}]"#)];

fn parent() -> Evidence {
    // A capture as the HAR reader makes it, so that its Evidence can be read again.
    let har = r#"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[
        {"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"https://app.example.test/api/users/7","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":0},
         "response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":8,"mimeType":"application/json","text":"{\"id\":7}"},"redirectURL":"","headersSize":-1,"bodySize":8},"cache":{},"timings":{"send":0,"wait":1,"receive":0}}]}}"#;
    crate::capture::inspect_har_bytes(har.into(), &"0".repeat(64), "a.har", &Default::default()).unwrap()
}

fn request(source: &str, view: &str) -> String {
    format!(r#"{{"source":{source},"view":{view}}}"#)
}

fn inline() -> String {
    format!(r#"{{"kind":"inline","evidence":{}}}"#, parent().to_value().to_compact())
}

#[test]
fn inline_and_file_sources_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("capture.json"), parent().to_compact_bytes()).unwrap();
    let view = r#"{"kind":"environment-manifest","template_rules":["prefix-variance","opaque-token"]}"#;
    let by_file = request(r#"{"kind":"evidence-file","path":"capture.json"}"#, view);
    std::fs::create_dir(folder.path().join("requests")).unwrap();
    std::fs::write(folder.path().join("requests/view.json"), by_file.replace("capture.json", "../capture.json"))
        .unwrap();
    let inline = inspect_view(&request(&inline(), view), Path::new(".")).unwrap();
    assert_eq!(inspect_view(&by_file, folder.path()).unwrap(), inline);
    assert_eq!(inspect_view("requests/view.json", folder.path()).unwrap(), inline);
    let rules = inline.normalized_result.get("template_rules").unwrap().to_compact();
    assert_eq!(rules, r#"["opaque-token","prefix-variance"]"#);
    assert_eq!(inline.operation, "inspect_analysis_view");
    assert_eq!(inline.evidence_links, [parent().evidence_id]);
}

#[test]
fn a_view_result_carries_its_members_in_printed_order() {
    let evidence = manifest_evidence(&capture(vec![record(0, "GET", "/a", 200, "{}")]), &[]).unwrap();
    let names: Vec<String> = evidence
        .normalized_result
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, _)| name.to_display().into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "kind",
            "view",
            "name",
            "origin",
            "template_rules",
            "tools",
            "excluded_groups",
            "parent_evidence_id",
            "parent_operation",
            "parent_digest",
            "view_digest",
            "artifact",
            "coverage",
            "limitations",
            "unknowns"
        ]
    );
    let mut undigested = evidence.normalized_result.clone();
    undigested.as_object_mut().unwrap().remove("view_digest");
    assert_eq!(
        evidence.normalized_result.get("view_digest").and_then(Value::as_str).unwrap(),
        crate::json::canonical_sha256(&undigested)
    );
}

#[test]
fn other_kinds_are_read_for_a_later_stage() {
    let text = request(&inline(), r#"{"kind":"environment-state","template_rules":["opaque-token"]}"#);
    let view = read_view(&text, Path::new(".")).unwrap();
    assert_eq!(view.kind, ViewKind::State);
    assert_eq!(view.rules, [TemplateRule::OpaqueToken]);
    assert_eq!(view.capture.records.len(), 1);
}

#[rstest]
#[case::not_json("{\"source\":", "not JSON")]
#[case::empty("", "not JSON")]
#[case::no_file("no-such-view.json", "no-such-view.json")]
#[case::array("[]", "expected an object")]
#[case::no_view(r#"{"source":{"kind":"inline","evidence":{}}}"#, "\"view\" is missing")]
#[case::unknown_member(r#"{"source":{},"view":{},"extra":1}"#, "/extra")]
#[case::unknown_view_member(r#"{"source":{},"view":{"kind":"environment-manifest","rules":[]}}"#, "/view/rules")]
#[case::unknown_kind(r#"{"source":{},"view":{"kind":"summary"}}"#, "unknown view kind")]
#[case::rules_no_array(
    r#"{"source":{},"view":{"kind":"environment-manifest","template_rules":"x"}}"#,
    "/view/template_rules"
)]
#[case::rule_no_text(
    r#"{"source":{},"view":{"kind":"environment-manifest","template_rules":[1]}}"#,
    "/view/template_rules/0"
)]
#[case::repeated(
    r#"{"source":{},"view":{"kind":"environment-manifest","template_rules":["opaque-token","opaque-token"]}}"#,
    "more than once"
)]
#[case::unknown_rule(
    r#"{"source":{},"view":{"kind":"environment-manifest","template_rules":["uuid"]}}"#,
    "unknown template rule"
)]
#[case::no_source_kind(r#"{"source":{},"view":{"kind":"environment-manifest"}}"#, "\"kind\" is missing")]
#[case::retained(
    r#"{"source":{"kind":"retained-evidence","evidence_id":"ev_1"},"view":{"kind":"environment-manifest"}}"#,
    "evidence-file"
)]
#[case::foreign_source(r#"{"source":{"kind":"url"},"view":{"kind":"environment-manifest"}}"#, "unknown source kind")]
#[case::both(
    r#"{"source":{"kind":"inline","evidence":{},"path":"x"},"view":{"kind":"environment-manifest"}}"#,
    "/source/path"
)]
#[case::no_evidence(
    r#"{"source":{"kind":"inline","evidence":{}},"view":{"kind":"environment-manifest"}}"#,
    "source is refused"
)]
#[case::missing_file(
    r#"{"source":{"kind":"evidence-file","path":"gone.json"},"view":{"kind":"environment-manifest"}}"#,
    "gone.json"
)]
fn refused_requests(#[case] text: &str, #[case] says: &str) {
    let folder = tempfile::tempdir().unwrap();
    let error = inspect_view(text, folder.path()).unwrap_err();
    let document = ErrorDocument::from(&error).to_value().to_compact();
    assert!(error.to_string().contains(says), "{error}");
    assert!(document.contains("\"code\":\"invalid_request\""), "{document}");
}

#[test]
fn edited_evidence_and_foreign_operations_are_refused() {
    let edited = inline().replace("/api/users/7", "/api/users/8");
    let error = inspect_view(&request(&edited, r#"{"kind":"environment-manifest"}"#), Path::new(".")).unwrap_err();
    assert!(matches!(error, ManifestError::Source { .. }), "{error}");
    let manifest = project(LINES, &[]);
    let text = format!(r#"{{"kind":"inline","evidence":{}}}"#, manifest.evidence.to_value().to_compact());
    let error = inspect_view(&request(&text, r#"{"kind":"environment-manifest"}"#), Path::new(".")).unwrap_err();
    assert!(matches!(error, ManifestError::Capture(_)), "{error}");
    let error = manifest_from_evidence(parent().into()).unwrap_err();
    assert!(error.to_string().contains("/operation"), "{error}");
}

#[test]
fn a_manifest_of_another_shape_is_refused_with_the_pointer() {
    let manifest = project(LINES, &[]);
    let mut evidence = Evidence::clone(&manifest.evidence);
    let tools = evidence.normalized_result.as_object_mut().unwrap().get_mut("tools").unwrap();
    tools.as_array_mut().unwrap()[0].as_object_mut().unwrap().set("statuses", "200");
    let error = manifest_from_evidence(evidence.seal().into()).unwrap_err();
    assert!(error.to_string().contains("/normalized_result/tools/0/statuses"), "{error}");
}

#[test]
fn captures_without_answers_or_with_removed_values_are_refused() {
    let error = project_manifest(&capture(vec![]), &[]).unwrap_err();
    assert!(error.to_string().contains("JSON-like"), "{error}");
    let error = project_manifest(&capture(vec![record(0, "GET", "/a", 204, "")]), &[]).unwrap_err();
    assert!(error.to_string().contains("JSON-like"), "{error}");
    let mut removed = capture(vec![record(0, "GET", "/a", 200, "{}")]);
    let mut evidence = Evidence::clone(&removed.evidence);
    evidence.parameters.set("sensitive_value_count", 1u64);
    removed.evidence = evidence.seal().into();
    let error = project_manifest(&removed, &[]).unwrap_err();
    assert!(error.to_string().contains("sensitive"), "{error}");
    assert!(ErrorDocument::from(&error).to_value().to_compact().contains("unsupported_target"));
}
