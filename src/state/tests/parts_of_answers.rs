//! Answers that show a part of the entity under another name.

use super::recording::{Call, made};

/// The answer shows the object `info` of the entity as `shown`.
#[test]
fn an_answer_shows_an_object_under_another_name() {
    let calls: [Call; 8] = [
        ("GET /jobs", 200, r#"[{"id":1,"info":{"name":"a","state":"on"}},{"id":2,"info":{"name":"b","state":"on"}}]"#),
        ("GET /jobs/1", 200, r#"{"id":1,"info":{"name":"a","state":"on"}}"#),
        (r#"POST{"state":"off"} /jobs/1/turn"#, 200, r#"{"shown":{"name":"a","state":"off"}}"#),
        ("GET /jobs/1", 200, r#"{"id":1,"info":{"name":"a","state":"off"}}"#),
        (r#"POST{"state":"half"} /jobs/2/turn"#, 200, r#"{"shown":{"name":"b","state":"half"}}"#),
        ("GET /jobs/2", 200, r#"{"id":2,"info":{"name":"b","state":"half"}}"#),
        (r#"POST{"state":"on"} /jobs/2/turn"#, 200, r#"{"shown":{"name":"b","state":"on"}}"#),
        ("GET /jobs/2", 200, r#"{"id":2,"info":{"name":"b","state":"on"}}"#),
    ];
    let made = made(&calls);
    let written = made.write(&made.derived.world, "POST /jobs/1/turn", r#"{"state":"slow"}"#).unwrap();
    assert_eq!(written.body.unwrap().to_compact(), r#"{"shown":{"name":"a","state":"slow"}}"#);
}
