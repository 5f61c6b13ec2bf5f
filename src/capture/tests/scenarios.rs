//! Records from browser-scenario Evidence (`evidence.md` 7.4).

use super::*;
use crate::capture::redact::hex;
use crate::evidence::{Authority, Confidence, Provider};
use crate::json::Object;
use base64::Engine as _;
use sha2::Digest as _;

/// Scenario Evidence of these events.
fn scenario(events: &[String]) -> Evidence {
    let items = events.join(",");
    let result = format!(
        r#"{{"scenario":{{"start_origin":"http://h","network_content":{{"request_body":true,"response_body":true,"header_values":false}}}},"events":{{"retained":{},"dropped":0,"items":[{items}]}}}}"#,
        events.len()
    );
    Evidence {
        evidence_id: String::new(),
        subject: None,
        provider: Provider { id: "p".into(), name: "P".into(), version: None },
        analysis_profile: None,
        predicate_type: "rea.browser-scenario-capture".into(),
        operation: "capture_browser_scenario".into(),
        parameters: Object::new(),
        raw_result: Value::Null,
        normalized_result: crate::json::parse(result.as_bytes()).unwrap(),
        confidence: Confidence::Observed,
        authority: Authority::ControlledReplay,
        environment: None,
        limitations: vec!["no subject".into()],
        locations: Vec::new(),
        evidence_links: Vec::new(),
    }
    .seal()
}

fn read(events: &[String]) -> Vec<Record> {
    capture_from_evidence(Arc::new(scenario(events))).unwrap().records.to_vec()
}

fn event(kind: &str, id: &str, rest: &str) -> String {
    format!(r#"{{"sequence":1,"step_index":0,"kind":"{kind}","transaction_id":"{id}","method":"post"{rest}}}"#)
}

fn request(id: &str, url: &str) -> String {
    event(
        "request",
        id,
        &format!(r#","url":{{"url":"{url}","origin":"http://h","query_parameter_names":[],"redacted":false}}"#),
    )
}

fn content(id: &str, phase: &str, bytes: &[u8], extra: &str) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    let sha256 = hex(&sha2::Sha256::digest(bytes));
    event(
        "network-content",
        id,
        &format!(
            r#","phase":"{phase}","headers":{{"state":"captured","items":[{{"name":"content-type","value":"text/x","redacted":false}},{{"name":"location","value":"/l","redacted":false}}]}},"body":{{"state":"captured","encoding":"base64","content":"{text}","bytes":{},"sha256":"{sha256}"{extra}}}"#,
            bytes.len()
        ),
    )
}

#[test]
fn a_transaction_is_one_record_in_request_order() {
    let records = read(&[
        request("a", "http://h/api?x=1"),
        request("b", "http://h/other"),
        event("response", "b", r#","status":204"#),
        event("response", "a", r#","status":200,"timing":{"started_at":"2026-01-02T03:04:05.5Z","duration_ms":7.5}"#),
        content("a", "request", b"{}", r#","media_type":"application/json","redacted":false"#),
        content("a", "response", b"[1]", r#","media_type":"application/json; charset=utf-8","redacted":false"#),
        event("console", "a", ""),
    ]);
    assert_eq!(records.iter().map(|record| record.ordinal).collect::<Vec<_>>(), [0, 1]);
    let first = records[0].request.as_ref().unwrap();
    assert_eq!((first.method.as_str(), first.origin.as_str(), first.path.as_str()), ("POST", "http://h", "/api"));
    assert_eq!((first.query.as_deref(), first.body.text()), (Some("x=1"), Some("{}")));
    let answer = records[0].answer.as_ref().unwrap();
    assert_eq!((answer.status, answer.body.text()), (200, Some("[1]")));
    assert_eq!(answer.content_type.as_deref(), Some("application/json; charset=utf-8"));
    assert_eq!(answer.location.as_deref(), Some("/l"));
    assert_eq!(records[0].start, RecordedTime::parse("2026-01-02T03:04:05.5Z"));
    assert_eq!(records[0].duration_ms, Some(7.5));
    let second = records[1].answer.as_ref().unwrap();
    assert_eq!((second.status, second.body.clone(), second.content_type.clone()), (204, Body::Unrecorded, None));
    assert!(records[1].start.is_none() && !records[1].bodies_unselected);
}

#[test]
fn the_time_of_observation_stands_in_for_the_browsers() {
    let observed = request("a", "http://h/").replacen("\"sequence\"", "\"observed_at\":1500.25,\"sequence\"", 1);
    assert_eq!(read(&[observed])[0].start, RecordedTime::parse("1970-01-01T00:00:01.50025Z"));
}

#[test]
fn what_cannot_be_attributed_or_was_redacted_has_no_request() {
    let records = read(&[
        request("twice", "http://h/1"),
        request("twice", "http://h/2"),
        request("two answers", "http://h/3"),
        event("response", "two answers", r#","status":200"#),
        event("response", "two answers", r#","status":200"#),
        request("x", "http://h/4").replacen(r#""transaction_id":"x","#, "", 1),
        request("secret", "http://h/5").replacen(r#""redacted":false"#, r#""redacted":true"#, 1),
        request("marker", "http://h/6?k=[REDACTED:key]"),
        request("data", "data:text/plain,x"),
        event("response", "earlier", r#","status":200"#),
        request("failed", "http://h/7"),
        event("request-failed", "failed", r#","failure":"net::ERR""#),
    ]);
    let reasons: Vec<_> = records.iter().map(|record| record.no_request_reason).collect();
    let (odd, secret) = (Some("unattributed"), Some("redacted-url"));
    assert_eq!(reasons, [odd, odd, odd, secret, secret, Some("no-request-line"), None]);
    assert!(records[6].request.is_some() && records[6].answer.is_none());
}

#[test]
fn bodies_are_bytes_and_an_emptied_one_is_none() {
    let body = |bytes: &[u8], extra: &str| {
        let events = [
            request("a", "http://h/"),
            event("response", "a", r#","status":200"#),
            content("a", "response", bytes, extra),
        ];
        let answer = read(&events)[0].answer.clone().unwrap();
        (answer.body, answer.content_type)
    };
    assert_eq!(
        body(b"\xff", r#","media_type":null,"redacted":false"#),
        (Body::Bytes([0xff].as_slice().into()), Some("text/x".into()))
    );
    assert_eq!(body(b"", r#","media_type":"a/b","redacted":true"#), (Body::Unrecorded, Some("a/b".into())));
    assert_eq!(body(b"", r#","media_type":"a/b","redacted":false"#).0, Body::Text("".into()));
}

#[test]
fn a_body_that_does_not_match_its_digest_is_refused() {
    let broken = content("a", "response", b"x", "").replacen(r#""bytes":1"#, r#""bytes":2"#, 1);
    let events = [request("a", "http://h/"), event("response", "a", r#","status":200"#), broken];
    let error = capture_from_evidence(Arc::new(scenario(&events))).unwrap_err();
    assert!(error.to_string().contains("/normalized_result/events/items/2/body/bytes"), "{error}");
    let mut evidence = scenario(&[]);
    evidence.normalized_result = Object::new().into();
    let error = capture_from_evidence(Arc::new(evidence)).unwrap_err();
    assert!(error.to_string().contains("/normalized_result/events/items"), "{error}");
}

#[test]
fn what_a_scenario_selected_is_known() {
    let selected = ScenarioContent { request_body: true, response_body: true, header_values: false };
    assert_eq!(scenario_content(&scenario(&[])), Some(selected));
    let mut evidence = scenario(&[request("a", "http://h/")]);
    evidence.normalized_result.as_object_mut().unwrap().remove("scenario");
    assert_eq!(scenario_content(&evidence), Some(ScenarioContent::default()));
    assert!(capture_from_evidence(Arc::new(evidence.clone())).unwrap().records[0].bodies_unselected);
    let network = Object::new().with("response_body", true);
    evidence.parameters = Object::new().with("capture", Object::new().with("network", network));
    assert!(scenario_content(&evidence).unwrap().response_body);
    assert_eq!(scenario_content(&inspect(har(&[]))), None);
}
