//! Records of other producers: any provider and wording, members of newer versions in the small objects, other spellings.

use super::VECTOR;
use crate::evidence::{Evidence, Location, Subject, authenticate, authenticate_value};
use crate::json::{Object, Value, canonical_sha256, parse};
use rstest::rstest;

/// The record of the vector with changes, sealed the way an independent producer would: from the document alone, by the
/// rule of `evidence.md` 1.2.
fn foreign(changes: &[(&str, &str)]) -> Value {
    let mut record = parse(VECTOR.as_bytes()).unwrap();
    let members = record.as_object_mut().unwrap();
    for (name, value) in changes {
        members.set(*name, parse(value.as_bytes()).unwrap());
    }
    let mut projection = members.clone();
    projection.remove("evidence_id");
    if let Some(subject) = projection.get_mut("subject").and_then(Value::as_object_mut) {
        subject.remove("name");
        subject.remove("local_path");
    }
    members.set("evidence_id", format!("ev_{}", canonical_sha256(&projection.into())));
    record
}

fn authentic(changes: &[(&str, &str)]) -> Evidence {
    let record = foreign(changes);
    let evidence = authenticate(record.to_pretty().as_bytes()).unwrap();
    assert_eq!(authenticate_value(record).unwrap(), evidence);
    let printed = evidence.to_compact_bytes();
    assert_eq!(authenticate(&printed).unwrap(), evidence, "it authenticates as we print it, too");
    assert_eq!(evidence.clone().seal().evidence_id, evidence.evidence_id);
    evidence
}

#[rstest]
#[case("provider", r#"{"id":"x","name":"Somebody else","version":null}"#)]
#[case("limitations", r#"["Anything 😀 at all","","second"]"#)]
#[case("predicate_type", r#""rea.analysis-view""#)]
#[case("operation", r#""some_other_operation""#)]
#[case("parameters", r#"{"__proto__":{"a":1},"10":0,"2":1,"é":"\ud800"}"#)]
#[case("raw_result", r#"[1.50,1e21,-0.0,123456789012345680000,"\u0000"]"#)]
#[case("normalized_result", "null")]
#[case("normalized_result", r#""text""#)]
#[case("confidence", r#""inferred""#)]
#[case("authority", r#""analyst-inference""#)]
#[case("environment", r#"{"id":"e","platform":"unknown","architecture":"unknown","isolation":"virtual-machine"}"#)]
#[case("evidence_links", r#"["ev_131d934e9db5160007d994ec9ba96ee4bcb63f1d298c39b49dbfdf206e9abcd0"]"#)]
#[case("subject", "null")]
#[case("locations", r#"[{"kind":"address","address":"0x10"},{"kind":"address-range","start":1,"end":"2"},{"kind":"file-offset","offset":0},{"kind":"file-offset-range","start":1,"end":9007199254740991}]"#)]
#[case("analysis_profile", r#"{"provider":{"id":"example","name":"Example","version":"1","more":1},"digest":"x"}"#)]
fn authenticates(#[case] member: &str, #[case] value: &str) {
    authentic(&[(member, value)]);
}

#[test]
fn numbers_count_as_the_doubles_they_are() {
    let record = foreign(&[("normalized_result", "[1.5,10]")]);
    let respelled = record.to_compact().replace("[1.5,10]", "[1.50,1e1]");
    let evidence = authenticate(respelled.as_bytes()).unwrap();
    assert_eq!(evidence.normalized_result.to_compact(), "[1.50,1e1]", "and keep their spelling");
}

#[test]
fn member_order_and_white_space_take_no_part() {
    let record = foreign(&[]);
    let mut members: Vec<_> = record.as_object().unwrap().iter().cloned().collect();
    members.reverse();
    let reversed: Value = members.into_iter().collect::<Object>().into();
    let text = format!("\u{feff}\r\n{}\n", reversed.to_pretty());
    assert_eq!(authenticate(text.as_bytes()).unwrap(), authenticate(VECTOR.as_bytes()).unwrap());
}

#[test]
fn unknown_members_of_the_small_objects_are_dropped() {
    let text = VECTOR
        .replace(r#""name":"a.har","#, r#""name":"a.har","size":1,"#)
        .replace(r#"{"sha256":"#, r#"{"sha512":"","sha256":"#)
        .replace(r#"{"id":"example""#, r#"{"home":"x","id":"example""#)
        .replace(r#"{"kind":"artifact-path""#, r#"{"line":1,"kind":"artifact-path""#);
    assert_ne!(text, VECTOR);
    let evidence = authenticate(text.as_bytes()).unwrap();
    assert_eq!(evidence.to_value().to_compact(), VECTOR);
}

#[test]
fn what_is_read_is_what_was_written() {
    let subject = r#"{"name":"n","digest":{"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},"format":"elf","architecture":"arm64","local_path":""}"#;
    let locations = r#"[{"kind":"file-offset","offset":7.0}]"#;
    let evidence = authentic(&[("subject", subject), ("locations", locations)]);
    let expected = Subject {
        name: "n".into(),
        sha256: "a".repeat(64),
        format: "elf".into(),
        architecture: Some("arm64".into()),
        local_path: String::new(),
    };
    assert_eq!(evidence.subject, Some(expected));
    assert_eq!(evidence.locations, [Location::FileOffset { offset: 7 }]);
}

#[test]
fn values_may_nest_a_thousand_levels() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(move || {
            // The root is depth 0: the innermost of 1001 arrays is at depth 1000.
            let deepest = VECTOR.replace(r#"{"n":1.5,"t":"é","z":[]}"#, &nested(1001));
            let error = authenticate(deepest.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("does not match its id"), "{error}");
            let too_deep = VECTOR.replace(r#"{"n":1.5,"t":"é","z":[]}"#, &nested(1002));
            let error = authenticate(too_deep.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("nested deeper than 1002 levels"), "{error}");
            let full =
                VECTOR.replace(r#"{"n":1.5,"t":"é","z":[]}"#, &format!("{}0{}", "[".repeat(1001), "]".repeat(1001)));
            let error = authenticate(full.as_bytes()).unwrap_err().to_string();
            assert_eq!(error, "/normalized_result is nested deeper than 1000 levels");
        })
        .unwrap()
        .join()
        .unwrap();
}
