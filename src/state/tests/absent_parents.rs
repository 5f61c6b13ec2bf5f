//! What lies under an entity that another collection holds, once it is gone; and writes that are refused to the caller.

use super::recording::{Made, made, value};
use crate::state::{World, Write};

/// Queues lie beside the shops that they are of.
fn shops() -> Made {
    made(&[
        ("GET /shops", 200, r#"[{"id":31,"open":true},{"id":32,"open":true}]"#),
        ("GET /shops/31", 200, r#"{"id":31,"open":true}"#),
        ("GET /queues/31", 200, r#"[{"id":1,"shop":31,"size":1},{"id":2,"shop":31,"size":2}]"#),
        ("GET /queues/32", 200, r#"[{"id":3,"shop":32,"size":3}]"#),
        ("GET /queues/99", 404, r#"{"error":"no shop 99"}"#),
        ("GET /queues/31/1", 200, r#"{"id":1,"shop":31,"size":1}"#),
        ("GET /queues/32/3", 200, r#"{"id":3,"shop":32,"size":3}"#),
        (r#"PUT{"size":4} /queues/99/44"#, 404, r#"{"error":"44 needs 99"}"#),
        ("DELETE /queues/31/1", 401, r#"{"error":"kept"}"#),
        (r#"PUT{"size":5} /queues/31/5"#, 201, r#"{"id":5,"shop":31,"size":5}"#),
        ("GET /queues/31/5", 200, r#"{"id":5,"shop":31,"size":5}"#),
        (r#"PUT{"size":6} /queues/32/6"#, 201, r#"{"id":6,"shop":32,"size":6}"#),
        ("GET /queues/32/6", 200, r#"{"id":6,"shop":32,"size":6}"#),
        ("DELETE /queues/31/2", 204, ""),
        ("GET /queues/31/2", 404, r#"{"error":"none"}"#),
        ("DELETE /shops/32", 204, ""),
        ("GET /shops/32", 404, r#"{"error":"none"}"#),
        ("GET /shops", 200, r#"[{"id":31,"open":true}]"#),
    ])
}

fn without_one(made: &Made) -> World {
    made.after(&made.derived.world, "DELETE /shops/32", "")
}

#[test]
fn what_lists_the_children_of_a_removed_entity_is_answered_as_for_one_that_never_was() {
    let made = shops();
    assert!(made.answer("GET /queues/32").starts_with('['));
    assert_eq!(made.answer_in(&without_one(&made), "GET /queues/32"), r#"{"error":"no shop 32"}"#);
}

#[test]
fn nothing_is_created_under_what_is_absent() {
    let made = shops();
    let world = without_one(&made);
    let refused = made.write(&world, "PUT /queues/32/77", r#"{"size":7}"#).unwrap();
    assert!(refused.world.is_none(), "nothing changed");
    assert_eq!(refused.body, Some(value(r#"{"error":"77 needs 32"}"#)));
    assert!(made.write(&world, "PUT /queues/31/77", r#"{"size":7}"#).unwrap().world.is_some());
}

#[test]
fn a_write_that_is_not_allowed_to_a_caller_that_reads_stays_refused() {
    let made = shops();
    let tool = made.tool("DELETE", "/queues/31/1");
    let refused = |made: &Made, path: &str| {
        let write = Write { parameters: &[], path, query: &[], body: None };
        made.derived.recorded_refusal(tool, &write, true, &made.derived.world).is_some()
    };
    assert!(refused(&made, "/queues/31/1"));
    assert!(!refused(&made, "/queues/32/3"), "another target was not asked");
}

#[test]
fn a_write_of_a_caller_that_is_not_known_says_nothing_of_others() {
    let made = made(&[
        ("GET /things/1", 401, r#"{"error":"who"}"#),
        ("DELETE /things/1", 401, r#"{"error":"who"}"#),
        ("GET /things", 200, r#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#),
        ("GET /things/1", 200, r#"{"id":1,"name":"a"}"#),
        ("DELETE /things/2", 204, ""),
        ("GET /things", 200, r#"[{"id":1,"name":"a"}]"#),
    ]);
    let tool = made.tool("DELETE", "/things/1");
    let write = Write { parameters: &[], path: "/things/1", query: &[], body: None };
    assert!(made.derived.recorded_refusal(tool, &write, true, &made.derived.world).is_none());
}

/// What was refused at the start for what is absent stays refused until something of that name comes; whatever the body.
#[rstest::rstest]
#[case::with_a_body(r#"{"error":"no oak"}"#)]
#[case::with_none("")]
fn a_create_for_what_is_absent_stays_refused_until_it_comes(#[case] refusal: &'static str) {
    let made = made(&[
        ("GET /things", 200, r#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#),
        (r#"POST{"name":"x","shelf":"oak"} /things"#, 404, refusal),
        (r#"POST{"name":"c","shelf":"elm"} /things"#, 201, r#"{"id":3,"name":"c"}"#),
        ("GET /things/3", 200, r#"{"id":3,"name":"c"}"#),
    ]);
    let tool = made.tool("POST", "/things");
    let sent = value(r#"{"name":"x","shelf":"oak"}"#);
    let write = Write { parameters: &[], path: "/things", query: &[], body: Some(&sent) };
    let mut world = made.derived.world.clone();
    assert!(made.derived.refused_at_start(tool, &write, &world).is_some());
    world.set_entity(0, crate::state::Entity::new("/things", "oak", value(r#"{"id":"oak","name":"d"}"#)));
    assert!(made.derived.refused_at_start(tool, &write, &world).is_none());
}
