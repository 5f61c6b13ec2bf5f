//! Every way for a document not to be authentic Evidence, and what is said about it.

use super::VECTOR;
use crate::evidence::authenticate;
use rstest::rstest;

#[rstest]
#[case("", "not JSON: empty document at byte 0 (line 1, column 1)")]
#[case("rea", "not JSON: expected a value at byte 0 (line 1, column 1)")]
#[case("{\"evidence_id\":", "not JSON: unexpected end of the document at byte 15 (line 1, column 16)")]
#[case("[]", "the document must be an object, found array")]
#[case("null", "the document must be an object, found null")]
#[case("{}", "member /evidence_id is missing")]
#[case(r#"{"log":{"entries":[]}}"#, "member /evidence_id is missing")]
fn documents(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(authenticate(text.as_bytes()).unwrap_err().to_string(), expected);
}

#[rstest]
#[case(
    r#""evidence_id":"ev_131d"#,
    r#""evidence_id":"ev_231d"#,
    "the content does not match its id: evidence_id is ev_231d934e9db5160007d994ec9ba96ee4bcb63f1d298c39b49dbfdf206e9abcd0, the content has ev_131d934e9db5160007d994ec9ba96ee4bcb63f1d298c39b49dbfdf206e9abcd0"
)]
#[case(
    r#""evidence_id":"ev_131d"#,
    r#""evidence_id":"ev_131D"#,
    "/evidence_id must be `ev_` and 64 lower-case hex digits"
)]
#[case(
    r#""evidence_id":"ev_131d"#,
    r#""evidence_id":"ev_31d"#,
    "/evidence_id must be `ev_` and 64 lower-case hex digits"
)]
#[case(
    r#""raw_result":null"#,
    r#""raw_result":null,"comment~/":1"#,
    "unknown member /comment~0~1: an Evidence record has none of that name"
)]
#[case(r#""raw_result":null,"#, "", "member /raw_result is missing")]
#[case(r#","evidence_links":[]"#, "", "member /evidence_links is missing")]
#[case(
    r#""analysis_profile":null,"#,
    "",
    "/analysis_profile: this record was written by a generation up to 6.1, which leaves analysis_profile out; make it again with this version"
)]
#[case(
    r#""raw_result":null"#,
    r#""raw_result":null,"schema_version":2"#,
    "/schema_version: this record was written by a generation up to 3.x, which has a schema_version; make it again with this version"
)]
#[case(
    r#""raw_result":null"#,
    r#""raw_result":null,"raw_result":null"#,
    "member /raw_result occurs twice (again at byte 552)"
)]
#[case(r#""n":1.5"#, r#""n":1.5,"n":1.5"#, "member /normalized_result/n occurs twice (again at byte 581)")]
#[case(
    r#""n":1.5"#,
    r#""n":[0,{"a/b":1e400}]"#,
    "/normalized_result/n/1/a~1b is a number beyond the range of a double"
)]
#[case(r#""name":"a.har""#, r#""name":"""#, "/subject/name must be a text that is not empty")]
#[case(r#""name":"a.har""#, r#""name":"\ud800""#, "/subject/name must be a text without unpaired surrogates")]
#[case(
    r#""digest":{"sha256":"e3b"#,
    r#""digest":{"sha256":"E3b"#,
    "/subject/digest/sha256 must be 64 lower-case hex digits"
)]
#[case(r#""format":"file""#, r#""format":"har""#, "/subject/format must be a known artifact format, such as `file`")]
#[case(r#""architecture":null"#, r#""architecture":1"#, "/subject/architecture must be a text, found number")]
#[case(r#""architecture":null,"#, "", "member /subject/architecture is missing")]
#[case(r#""version":"1""#, r#""version":1"#, "/provider/version must be a text, found number")]
#[case(r#","version":"1""#, "", "member /provider/version is missing")]
#[case(
    r#""analysis_profile":null"#,
    r#""analysis_profile":"x""#,
    "/analysis_profile must be an object or null, found string"
)]
#[case(
    r#""analysis_profile":null"#,
    r#""analysis_profile":{"provider":{"id":"example","name":"Example","version":"2"}}"#,
    "/analysis_profile/provider/version must be equal to the record's provider"
)]
#[case(
    r#""predicate_type":"rea.analysis""#,
    r#""predicate_type":"""#,
    "/predicate_type must be a text that is not empty"
)]
#[case(r#""operation":"inspect_web_network_capture""#, r#""operation":null"#, "/operation must be a text, found null")]
#[case(
    r#""confidence":"observed""#,
    r#""confidence":"sure""#,
    "/confidence must be `observed`, `derived` or `inferred`"
)]
#[case(
    r#""authority":"historical-reference""#,
    r#""authority":"me""#,
    "/authority must be `shipped-artifact`, `controlled-replay`, `historical-reference`, `external-service` or `analyst-inference`"
)]
#[case(
    r#""environment":null"#,
    r#""environment":{"id":"","platform":"","architecture":"","isolation":"jail"}"#,
    "/environment/isolation must be `none`, `process`, `container` or `virtual-machine`"
)]
#[case(r#""limitations":[]"#, r#""limitations":["a",1]"#, "/limitations/1 must be a text, found number")]
#[case(r#""limitations":[]"#, r#""limitations":{}"#, "/limitations must be an array, found object")]
#[case(
    r#""kind":"artifact-path","path":"/captures/a.har""#,
    r#""kind":"artifact-path","path":"""#,
    "/locations/0/path must be a text that is not empty"
)]
#[case(
    r#""kind":"artifact-path""#,
    r#""kind":"line""#,
    "/locations/0/kind must be `address`, `address-range`, `artifact-path`, `file-offset` or `file-offset-range`"
)]
#[case(
    r#""kind":"artifact-path","path""#,
    r#""kind":"file-offset","offset""#,
    "/locations/0/offset must be an integer, found string"
)]
#[case(
    r#""kind":"artifact-path","path":"/captures/a.har""#,
    r#""kind":"file-offset","offset":-1"#,
    "/locations/0/offset must be an integer from 0 to 2^53-1"
)]
#[case(
    r#""kind":"artifact-path","path":"/captures/a.har""#,
    r#""kind":"file-offset","offset":0.5"#,
    "/locations/0/offset must be an integer from 0 to 2^53-1"
)]
#[case(
    r#""evidence_links":[]"#,
    r#""evidence_links":["x"]"#,
    "/evidence_links/0 must be `ev_` and 64 lower-case hex digits"
)]
fn records(#[case] from: &str, #[case] to: &str, #[case] expected: &str) {
    assert!(VECTOR.contains(from), "the case changes something");
    let text = VECTOR.replacen(from, to, 1);
    assert_eq!(authenticate(text.as_bytes()).unwrap_err().to_string(), expected);
}

/// Each content edit breaks the id; the message names both.
#[rstest]
#[case(r#""t":"é""#, r#""t":"e""#)]
#[case(r#""record_ordinals":[0]"#, r#""record_ordinals":[1]"#)]
#[case(r#""limitations":[]"#, r#""limitations":["more"]"#)]
#[case(r#""id":"example""#, r#""id":"other""#)]
fn edited(#[case] from: &str, #[case] to: &str) {
    let text = VECTOR.replacen(from, to, 1);
    let error = authenticate(text.as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("the content does not match its id: evidence_id is ev_131d"), "{error}");
}

#[test]
fn every_cut_is_refused() {
    for end in 0..VECTOR.len() {
        let error = authenticate(&VECTOR.as_bytes()[..end]).unwrap_err().to_string();
        assert!(error.starts_with("not JSON: "), "{end}: {error}");
    }
}

#[rstest]
#[case("rea", r#"{"code":"evidence_integrity_mismatch","category":"integrity_mismatch","message":"/e.json is not authentic Evidence: not JSON: expected a value at byte 0 (line 1, column 1)","retryable":false,"remediation":{"action":"Give a file that holds one Evidence record."},"details":{"operation":"op","reason":"invalid-json","position":0,"line":1,"column":1,"path":"/e.json"}}"#)]
#[case("{}", r#"{"code":"invalid_request","category":"invalid_input","message":"/e.json is not authentic Evidence: member /evidence_id is missing","retryable":true,"remediation":{"action":"Give a complete Evidence record, as a command of this program printed it."},"details":{"operation":"op","issues":[{"path":["evidence","/evidence_id"],"reason":"missing_argument","message":"/e.json is not authentic Evidence: member /evidence_id is missing"}],"path":"/e.json"}}"#)]
fn printed(#[case] text: &str, #[case] expected: &str) {
    let error = authenticate(text.as_bytes()).unwrap_err();
    assert_eq!(error.to_document("op", "evidence", Some("/e.json")).to_value().to_compact(), expected);
}

#[test]
fn an_edited_record_prints_both_ids() {
    let text = VECTOR.replacen("é", "e", 1);
    let error = authenticate(text.as_bytes()).unwrap_err();
    let document = error.to_document("op", "evidence", None).to_value();
    let details = document.get("details").unwrap();
    assert_eq!(document.get("code").unwrap().as_str(), Some("evidence_integrity_mismatch"));
    assert_eq!(details.get("reason").unwrap().as_str(), Some("id-mismatch"));
    let expected = details.get("expected").unwrap().as_str().unwrap();
    assert!(expected.starts_with("ev_131d") && details.get("actual").unwrap().as_str() != Some(expected));
}
