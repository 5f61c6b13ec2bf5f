//! The credential scan: what is named, where, and never what it holds.

use super::super::credential_scan::{Scan, scan};
use crate::capture::{InspectOptions, inspect_har_bytes};
use crate::evidence::Evidence;
use crate::json::{Object, Value, parse};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rstest::rstest;

const SECRET: &str = "hunter2-hunter2";

fn har(entries: &str) -> Scan {
    let text = format!(r#"{{"log":{{"version":"1.2","creator":{{"name":"x","version":"1"}},"entries":[{entries}]}}}}"#);
    let evidence = inspect_har_bytes(text.into_bytes(), &"0".repeat(64), "x.har", &InspectOptions::default()).unwrap();
    scan(&evidence)
}

/// An entry with one request body.
fn sent(media_type: &str, body: &str) -> String {
    let body = Value::from(body).to_compact();
    format!(
        r#"{{"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{{"method":"POST","url":"http://a.example/x","headers":[],"postData":{{"mimeType":"{media_type}","text":{body}}}}},"response":{{"status":200,"headers":[],"content":{{"mimeType":"text/html","text":""}}}}}}"#
    )
}

#[test]
fn headers_queries_and_bodies_of_both_sides() {
    let entry = r#"{"startedDateTime":"2026-01-01T00:00:00Z","time":1,
        "request":{"method":"GET","url":"http://a.example/x?page=1&access_token=SECRET&token=","headers":[
            {"name":"X-Api-Key","value":"SECRET"},{"name":"Authorization","value":"Bearer SECRET"},{"name":"Accept","value":"token"}]},
        "response":{"status":200,"headers":[{"name":"X-Session","value":"SECRET"}],
            "content":{"mimeType":"application/json","text":"{\"users\":[{\"name\":\"token\",\"apiKey\":\"SECRET\",\"password\":\"\",\"secret\":null,\"is_token\":false}],\"tokens\":{\"a\":{\"b\":\"SECRET\"}}}"}}}"#;
    let found = har(&entry.replace("SECRET", SECRET));
    let expected = [
        "record 0 query access_token",
        "record 0 request header X-Api-Key",
        "record 0 response header X-Session",
        "record 0 response /users/0/apiKey",
        "record 0 response /tokens",
    ];
    assert_eq!(found.named.listed, expected);
    assert_eq!((found.named.count, found.unscanned.count), (5, 0));
    assert!(!format!("{found:?}").contains(SECRET));
}

#[rstest]
#[case::form("application/x-www-form-urlencoded", "user=a&password=x", &["record 0 request /password"])]
#[case::json_as_form("application/x-www-form-urlencoded", r#"{"password":"x"}"#, &["record 0 request /password"])]
#[case::form_by_shape("", "user=a&password=x", &["record 0 request /password"])]
#[case::json_by_shape("application/octet-stream", r#"[{"a/b":{"token":1}}]"#, &["record 0 request /0/a~1b/token"])]
#[case::text_is_not_a_form("text/plain", "user=a&password=x", &[])]
#[case::empty_value("application/x-www-form-urlencoded", "password=&token=", &[])]
#[case::not_json("application/json", r#"{"password":"#, &[])]
#[case::parts_of_words("application/json", r#"{"tokenizer":"x","secretary":"y"}"#, &[])]
fn bodies_are_read_by_type_or_shape(#[case] media_type: &str, #[case] body: &str, #[case] expected: &[&str]) {
    assert_eq!(har(&sent(media_type, body)).named.listed, expected);
}

#[test]
fn the_first_twenty_are_listed_and_all_are_counted() {
    let members: Vec<String> = (0..25).map(|index| format!(r#""token_{index}":"x""#)).collect();
    let found = har(&sent("application/json", &format!("{{{}}}", members.join(","))));
    assert_eq!((found.named.count, found.named.listed.len()), (25, 20));
    assert!(found.named.said().ends_with("/token_19 and 5 more"));
}

#[rstest]
#[case(4 * 1024 * 1024, 1, 0)]
#[case(4 * 1024 * 1024 + 1, 0, 1)]
fn bodies_over_four_mebibytes_are_counted(#[case] bytes: usize, #[case] named: usize, #[case] unscanned: usize) {
    let frame = r#"{"token":"x","a":""}"#;
    let body = format!(r#"{{"token":"x","a":"{}"}}"#, "y".repeat(bytes - frame.len()));
    let found = har(&sent("application/json", &body));
    assert_eq!((found.named.count, found.unscanned.count), (named, unscanned));
    if unscanned > 0 {
        assert_eq!(found.unscanned.listed, ["record 0 request"]);
    }
}

/// Scenario Evidence with these events.
fn scenario(events: &str) -> Evidence {
    let text = r#"{"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a.example/","headers":[]},"response":{"status":200,"headers":[],"content":{}}}"#;
    let har = format!(r#"{{"log":{{"version":"1.2","entries":[{text}]}}}}"#);
    let mut evidence = inspect_har_bytes(har.into_bytes(), &"0".repeat(64), "x", &InspectOptions::default()).unwrap();
    evidence.operation = "capture_browser_scenario".to_owned();
    let items = parse(events.as_bytes()).unwrap();
    evidence.normalized_result = Object::new().with("events", Object::new().with("items", items)).into();
    evidence
}

#[test]
fn a_browser_scenario_is_scanned_by_event() {
    let content = STANDARD.encode(format!(r#"{{"token":"{SECRET}"}}"#));
    let large = STANDARD.encode("x".repeat(4 * 1024 * 1024 + 8));
    let events = format!(
        r#"[{{"kind":"navigation"}},
            {{"kind":"request","transaction_id":"t1","method":"GET","url":{{"url":"http://a.example/x?token=a","redacted":false}}}},
            {{"kind":"response","transaction_id":"t1","url":{{"url":"http://a.example/x?token=a"}},"status":200}},
            {{"kind":"response","transaction_id":"t0","url":"http://a.example/y?api_key=a","status":200}},
            {{"kind":"network-content","phase":"response","transaction_id":"t1","headers":{{"items":[{{"name":"x-token","value":"a"}}]}},"body":{{"state":"captured","media_type":"application/json","content":"{content}"}}}},
            {{"kind":"network-content","phase":"request","transaction_id":"t9","body":{{"state":"captured","media_type":"text/plain","content":"{large}"}}}}]"#
    );
    let found = scan(&scenario(&events));
    let expected =
        ["event 1 query token", "event 3 query api_key", "event 4 response header x-token", "event 4 response /token"];
    assert_eq!(found.named.listed, expected);
    assert_eq!(found.unscanned.listed, ["event 5 request"]);
}
