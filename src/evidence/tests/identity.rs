//! Known answers of the id and of the printed form.

use super::VECTOR;
use crate::evidence::{AuthenticationError, Authority, Confidence, Evidence, Subject, authenticate};
use crate::json::{Object, Value, parse};
use std::sync::Arc;

fn vector() -> Evidence {
    authenticate(VECTOR.as_bytes()).unwrap()
}

#[test]
fn the_published_record_has_its_id() {
    assert_eq!(vector().computed_id(), "ev_131d934e9db5160007d994ec9ba96ee4bcb63f1d298c39b49dbfdf206e9abcd0");
}

#[test]
fn without_a_subject_it_has_the_other_id() {
    let sealed = Evidence { subject: None, ..vector() }.seal();
    assert_eq!(sealed.evidence_id, "ev_e4ea91614581f8288bf71ba0316647be0a54c0111e65e8e807fa8c6ed93d685e");
}

#[test]
fn the_older_rule_is_recognised_by_its_id() {
    let older = "ev_ee2eb84b48bbd309e0900f806604ffaa483019f8b38740bd0e6d5e3b7c951d79";
    assert_eq!(vector().id_without_profile(), older);
    let text = VECTOR.replace(&vector().evidence_id, older);
    let error = authenticate(text.as_bytes()).unwrap_err();
    assert!(matches!(error, AuthenticationError::OlderGeneration { .. }), "{error}");
}

#[test]
fn name_and_path_of_the_subject_take_no_part() {
    let text = VECTOR
        .replace(r#""name":"a.har""#, r#""name":"b""#)
        .replace(r#""local_path":"/captures/a.har""#, r#""local_path":"""#);
    assert_eq!(authenticate(text.as_bytes()).unwrap().evidence_id, vector().evidence_id);
}

#[test]
fn it_prints_as_it_was_written() {
    let printed = vector().to_compact_bytes();
    assert_eq!(String::from_utf8(printed).unwrap(), format!("{VECTOR}\n"));
    assert_eq!(vector().to_value(), parse(VECTOR.as_bytes()).unwrap());
    assert_eq!(vector().to_value().to_compact(), VECTOR);
}

#[test]
fn everything_else_takes_part() {
    let changes: [fn(&mut Evidence); 12] = [
        |record| record.provider.name.push('x'),
        |record| record.predicate_type.push('x'),
        |record| record.operation.push('x'),
        |record| record.parameters.push("x", 1u64),
        |record| record.raw_result = true.into(),
        |record| record.normalized_result = true.into(),
        |record| record.confidence = Confidence::Derived,
        |record| record.authority = Authority::ExternalService,
        |record| record.limitations.push("x".into()),
        |record| record.locations.clear(),
        |record| record.evidence_links.push(record.evidence_id.clone()),
        |record| record.analysis_profile = Some(Object::new().into()),
    ];
    let mut ids: Vec<String> = changes
        .into_iter()
        .map(|change| {
            let mut record = vector();
            change(&mut record);
            record.computed_id()
        })
        .collect();
    ids.push(vector().evidence_id);
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn sealing_shares_the_result() {
    let sealed = Evidence { normalized_result: Value::from(vec![Value::from("x")]), ..vector() }.seal();
    let printed = sealed.to_value();
    let result = printed.as_object().and_then(|record| record.get("normalized_result"));
    match (&sealed.normalized_result, result) {
        (Value::Shared(held), Some(Value::Shared(printed))) => assert!(Arc::ptr_eq(held, printed)),
        other => panic!("copied: {other:?}"),
    }
}

#[test]
fn the_name_of_a_file_is_its_last_segment() {
    let name = |path: &str| Subject::of_file(path, "").name;
    assert_eq!([name("/a/b.har"), name("b.har"), name("/a/"), name("")], ["b.har", "b.har", "artifact", "artifact"]);
}
