//! Laws that hold for every capture.

use super::*;
use proptest::prelude::*;

/// Any JSON text, small.
fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|it| it.to_string()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?(e-?[0-9]{1,2})?",
        "[ -~é€😀]{0,12}".prop_map(|text| Value::from(text).to_compact()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map("[a-z/~]{1,5}", inner, 0..4).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(name, value)| format!("{}:{value}", Value::from(name).to_compact())).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// An entry whose members are the standard ones with anything in them.
fn any_entry() -> impl Strategy<Value = String> {
    const NAMES: [&str; 24] = [
        "startedDateTime",
        "time",
        "request",
        "response",
        "method",
        "url",
        "headers",
        "cookies",
        "postData",
        "text",
        "mimeType",
        "params",
        "status",
        "content",
        "size",
        "encoding",
        "redirectURL",
        "name",
        "value",
        "queryString",
        "_webSocketMessages",
        "serverIPAddress",
        "compression",
        "cache",
    ];
    let value = any_json();
    let members = prop::collection::btree_map(prop::sample::select(&NAMES[..]), value, 0..6);
    let object = |members: std::collections::BTreeMap<&str, String>| {
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    };
    prop::collection::vec(members.prop_map(object), 4).prop_map(|parts| {
        format!(
            r#"{{"request":{{"method":"POST","url":"http://h/{{x}}","postData":{},"headers":[{}]}},"response":{{"status":200,"content":{},"headers":[{}]}}}}"#,
            parts[0], parts[1], parts[2], parts[3]
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: the same bytes inspected twice give the same bytes, and their Evidence read back gives the same records.
    #[test]
    fn inspection_is_a_function(entries in prop::collection::vec(prop_oneof![any_json(), any_entry()], 0..4)) {
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        let text = har(&entries);
        let evidence = inspect(text.as_str());
        let bytes = evidence.to_compact_bytes();
        prop_assert_eq!(&bytes, &inspect(text.as_str()).to_compact_bytes());
        let read = crate::evidence::authenticate(&bytes).unwrap();
        let read = capture_from_evidence(Arc::new(read)).unwrap();
        let made = capture_from_evidence(Arc::new(evidence)).unwrap();
        prop_assert_eq!(format!("{:?}", made.records), format!("{:?}", read.records));
        prop_assert_eq!(made.records.len(), entries.len());
    }

    /// Law: no document makes the reader panic, HAR or not.
    #[test]
    fn any_document_is_answered(text in any_json(), entries in any_json()) {
        let _ = inspect_with(text, &InspectOptions::default());
        let _ = inspect_with(format!(r#"{{"log":{{"entries":{entries}}}}}"#), &InspectOptions::default());
    }

    /// Law: a sensitive value leaves no trace: not in values, names, numbers, base64 bodies, pointers, the path or a
    /// refusal.
    #[test]
    fn a_sensitive_value_leaves_no_trace(
        secret in "zq[0-9x]{3,6}",
        before in "[a-z]{0,4}",
        after in "[a-z]{0,4}",
        noise in any_entry(),
    ) {
        use base64::Engine as _;
        let held = format!("{before}{secret}{after}");
        let base64 = base64::engine::general_purpose::STANDARD.encode(&held);
        let planted = format!(
            r#"{{"{held}":{{"x":1,"{held}":[2]}},"_n":"{held}","request":{{"method":"GET","url":"http://h/{held}?{held}","headers":[{{"name":"{held}","value":["{held}"]}}],"postData":{{"text":"{base64}","encoding":"base64","{held}":1}}}},"response":{{"status":200,"content":{{"text":"{base64}","encoding":"base64"}}}}}}"#
        );
        let twice = planted.replacen(r#""_n""#, &format!(r#""{held}""#), 1);
        let options = InspectOptions { sensitive_values: vec![secret.clone()], ..InspectOptions::default() };
        let text = har(&[&planted, &noise, &twice]).replacen(r#""name":"t""#, &format!(r#""name":"{held}""#), 1);
        let evidence = inspect_har_bytes(text.into_bytes(), SHA256, &format!("/{held}/a.har"), &options).unwrap();
        let printed = String::from_utf8(evidence.to_compact_bytes()).unwrap();
        prop_assert!(!printed.contains(&secret), "{}", printed);
        prop_assert!(!printed.contains(&base64), "{}", printed);
        prop_assert!(evidence.locations.is_empty());
        prop_assert_eq!(evidence.subject.as_ref().map(|it| it.local_path.as_str()), Some(""));
        let refused = inspect_har_bytes(format!(r#"{{"{held}":1,"{held}":2}}"#).into_bytes(), SHA256, &held, &options).unwrap_err();
        prop_assert!(!document(&refused).contains(&secret) && !refused.to_string().contains(&secret));
        let shown = format!("{refused:?}");
        prop_assert!(!shown.contains(&secret));
    }
}
