//! Answers that lag behind what reads show.

use super::recording::made;
use crate::json::Value;

#[test]
fn what_an_answer_lags_behind_is_known_before_the_next_write() {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","kept":false,"count":2},{"id":2,"name":"bell","kept":false,"count":5},
               {"id":3,"name":"crate","kept":false,"count":8},{"id":4,"name":"drum","kept":false,"count":12}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","kept":false,"count":2}"#),
        ("POST{} /api/things/1/archive", 200, r#"{"id":1,"name":"anvil","kept":true,"count":2}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","kept":true,"count":3}"#),
        ("POST{} /api/things/1/restore", 200, r#"{"id":1,"name":"anvil","kept":false,"count":3}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","kept":false,"count":4}"#),
        ("POST{} /api/things/4/archive", 200, r#"{"id":4,"name":"drum","kept":true,"count":12}"#),
        ("GET /api/things/4", 200, r#"{"id":4,"name":"drum","kept":true,"count":13}"#),
        ("POST{} /api/things/2/archive", 200, r#"{"id":2,"name":"bell","kept":true,"count":5}"#),
        ("POST{} /api/things/2/restore", 200, r#"{"id":2,"name":"bell","kept":false,"count":6}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","kept":false,"count":7}"#),
    ]);
    let archived = made.write(&made.derived.world, "POST /api/things/3/archive", "{}").unwrap();
    let counts = |body: &Option<Value>| body.as_ref().and_then(|body| body.get("count")).map(Value::to_compact);
    assert_eq!(counts(&archived.body).as_deref(), Some("8"));
    let restored = made.write(&archived.world.unwrap(), "POST /api/things/3/restore", "{}").unwrap();
    assert_eq!(counts(&restored.body).as_deref(), Some("9"));
    let again = made.write(&restored.world.unwrap(), "POST /api/things/3/archive", "{}").unwrap();
    assert_eq!(counts(&again.body).as_deref(), Some("10"), "each of both counted");
}
