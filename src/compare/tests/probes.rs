//! What is made of a probe, and bad ones.

use super::fixture::{Entry, agrees, call, capture, compared, differences, engine, get, post, probe, steps};
use crate::compare::{CompareError, Probe, Source, compare};
use crate::json::Object;
use std::sync::Arc;

fn recorded() -> Vec<Entry> {
    vec![
        get("/api/users", r#"[{"id":1,"name":"ann"}]"#),
        get("/api/users/1", r#"{"id":1,"name":"ann"}"#),
        get("/api/tags?tag=a&tag=b", r#"["a","b"]"#),
        get("/api/tags?tag=b&tag=a", r#"["b","a"]"#),
        post("/api/users", r#"{"name":"zed"}"#, r#"{"id":7,"name":"zed"}"#),
    ]
}

fn ordinals(live: &[Entry]) -> Vec<usize> {
    steps(&compared(&recorded(), live)).iter().map(|step| step.ordinal).collect()
}

#[test]
fn requests_are_made_by_exact_start() {
    let at = |start: &str| get("/api/users", "[]").at(start);
    assert_eq!(
        ordinals(&[
            at("2024-01-01T00:00:00.00000000002Z"),
            at("2024-01-01T00:00:00.00000000001Z"),
            at("2024-01-01T02:00:00+02:00"),
        ]),
        [2, 1, 0],
        "every fractional digit counts, and zones do"
    );
    assert_eq!(ordinals(&[at("2024-01-01T00:00:01Z"), at("2024-01-01T00:00:01.000Z")]), [0, 1], "equal starts");
}

#[test]
fn one_missing_start_puts_the_whole_probe_in_record_order() {
    let at = |start: &str| get("/api/users", "[]").at(start);
    assert_eq!(ordinals(&[at("2024-01-01T00:00:02Z"), at("none"), at("2024-01-01T00:00:00Z")]), [0, 1, 2]);
    assert_eq!(ordinals(&[at("2024-01-01T00:00:02Z"), at("soon"), at("2024-01-01T00:00:00Z")]), [0, 1, 2]);
}

#[test]
fn what_was_not_observed_is_not_compared() {
    let unanswered = call("GET", "/api/users/1", 0, "");
    let elsewhere = get("http://cdn.test/api/users/1", r#"{"id":1,"name":"ann"}"#);
    let tunnel = Entry { url: "app.test:443".to_owned(), ..call("CONNECT", "/", 200, "") };
    let found = compared(
        &recorded(),
        &[
            get("/api/users", r#"[{"id":1,"name":"ann"}]"#),
            get("/api/users/1", r#"{"id":1,"name":"ann"}"#),
            elsewhere,
            unanswered,
            tunnel,
        ],
    );
    assert_eq!(agrees(&found), [Some(true), Some(true), None], "made, but not compared");
    let unobserved: Vec<_> = found.probes[0].unobserved.iter().map(|entry| (entry.ordinal, entry.reason)).collect();
    assert_eq!(unobserved, [(2, "other-origin"), (3, "no-answer"), (4, "no-request-line")]);
    assert_eq!((found.summary.steps, found.summary.agreement.compared, found.summary.unobserved), (3, 2, 3));
}

#[test]
fn an_unrecorded_body_compares_by_status() {
    let found = compared(
        &recorded(),
        &[
            call("GET", "/api/users", 200, ""),
            call("GET", "/api/users/1", 500, ""),
            call("GET", "/api/users/1", 204, ""),
        ],
    );
    assert_eq!(agrees(&found), [Some(true), Some(false), Some(false)]);
    assert_eq!(found.summary.unobserved_bodies, 2, "a 204 never carries one");
}

#[test]
fn another_application_agrees_with_nothing() {
    let found = compared(
        &recorded(),
        &[get("http://other.test/v9/things", "{}"), call("PUT", "http://other.test/api/users", 200, "{}")],
    );
    assert_eq!(agrees(&found), [Some(false), Some(false)]);
    assert!(steps(&found).iter().all(|step| step.source == Source::NoTool));
    assert_eq!(differences(&steps(&found)[0]), ["no-tool - 200 -"]);
    assert_eq!(found.tools.len(), 0);
}

#[test]
fn the_same_application_at_another_origin_is_compared() {
    let found = compared(&recorded(), &[get("http://127.0.0.1:9999/api/users/1", r#"{"id":1,"name":"ann"}"#)]);
    assert_eq!(agrees(&found), [Some(true)]);
}

#[test]
fn arguments_that_the_schema_does_not_take_are_refused_first() {
    let found = compared(&recorded(), &[get("/api/users?secret=1", "[]")]);
    let step = &steps(&found)[0];
    assert_eq!((step.source, step.reason.as_deref()), (Source::Refused, Some("invalid_arguments")));
    assert_eq!(step.differences[0].kind.word(), "invalid-arguments");
}

#[test]
fn a_repeated_value_query_keeps_its_order() {
    let found = compared(
        &recorded(),
        &[get("/api/tags?tag=b&tag=a", r#"["b","a"]"#), get("/api/tags?tag=a&tag=b", r#"["a","b"]"#)],
    );
    assert_eq!(agrees(&found), [Some(true), Some(true)]);
}

#[test]
fn a_probe_without_answers_compares_nothing() {
    let found = compared(&recorded(), &[call("GET", "/api/users", 0, ""), call("GET", "/api/users/1", 0, "")]);
    assert_eq!(agrees(&found), [None, None]);
    assert_eq!(found.summary.agreement.ratio(), None);
}

#[test]
fn an_empty_probe_compares_nothing_and_none_is_refused() {
    let found = compared(&recorded(), &[]);
    assert_eq!((found.summary.steps, found.summary.agreement.ratio()), (0, None));
    assert!(matches!(compare(&engine(&recorded()), None, &[], &|_| {}), Err(CompareError::NoProbe)));
}

#[test]
fn overlapping_requests_are_made_in_the_order_of_their_starts() {
    let late = get("/api/users", r#"[{"id":1,"name":"ann"}]"#).at("2024-01-01T00:00:00.0010Z");
    let early = get("/api/users/1", r#"{"id":1,"name":"ann"}"#).at("2024-01-01T00:00:00.0005Z");
    let found = compared(&recorded(), &[late, early]);
    assert_eq!(steps(&found).iter().map(|step| step.ordinal).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(agrees(&found), [Some(true); 2]);
}

#[test]
fn many_probes_give_the_same_result_as_each_alone() {
    let engine = engine(&recorded());
    let live: Vec<Probe> = (0..12)
        .map(|at| {
            probe(&[
                get("/api/users", &format!(r#"[{{"id":{},"name":"ann"}}]"#, 20 + at)),
                get(&format!("/api/users/{}", 20 + at % 3), r#"{"id":20,"name":"ann"}"#),
            ])
        })
        .collect();
    let together = compare(&engine, Some(&engine), &live, &|_| {}).unwrap();
    for (probe, result) in live.iter().zip(&together.probes) {
        let alone = compare(&engine, Some(&engine), std::slice::from_ref(probe), &|_| {}).unwrap();
        assert_eq!(&alone.probes[0], result);
    }
    let twice = compare(&engine, None, &[live[0].clone(), live[0].clone()], &|_| {}).unwrap();
    assert_eq!(twice.probes[0], twice.probes[1], "the environment is reset for each probe");
}

fn browser(entries: &[Entry], network: Object) -> Result<Probe, CompareError> {
    let mut capture = capture(entries);
    let evidence = Arc::make_mut(&mut capture.evidence);
    evidence.operation = "capture_browser_scenario".to_owned();
    evidence.parameters.set("capture", Object::new().with("network", network));
    Probe::new("browser", capture)
}

#[test]
fn a_browser_probe_needs_the_bodies_it_is_compared_by() {
    let reads = [get("/api/users", "[]")];
    let writes = [get("/api/users", "[]"), post("/api/users", "{}", "{}")];
    let with =
        |response: bool, request: bool| Object::new().with("response_body", response).with("request_body", request);
    assert!(matches!(browser(&reads, with(false, true)), Err(CompareError::BrowserResponseBodies { .. })));
    assert!(matches!(browser(&reads, Object::new()), Err(CompareError::BrowserResponseBodies { .. })));
    assert!(matches!(
        browser(&writes, with(true, false)),
        Err(CompareError::BrowserRequestBodies { ordinal: 1, method, .. }) if method == "POST"
    ));
    assert!(browser(&reads, with(true, false)).is_ok());
    assert!(browser(&writes, with(true, true)).is_ok());
}

/// One call does not show by itself that the interface ends its paths in the format; the capture does. And the other way.
#[test]
fn paths_are_read_as_those_of_the_capture() {
    let ended = [
        get("/api/users.json", r#"[{"id":1,"name":"ann"}]"#),
        get("/api/users/1.json", r#"{"id":1,"name":"ann"}"#),
        get("/api/tags.json", r#"["a"]"#),
    ];
    assert_eq!(agrees(&compared(&ended, &ended[1..2])), [Some(true)]);
    let files = [
        get("/api/files", r#"["users.json","tags.json","more.json"]"#),
        get("/api/files/users.json", r#"{"name":"users.json"}"#),
        get("/api/files/tags.json", r#"{"name":"tags.json"}"#),
        get("/api/files/more.json", r#"{"name":"more.json"}"#),
        get("/api/status", r#"{"up":true}"#),
    ];
    assert_eq!(agrees(&compared(&files, &files[1..4])), [Some(true), Some(true), Some(true)]);
}
