//! What producers really write, and what becomes of it: one test per habit, on inputs written for it.

use super::*;
use rstest::rstest;

/// Replaces the first `from` in an entry that has no oddities.
fn odd(from: &str, to: &str) -> String {
    let entry = entry("POST", "http://h/a?b=c", &json_response(200, "{\"x\":1}"));
    assert!(entry.contains(from), "{from} is not in {entry}");
    entry.replacen(from, to, 1)
}

#[test]
fn a_plain_entry_has_no_oddities() {
    let evidence = inspect(har(&[&odd("POST", "POST")]));
    assert_eq!(kinds(&evidence), Vec::<String>::new());
    assert_eq!(record_value(&evidence, 0).get("limitations").unwrap().as_array().unwrap().len(), 1);
    let record = &records(har(&[&odd("POST", "post")]))[0];
    let request = record.request.as_ref().unwrap();
    assert_eq!((request.method.as_str(), request.origin.as_str(), request.path.as_str()), ("POST", "http://h", "/a"));
    assert_eq!(request.query.as_deref(), Some("b=c"));
    assert_eq!(record.duration_ms, Some(12.5));
    let answer = record.answer.as_ref().unwrap();
    assert_eq!((answer.status, answer.body.text()), (200, Some("{\"x\":1}")));
}

/// An oddity of one entry: what is named, and that the entry is kept.
#[rstest]
#[case::date_missing(r#""startedDateTime":"2026-01-02T03:04:05.678Z","#, "", "start-time")]
#[case::date_number(r#""2026-01-02T03:04:05.678Z""#, "1767323045", "start-time")]
#[case::date_text("2026-01-02T03:04:05.678Z", "Fri Jan 02 2026", "start-time")]
#[case::date_zone("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678", "time-without-zone")]
#[case::time_negative(r#""time":12.5"#, r#""time":-1"#, "duration")]
#[case::time_text(r#""time":12.5"#, r#""time":"12""#, "duration")]
#[case::no_cache(r#""cache":{},"#, "", "missing-cache")]
#[case::cache_list(r#""cache":{}"#, r#""cache":[]"#, "missing-cache")]
#[case::no_timings(r#","timings":{"send":0,"wait":1,"receive":2}"#, "", "missing-timings")]
#[case::no_cookies(r#""cookies":[],"#, "", "missing-cookies")]
#[case::no_headers(r#""headers":[],"#, "", "missing-headers")]
#[case::no_query_string(r#""queryString":[],"#, "", "missing-query-string")]
#[case::empty_address(r#""cache":{}"#, r#""serverIPAddress":"","cache":{}"#, "server-address")]
#[case::bracketed_address(r#""cache":{}"#, r#""serverIPAddress":"[::1]","cache":{}"#, "server-address")]
#[case::string_size(r#""bodySize":-1"#, r#""bodySize":"12""#, "sizes")]
#[case::array_header(r#""headers":[]"#, r#""headers":[{"name":"A","value":["b"]}]"#, "header-shape")]
#[case::joined_cookies(
    r#""headers":[]"#,
    r#""headers":[{"name":"Set-Cookie","value":"a=1\nb=2"}]"#,
    "joined-set-cookie"
)]
#[case::characters("a?b=c", "a|b?q={x}", "url-characters")]
#[case::stray_percent("a?b=c", "a?b=%zz", "url-characters")]
#[case::no_http_version(r#""httpVersion":"HTTP/1.1","#, "", "http-version")]
#[case::array_type(r#""mimeType":"application/json""#, r#""mimeType":["application/json"]"#, "mime-type-shape")]
#[case::cut_body(r#""size":-1"#, r#""size":700"#, "cut-body")]
#[case::cut_json(r#"{\"x\":1}"#, r#"{\"x\":"#, "cut-json")]
#[case::other_encoding(r#""mimeType":"#, r#""encoding":"utf-8","mimeType":"#, "body-encoding")]
#[case::false_base64(r#""mimeType":"#, r#""encoding":"base64","mimeType":"#, "false-base64")]
#[case::no_redirect(r#""redirectURL":"","#, "", "redirect-url")]
#[case::null_post_data(r#""queryString""#, r#""postData":null,"queryString""#, "post-data-shape")]
fn one_oddity(#[case] from: &str, #[case] to: &str, #[case] kind: &str) {
    let evidence = inspect(har(&[&odd(from, to)]));
    assert_eq!(tolerated(&evidence.limitations), [(kind.to_owned(), 1)]);
    let limitations = record_value(&evidence, 0).get("limitations").unwrap().as_array().unwrap();
    assert_eq!(limitations.len(), 2);
    assert!(limitations[1].as_str().unwrap().starts_with(&format!("Tolerated {kind}: ")), "{limitations:?}");
    let record = &capture_from_evidence(Arc::new(evidence)).unwrap().records[0];
    assert!(record.request.is_some() && record.answer.is_some());
    assert!(record.answer.as_ref().unwrap().body.is_recorded());
    assert_eq!(record.answer.as_ref().unwrap().content_type.as_deref(), Some("application/json"));
}

/// A request that was not answered.
#[rstest]
#[case("0", "no-answer")]
#[case("-1", "no-answer")]
#[case(r#""200 OK""#, "no-answer")]
#[case("null", "no-answer")]
#[case("1", "status-range")]
#[case("200.5", "status-range")]
fn statuses_without_an_answer(#[case] status: &str, #[case] kind: &str) {
    let evidence = inspect(har(&[&odd(r#""status":200"#, &format!(r#""status":{status}"#))]));
    assert_eq!(kinds(&evidence), [kind]);
    let record = &capture_from_evidence(Arc::new(evidence)).unwrap().records[0];
    assert!(record.request.is_some() && record.answer.is_none());
}

/// A record without a request line: an extension's script, a data URL, a tunnel, a web socket, nothing to go by.
#[rstest]
#[case("http://h/a?b=c", "chrome-extension://abcdef/content.js", "not-http-url")]
#[case("http://h/a?b=c", "data:text/plain;base64,aGk=", "not-http-url")]
#[case("http://h/a?b=c", "", "missing-url")]
#[case("http://h/a?b=c", "a/b", "originless-url")]
#[case("http://h/a?b=c", "/a", "originless-url")]
#[case(r#""POST""#, r#""CONNECT""#, "connect")]
#[case(r#""POST""#, r#""""#, "method")]
#[case(r#""status":200"#, r#""status":101"#, "web-socket")]
#[case(r#""cache":{}"#, r#""_webSocketMessages":[{}],"cache":{}"#, "web-socket")]
#[case("http://h/a?b=c", "wss://h/socket", "web-socket")]
#[case(r#""request""#, r#""demand""#, "missing-request")]
fn records_without_a_request_line(#[case] from: &str, #[case] to: &str, #[case] kind: &str) {
    let evidence = inspect(har(&[&odd(from, to)]));
    assert_eq!(kinds(&evidence), [kind]);
    let record = &capture_from_evidence(Arc::new(evidence)).unwrap().records[0];
    assert!(record.request.is_none() && record.answer.is_none());
    assert_eq!(record.no_request_reason, Some("no-request-line"));
}

#[test]
fn the_authority_of_a_tunnel_is_no_second_oddity() {
    let entry = odd(r#""POST""#, r#""CONNECT""#).replacen("http://h/a?b=c", "h:443", 1);
    assert_eq!(kinds(&inspect(har(&[&entry]))), ["connect"]);
}

#[test]
fn oddities_of_the_document() {
    let text = har(&[]);
    assert_eq!(kinds(&inspect([b"\xef\xbb\xbf", text.as_bytes()].concat())), ["byte-order-mark"]);
    assert_eq!(kinds(&inspect(text.replace(r#""version":"1.2""#, r#""version":1.2"#))), ["log-version"]);
    assert_eq!(kinds(&inspect(text.replace(r#"{"name":"t","version":"1"}"#, r#""t""#))), ["creator"]);
    assert_eq!(kinds(&inspect(text.replace(r#""pages":[],"#, ""))), ["missing-pages"]);
}

#[test]
fn a_path_only_url_takes_the_host_header() {
    let entry = odd("http://h/a?b=c", "/a?b=c").replacen(
        r#""headers":[]"#,
        r#""headers":[{"name":"host","value":"App.local:8080"}]"#,
        1,
    );
    let evidence = inspect(har(&[&entry]));
    assert_eq!(kinds(&evidence), ["path-only-url"]);
    let record = &capture_from_evidence(Arc::new(evidence)).unwrap().records[0];
    let request = record.request.as_ref().unwrap();
    assert_eq!((request.origin.as_str(), request.path.as_str()), ("http://app.local:8080", "/a"));
}

/// Request bodies: how they are recorded, and what is read.
#[rstest]
#[case::text(r#"{"mimeType":"application/json","text":"{}"}"#, Some("{}"), &[])]
#[case::empty_text(r#"{"mimeType":"","text":""}"#, None, &[])]
#[case::params_only(r#"{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a","value":"1 2"},{"name":"b"}]}"#, Some("a=1+2&b="), &["params-only"])]
#[case::multipart_params(r#"{"mimeType":"multipart/form-data; boundary=x","params":[{"name":"a","value":"1"}]}"#, None, &["params-only"])]
#[case::params_and_text(r#"{"mimeType":"application/x-www-form-urlencoded","text":"a=%20","params":[{"name":"a","value":" "}]}"#, Some("a=%20"), &["params-and-text"])]
#[case::empty_params(r#"{"mimeType":"text/plain","text":"x","params":[]}"#, Some("x"), &[])]
#[case::json_as_form(r#"{"mimeType":"application/x-www-form-urlencoded","text":"{\"a\":1}"}"#, Some("{\"a\":1}"), &["json-as-form"])]
#[case::base64(r#"{"mimeType":"application/json","text":"e30=","encoding":"base64"}"#, Some("{}"), &[])]
#[case::null_text(r#"{"mimeType":"text/plain","text":null}"#, None, &["post-data-shape"])]
fn request_bodies(#[case] post_data: &str, #[case] text: Option<&str>, #[case] expected: &[&str]) {
    let evidence = inspect(har(&[&odd(r#""queryString""#, &format!(r#""postData":{post_data},"queryString""#))]));
    assert_eq!(kinds(&evidence), expected);
    let record = &capture_from_evidence(Arc::new(evidence)).unwrap().records[0];
    let body = &record.request.as_ref().unwrap().body;
    assert_eq!(body.text(), text);
    assert_eq!(body.is_recorded(), text.is_some());
}

#[test]
fn base64_bodies_are_bytes() {
    let body = |text: &str| {
        let entry = odd(r#""text":"{\"x\":1}""#, &format!(r#""text":"{text}","encoding":"base64""#));
        let evidence = inspect(har(&[&entry]));
        let field = record_value(&evidence, 0).get("binary_fields").unwrap().to_compact();
        let record = capture_from_evidence(Arc::new(evidence)).unwrap().records[0].clone();
        (record.answer.unwrap().body, field)
    };
    assert_eq!(body("eyJ4IjoxfQ==").0, Body::Text("{\"x\":1}".into()));
    assert_eq!(body("/wA=").0, Body::Bytes([0xff, 0].as_slice().into()));
    assert_eq!(
        body("/w\\nA=").1,
        concat!(
            r#"[{"pointer":"/response/content/text","representation":"har-base64-content","state":"retained","#,
            r#""content_base64":"/wA=","bytes":2,"#,
            r#""sha256":"ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f"}]"#
        )
    );
    assert_eq!(body("").0, Body::Text("".into()));
}

#[test]
fn an_absent_body_is_not_an_empty_one() {
    let body = |content: &str| {
        let entry = odd(r#"{"size":-1,"mimeType":"application/json","text":"{\"x\":1}"}"#, content);
        records(har(&[&entry]))[0].answer.clone().unwrap().body
    };
    assert_eq!(body(r#"{"size":0,"mimeType":"text/plain","text":""}"#), Body::Text("".into()));
    assert_eq!(body(r#"{"size":0,"mimeType":"text/plain"}"#), Body::Unrecorded);
    assert_eq!(body(r#"{"size":9,"mimeType":"text/plain","text":""}"#), Body::Unrecorded);
    assert_eq!(body("null"), Body::Unrecorded);
    assert_eq!(body(r#"{"size":3,"mimeType":"text/plain","text":"\ufeffx"}"#), Body::Text("\u{feff}x".into()));
    // Its bytes on the wire were no UTF-8.
    assert_eq!(
        body(r#"{"size":3,"mimeType":"text/plain","text":"\ud800"}"#),
        Body::Bytes([0xed, 0xa0, 0x80].as_slice().into())
    );
}

#[test]
fn numbers_keep_their_text() {
    let evidence =
        inspect(har(&[&odd(r#""time":12.5"#, r#""time":3.8340000000084046,"_big":12345678901234567890,"_one":1.0"#)]));
    let record = record_value(&evidence, 0);
    let reported = record.get("reported").unwrap();
    assert!(reported.get("time").unwrap().is_null() && reported.get("_big").unwrap().is_null());
    assert_eq!(reported.get("_one").unwrap().to_compact(), "1.0");
    let literals = record.get("numeric_literals").unwrap().as_array().unwrap();
    let shown = |index: usize| literals[index].to_compact();
    assert_eq!(shown(0), r#"{"pointer":"/time","producer_type":"json-number","literal":"3.8340000000084046"}"#);
    assert_eq!(shown(1), r#"{"pointer":"/_big","producer_type":"json-number","literal":"12345678901234567890"}"#);
    assert_eq!(shown(2), r#"{"pointer":"/_one","producer_type":"json-number","literal":"1.0"}"#);
    let records = capture_from_evidence(Arc::new(evidence)).unwrap().records;
    assert_eq!(records[0].duration_ms, Some(3.834_000_000_008_404_6));
}

#[test]
fn credentials_are_always_removed() {
    let entry = entry_with(
        concat!(
            r#""method":"GET","url":"http://me:pass-w0rd@h/a","httpVersion":"","cookies":[{"name":"c","value":"s3cret"}],"#,
            r#""headers":[{"name":"AUTHORIZATION","value":"Bearer s3cret"},{"name":"Referer","value":"http://me:pass-w0rd@h/x"},"#,
            r#"{"name":"cookie","value":["c=s3cret"]},{"name":"X-Api-Key","value":"kept"}],"queryString":[],"headersSize":0,"bodySize":0"#
        ),
        concat!(
            r#""status":302,"statusText":"","httpVersion":"","cookies":[{"name":"d","value":"s3cret"}],"#,
            r#""headers":[{"name":"Set-Cookie","value":"d=s3cret"},{"name":"Location","value":"//me:pass-w0rd@h/y"}],"#,
            r#""content":{"size":0,"mimeType":""},"redirectURL":"//me:pass-w0rd@h/y","headersSize":0,"bodySize":0"#
        ),
    );
    let evidence = inspect(har(&[&entry]));
    let text = String::from_utf8(evidence.to_compact_bytes()).unwrap();
    assert!(!text.contains("s3cret") && !text.contains("pass-w0rd"), "{text}");
    assert!(text.contains("\"kept\"") && text.contains("\"//h/y\"") && text.contains("\"http://h/x\""));
    let redactions = record_value(&evidence, 0).get("redactions").unwrap().as_array().unwrap();
    let pointers: Vec<_> = redactions.iter().map(|it| it.get("pointer").unwrap().as_str().unwrap()).collect();
    assert_eq!(
        pointers,
        [
            "/request/url",
            "/request/headers/0/value",
            "/request/headers/1/value",
            "/request/headers/2/value",
            "/request/cookies/0/value",
            "/response/redirectURL",
            "/response/headers/0/value",
            "/response/headers/1/value",
            "/response/cookies/0/value"
        ]
    );
    assert!(redactions.iter().all(|it| it.get("reason").unwrap().as_str() == Some("transport-credential")));
    let record = &capture_from_evidence(Arc::new(evidence)).unwrap().records[0];
    assert_eq!(record.request.as_ref().unwrap().origin, "http://h");
    assert_eq!(record.answer.as_ref().unwrap().location.as_deref(), Some("//h/y"));
}

/// The outlines of producers that the corpus does not hold: each must be imported, with what its habits cost.
#[rstest]
#[case::burp(r#"{"name":"Burp Suite Professional","version":"2024.1"}"#, odd(r#","timings":{"send":0,"wait":1,"receive":2}"#, r#","timings":{"send":-1,"wait":-1,"receive":-1}"#), &[])]
#[case::postman(r#"{"name":"Postman","version":"v8"}"#, odd(r#""time":12.5"#, r#""time":12"#), &[])]
#[case::http_toolkit(r#"{"name":"HTTP Toolkit","version":"1.14"}"#, odd(r#""cache":{}"#, r#""cache":{},"_tls":null,"serverIPAddress":"127.0.0.1""#), &[])]
#[case::k6(r#"{"name":"k6 Browser Recorder","version":"1.0.6"}"#, odd(r#""cache":{}"#, r#""cache":null,"pageref":null"#), &["missing-cache"])]
#[case::cypress(r#"{"name":"Cypress","version":"13"}"#, odd(r#""text":"{\"x\":1}""#, r#""text":"eyJ4IjoxfQ==","encoding":"base64""#), &[])]
#[case::proxyman(r#"{"name":"Proxyman","version":"4"}"#, odd(r#""cache":{}"#, r#""_webSocketMessages":[],"cache":{}"#), &[])]
#[case::puppeteer(r#"{"name":"chrome-har","version":"0.13"}"#, odd(r#""headersSize":-1"#, r#""headersSize":-1,"_transferSize":0"#), &[])]
#[case::json_rpc(r#"{"name":"t","version":"1"}"#, odd(r#""queryString""#, r#""postData":{"mimeType":"application/json","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}"},"queryString""#), &[])]
#[case::ndjson(r#"{"name":"t","version":"1"}"#, odd(r#""mimeType":"application/json","text":"{\"x\":1}""#, r#""mimeType":"application/x-ndjson","text":"{\"x\":1}\n{\"x\":2}\n""#), &[])]
fn other_producers(#[case] creator: &str, #[case] entry: String, #[case] expected: &[&str]) {
    let text = har(&[&entry]).replacen(r#"{"name":"t","version":"1"}"#, creator, 1);
    let evidence = inspect(text);
    assert_eq!(kinds(&evidence), expected);
    let record = &capture_from_evidence(Arc::new(evidence)).unwrap().records[0];
    assert!(record.request.is_some() && record.answer.as_ref().unwrap().body.is_recorded());
}

#[test]
fn a_selection_keeps_the_ordinals() {
    let entries: Vec<String> =
        (0..4).map(|it| entry("GET", &format!("http://h/{it}"), &json_response(200, "{}"))).collect();
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    let options = InspectOptions { record_ordinals: vec![3, 1], ..InspectOptions::default() };
    let evidence = inspect_with(har(&entries), &options).unwrap();
    assert_eq!(evidence.normalized_result.get("total_records").unwrap().to_compact(), "4");
    assert_eq!(evidence.parameters.get("record_ordinals").unwrap().to_compact(), "[3,1]");
    let location = record_value(&evidence, 0).get("location").unwrap().to_compact();
    assert_eq!(location, r#"{"kind":"json-pointer","pointer":"/log/entries/3"}"#);
    let records = capture_from_evidence(Arc::new(evidence)).unwrap().records;
    assert_eq!(records.iter().map(|record| record.ordinal).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn the_result_and_its_envelope_print_in_order() {
    let evidence = inspect(har(&[]));
    assert_eq!(
        evidence.normalized_result.to_compact().split(",\"limitations\"").next().unwrap(),
        concat!(
            r#"{"artifact":{"path":"/captures/a.har","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","#,
            r#""bytes":86},"format":"har","decoder":{"id":"rea-har-reader","name":"REA HAR reader","version":"1"},"#,
            r#""container":{"reported":{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"pages":[],"entries":null}},"#,
            r#""numeric_literals":[],"redactions":[],"records_pointer":"/log/entries"},"total_records":0,"records":[],"#,
            r#""runtime_attribution":"unknown""#
        )
    );
    let names: Vec<_> = record_value(&inspect(har(&["{}"])), 0)
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, _)| name.to_display().into_owned())
        .collect();
    assert_eq!(
        names,
        ["ordinal", "location", "reported", "binary_fields", "numeric_literals", "redactions", "limitations"]
    );
    let text = String::from_utf8(evidence.to_compact_bytes()).unwrap();
    assert!(text.contains(r#""operation":"inspect_web_network_capture","parameters":{"capture_path":"/captures/a.har","format":"har","record_ordinals":[],"sensitive_value_count":0},"raw_result":null"#), "{text}");
    assert!(
        text.contains(r#""confidence":"observed","authority":"historical-reference","environment":null"#),
        "{text}"
    );
    assert_eq!(evidence.limitations.len(), 4);
}

#[test]
fn a_label_replaces_the_path_everywhere() {
    let options = InspectOptions { label: Some("app.har".into()), ..InspectOptions::default() };
    let text = String::from_utf8(inspect_with(har(&[]), &options).unwrap().to_compact_bytes()).unwrap();
    assert!(!text.contains("/captures"), "{text}");
    assert_eq!(text.matches("\"app.har\"").count(), 5, "{text}");
}
