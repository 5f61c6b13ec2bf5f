//! Input that must be refused, with the place, the limit and what to do.

use super::*;
use rstest::rstest;
use std::fs;

fn refuse(text: impl Into<Vec<u8>>) -> CaptureError {
    inspect_with(text, &InspectOptions::default()).unwrap_err()
}

/// A file of this name and text, read as a capture.
fn load(name: &str, text: &[u8]) -> Result<Capture, CaptureError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    load_capture(&path, &InspectOptions::default())
}

#[rstest]
#[case::empty("", "empty document at byte 0")]
#[case::white_space(" \n ", "empty document")]
#[case::cut(r#"{"log":{"entries":[{"a":"#, "unexpected end of the document at byte 24")]
#[case::wrapped("callback({})", "at byte 0 (line 1, column 1)")]
#[case::trailing_comma("{\"log\":{\"entries\":[1,]}}", "at byte 21")]
#[case::two_documents(
    "{\"log\":{\"entries\":[]}}\n{\"log\":{\"entries\":[]}}",
    "unexpected text after the document at byte 23 (line 2, column 1)"
)]
#[case::comment("/* har */{}", "at byte 0")]
#[case::single_quotes("{'log':1}", "at byte 1")]
#[case::not_a_number("{\"log\":{\"entries\":[NaN]}}", "at byte 19")]
fn text_that_is_not_json(#[case] text: &str, #[case] says: &str) {
    let error = refuse(text);
    assert!(error.to_string().contains(says), "{error}");
    let document = document(&error);
    assert!(document.contains(r#""path":["capture_path"],"reason":"invalid_format""#), "{document}");
    assert!(document.contains(r#""position":"#), "{document}");
}

#[test]
fn bytes_that_are_not_utf8_are_named_by_position() {
    let error = refuse(*b"{\"log\":\"\xe9\"}");
    assert!(error.to_string().contains("invalid UTF-8 at byte 8"), "{error}");
    let utf16: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(refuse(utf16).to_string().contains("invalid UTF-8 at byte 0"));
}

#[rstest]
#[case::a_list("[]", "")]
#[case::a_text("\"log\"", "")]
#[case::no_log("{}", "/log")]
#[case::log_is_a_list(r#"{"log":[]}"#, "/log")]
#[case::no_entries(r#"{"log":{}}"#, "/log/entries")]
#[case::entries_object(r#"{"log":{"entries":{}}}"#, "/log/entries")]
#[case::entries_null(r#"{"log":{"entries":null}}"#, "/log/entries")]
fn json_that_is_no_har(#[case] text: &str, #[case] expected: &str) {
    let error = refuse(text);
    assert!(matches!(&error, CaptureError::NotHar { pointer, .. } if pointer == expected), "{error}");
    let path = if expected.is_empty() {
        "[\"capture_path\"]".to_owned()
    } else {
        format!("[\"capture_path\",\"{expected}\"]")
    };
    assert!(document(&error).contains(&format!(r#""path":{path},"reason":"invalid_format""#)), "{}", document(&error));
}

#[rstest]
#[case(r#"{"log":{"entries":[]},"log":{"entries":[]}}"#, "/log")]
#[case(r#"{"log":{"version":"1.2","entries":[],"version":"1.2"}}"#, "/log/version")]
#[case(r#"{"log":{"entries":[],"entries":[]}}"#, "/log/entries")]
#[case(r#"{"log":{"creator":{"name":"a","n\u0061me":"b"},"entries":[]}}"#, "/log/creator/name")]
#[case(r#"{"log":{"entries":[]},"x":{"a":1,"a":1}}"#, "/x/a")]
fn a_name_twice_outside_the_entries(#[case] text: &str, #[case] expected: &str) {
    let error = refuse(text);
    assert!(matches!(&error, CaptureError::DuplicateMember { pointer, .. } if pointer == expected), "{error}");
    assert!(document(&error).contains(&format!(r#""path":["capture_path","{expected}"]"#)));
}

#[test]
fn a_name_twice_inside_an_entry_costs_only_that_entry() {
    let good = entry("GET", "http://h/a", &json_response(200, "{}"));
    let bad = good.replacen(r#""url":"#, r#""url":"http://h/b","url":"#, 1);
    let evidence = inspect(har(&[&good, &bad, "7", &good]));
    assert!(record_value(&evidence, 1).get("reported").unwrap().is_null());
    let limitations = record_value(&evidence, 1).get("limitations").unwrap().to_compact();
    assert!(limitations.contains("duplicate-members") && limitations.contains("(/request/url)"), "{limitations}");
    assert!(record_value(&evidence, 2).get("reported").unwrap().is_null());
    assert_eq!(kinds(&evidence), ["unreadable-entry", "duplicate-members"]);
    let records = capture_from_evidence(Arc::new(evidence)).unwrap().records;
    assert_eq!(records.iter().map(|record| record.request.is_some()).collect::<Vec<_>>(), [true, false, false, true]);
    assert_eq!(records[1].no_request_reason, Some("no-request-line"));
}

#[test]
fn more_repeated_names_than_are_listed_are_refused() {
    let name = "n".repeat(50_000);
    let entry = format!(r#"{{"{name}":1,"{name}":1}}"#);
    let error = refuse(har(&vec![entry.as_str(); 100]));
    assert!(matches!(error, CaptureError::TooManyDuplicates { .. }), "{error}");
    assert!(document(&error).contains("maximum_duplicate_bytes"));
}

#[test]
fn nesting_has_a_limit() {
    let nested = |levels: usize| har(&[&format!("{}{}", "[".repeat(levels), "]".repeat(levels))]);
    // The entries stand in the third container.
    assert!(inspect_with(nested(61), &InspectOptions::default()).is_ok());
    let error = refuse(nested(62));
    assert!(error.to_string().contains("nested deeper than 64 levels"), "{error}");
    let document = document(&error);
    assert!(document.contains(r#""reason":"out_of_range""#), "{document}");
    assert!(document.contains(r#""expected":{"maximum_capture_nesting":64}"#), "{document}");
}

#[test]
fn limits_can_be_set() {
    let nested = har(&[&format!("{{\"a\":{}{}}}", "[".repeat(2000), "]".repeat(2000))]);
    let options = InspectOptions { max_nesting: Some(65), ..InspectOptions::default() };
    assert!(inspect_with(nested.replace(&"[".repeat(1938), "").replace(&"]".repeat(1938), ""), &options).is_err());
    assert!(inspect_with(nested.replace(&"[".repeat(1939), "").replace(&"]".repeat(1939), ""), &options).is_ok());
    // However much is asked for, Evidence must be able to hold it.
    let options = InspectOptions { max_nesting: Some(usize::MAX), ..InspectOptions::default() };
    assert!(inspect_with(nested.as_str(), &options).unwrap_err().to_string().contains("900 levels"));
    let deepest = nested.replace(&"[".repeat(1104), "").replace(&"]".repeat(1104), "");
    let evidence = inspect_with(deepest, &options).unwrap();
    assert!(crate::evidence::authenticate(&evidence.to_compact_bytes()).is_ok());
    let options = InspectOptions { max_result_bytes: Some(500), ..InspectOptions::default() };
    let error = inspect_with(har(&[]), &options).unwrap_err();
    assert!(document(&error).contains(r#""code":"unreadable_output""#), "{error}");
    assert!(document(&error).contains(r#""maximum_result_bytes":500"#), "{}", document(&error));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.har");
    fs::write(&path, har(&[])).unwrap();
    let options = InspectOptions { max_bytes: Some(10), ..InspectOptions::default() };
    assert!(document(&inspect_har(&path, &options).unwrap_err()).contains(r#""maximum_capture_bytes":10"#));
}

#[test]
fn an_empty_list_of_entries_is_a_capture_of_nothing() {
    let evidence = inspect(har(&[]));
    assert_eq!(evidence.normalized_result.get("total_records"), Some(&0u32.into()));
    assert!(capture_from_evidence(Arc::new(evidence)).unwrap().records.is_empty());
}

#[test]
fn folders_links_and_missing_files() {
    let folder = tempfile::tempdir().unwrap();
    let options = InspectOptions::default();
    let code = |name: &str| {
        let error = load_capture(&folder.path().join(name), &options).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        let document = ErrorDocument::from(&error);
        (document.code.as_str(), document.to_value().to_compact())
    };
    fs::create_dir(folder.path().join("folder.har")).unwrap();
    fs::write(folder.path().join("a.har"), har(&[])).unwrap();
    std::os::unix::fs::symlink(folder.path().join("a.har"), folder.path().join("link.har")).unwrap();
    for name in ["folder.har", "link.har", "missing.har"] {
        assert_eq!(code(name).0, "invalid_request", "{name}");
    }
    assert!(code("link.har").1.contains("symbolic link"));
    assert!(load_capture(&folder.path().join("a.har"), &options).is_ok());
}

#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.har");
    fs::write(&path, har(&[])).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::File::open(&path).is_ok() {
        println!("skipped: this user may read every file");
        return;
    }
    let error = load_capture(&path, &InspectOptions::default()).unwrap_err();
    assert_eq!(ErrorDocument::from(&error).code.as_str(), "access_denied");
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.har");
    // A hole takes no room on the disk.
    fs::File::create(&path).unwrap().set_len(MAX_CAPTURE_BYTES + 1).unwrap();
    let error = load_capture(&path, &InspectOptions::default()).unwrap_err();
    let document = document(&error);
    assert!(document.contains(r#""reason":"out_of_range""#), "{document}");
    assert!(document.contains(&format!(r#""maximum_capture_bytes":{MAX_CAPTURE_BYTES}"#)), "{document}");
}

#[rstest]
#[case(&[9], "record 9")]
#[case(&[0, 0], "record 0 is asked for twice")]
fn ordinals_that_are_not_there(#[case] ordinals: &[usize], #[case] says: &str) {
    let good = entry("GET", "http://h/a", &json_response(200, "{}"));
    let options = InspectOptions { record_ordinals: ordinals.to_vec(), ..InspectOptions::default() };
    let error = inspect_with(har(&[&good, &good]), &options).unwrap_err();
    assert!(error.to_string().contains(says), "{error}");
    assert!(document(&error).contains(r#""path":["record_ordinals"]"#));
}

#[test]
fn time_and_cancellation_end_an_inspection() {
    let flag = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let options = InspectOptions { cancel: Some(flag), ..InspectOptions::default() };
    let error = inspect_with(har(&[]), &options).unwrap_err();
    assert!(document(&error).contains(r#""code":"cancelled""#));
    let many = har(&vec![entry("GET", "http://h/a", &json_response(200, "{}")).as_str(); 2000]);
    let options = InspectOptions { timeout_ms: Some(0), ..InspectOptions::default() };
    let error = inspect_with(many, &options).unwrap_err();
    assert!(document(&error).contains(r#""code":"provider_timeout""#), "{error}");
    assert!(document(&error).contains(r#""timeout_ms":0"#));
}

#[test]
fn the_content_says_what_a_file_is() {
    let text = har(&[&entry("GET", "http://h/a", &json_response(200, "{}"))]);
    assert_eq!(load("a.har", text.as_bytes()).unwrap().input, CaptureInput::Har);
    assert_eq!(load("A.HAR", text.as_bytes()).unwrap().input, CaptureInput::Har);
    for name in ["a.json", "a"] {
        let error = load(name, text.as_bytes()).unwrap_err();
        assert!(matches!(error, CaptureError::HarNamedOtherwise { .. }), "{error}");
        assert!(document(&error).contains("ends in .har"), "{}", document(&error));
    }
    // Also when its first member is another one.
    let later = text.replacen("{\"log\"", "{\"comment\":\"\",\"log\"", 1);
    assert!(matches!(load("a.json", later.as_bytes()), Err(CaptureError::HarNamedOtherwise { .. })));
    let evidence = inspect(text.as_str()).to_compact_bytes();
    for name in ["a.json", "a.capture", "a.har"] {
        let capture = load(name, &evidence).unwrap();
        assert_eq!((capture.input, capture.records.len()), (CaptureInput::Evidence, 1), "{name}");
    }
}

#[test]
fn evidence_of_something_else_or_edited() {
    let evidence = inspect(har(&[]));
    let mut other = evidence.clone();
    other.operation = "inspect_analysis_view".into();
    let error = load("a.json", &other.seal().to_compact_bytes()).unwrap_err();
    assert!(matches!(error, CaptureError::OtherOperation { .. }), "{error}");
    assert!(error.to_string().contains("inspect_analysis_view"), "{error}");
    let mut other = evidence.clone();
    *other.normalized_result.as_object_mut().unwrap().get_mut("format").unwrap() = "mitmproxy".into();
    let error = load("a.json", &other.seal().to_compact_bytes()).unwrap_err();
    assert!(error.to_string().contains("mitmproxy"), "{error}");
    let mut other = evidence.clone();
    other.normalized_result.as_object_mut().unwrap().set("records", 1u32);
    let error = load("a.json", &other.seal().to_compact_bytes()).unwrap_err();
    assert!(error.to_string().contains("/normalized_result/records"), "{error}");
    let text = String::from_utf8(evidence.to_compact_bytes()).unwrap();
    let edited = text.replacen("\"total_records\":0", "\"total_records\":1", 1);
    let error = load("a.json", edited.as_bytes()).unwrap_err();
    let document = document(&error);
    assert!(document.contains("evidence_integrity_mismatch"), "{document}");
    assert!(document.contains(&evidence.evidence_id), "{document}");
    let error = load("a.json", b"{\"x\":1}").unwrap_err();
    assert!(matches!(error, CaptureError::NotEvidence { .. }), "{error}");
    let error = load("a.json", b"").unwrap_err();
    assert!(error.to_string().contains("empty document"), "{error}");
}
