//! What the caller names is removed (`evidence.md` 3.6), case by case.

use super::*;

fn without(values: &[&str], har: &str) -> Evidence {
    let sensitive_values = values.iter().map(|value| (*value).to_owned()).collect();
    inspect_with(har, &InspectOptions { sensitive_values, ..InspectOptions::default() }).unwrap()
}

fn example() -> String {
    let response = json_response(200, "{\"token\":\"hunter2\"}");
    har(&[&entry("GET", "http://h/a", &response), &entry("GET", "http://h/b", &json_response(200, "{}"))])
}

#[test]
fn a_text_that_holds_a_value_goes_whole() {
    let evidence = without(&["hunter2"], &example());
    let record = record_value(&evidence, 0);
    assert!(crate::json::resolve(record, "/reported/response/content/text").unwrap().is_null());
    assert_eq!(
        record.get("redactions").unwrap().to_compact(),
        r#"[{"pointer":"/response/content/text","reason":"explicit-sensitive-value"}]"#
    );
    assert_eq!(record_value(&evidence, 1).get("redactions").unwrap().to_compact(), "[]");
    assert_eq!(evidence.parameters.get("sensitive_value_count").unwrap().to_compact(), "1");
    let records = capture_from_evidence(Arc::new(evidence)).unwrap().records;
    assert_eq!(records[0].answer.as_ref().unwrap().body, Body::Unrecorded);
}

#[test]
fn a_url_that_holds_a_value_leaves_no_request() {
    let records = capture_from_evidence(Arc::new(without(&["/a"], &example()))).unwrap().records;
    assert_eq!(records[0].no_request_reason, Some("redacted-url"));
    assert!(records[0].request.is_none() && records[1].request.is_some());
}

#[test]
fn a_name_goes_with_everything_below_it() {
    let evidence = without(&["timin"], &example());
    let record = record_value(&evidence, 0);
    assert!(record.get("reported").unwrap().get("timings").is_none());
    assert_eq!(
        record.get("redactions").unwrap().to_compact(),
        r#"[{"pointer":"","reason":"explicit-sensitive-value","scope":"property-name"}]"#
    );
    assert!(!record.get("numeric_literals").unwrap().to_compact().contains("timings"));
}

#[test]
fn a_number_goes_with_its_literal() {
    let evidence = without(&["12.5"], &example());
    let record = record_value(&evidence, 0);
    assert!(record.get("reported").unwrap().get("time").unwrap().is_null());
    assert!(!record.get("numeric_literals").unwrap().to_compact().contains("/time\""));
    assert!(record.get("redactions").unwrap().to_compact().contains("\"/time\""));
}

#[test]
fn the_names_of_the_entries_hide_every_record() {
    for value in ["log", "ntrie"] {
        let evidence = without(&[value], &example());
        for index in 0..2 {
            let record = record_value(&evidence, index);
            assert!(record.get("reported").unwrap().is_null());
            let location = record.get("location").unwrap().to_compact();
            assert_eq!(location, r#"{"kind":"unknown","reason":"explicit-sensitive-value"}"#);
        }
        let container = evidence.normalized_result.get("container").unwrap();
        assert!(container.get("records_pointer").unwrap().is_null());
        assert_eq!(capture_from_evidence(Arc::new(evidence)).unwrap().records.len(), 2);
    }
}

#[test]
fn a_place_that_matches_is_unknown() {
    let evidence = without(&["entries/1"], &example());
    assert!(record_value(&evidence, 0).get("location").unwrap().to_compact().contains("json-pointer"));
    assert!(record_value(&evidence, 1).get("location").unwrap().to_compact().contains("unknown"));
    assert!(!record_value(&evidence, 1).get("reported").unwrap().is_null());
}

#[test]
fn a_digest_that_matches_leaves_no_subject() {
    let evidence = without(&["e3b0c442"], &example());
    assert!(evidence.subject.is_none());
    assert!(crate::json::resolve(&evidence.normalized_result, "/artifact/sha256").unwrap().is_null());
    assert_eq!(evidence.limitations.len(), 5);
    assert!(crate::evidence::authenticate(&evidence.to_compact_bytes()).is_ok());
}

#[test]
fn a_digest_of_a_body_counts_as_the_body() {
    let text = har(&[&entry(
        "GET",
        "http://h/a",
        &json_response(200, "e30=").replacen(r#""text""#, r#""encoding":"base64","text""#, 1),
    )]);
    // The digest of `{}`.
    let evidence = without(&["44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"], &text);
    assert_eq!(
        record_value(&evidence, 0).get("binary_fields").unwrap().to_compact(),
        concat!(
            r#"[{"pointer":"/response/content/text","representation":"har-base64-content","state":"redacted","#,
            r#""content_base64":null,"bytes":null,"sha256":null}]"#
        )
    );
}
