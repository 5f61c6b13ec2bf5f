//! Writes about other entities: members of what a sent value names, deletes of what others refer to.

use super::recording::{Made, made, value};
use crate::json::Value;
use crate::state::{World, Write, Written};

/// One write by its plan.
fn call(made: &Made, world: &World, method: &str, path: &str, body: Option<&Value>) -> Written {
    let tool = made.tool(method, path);
    let parameters: Vec<String> = path.split('/').skip(2).map(str::to_owned).collect();
    let write = Write { parameters: &parameters, path, query: &[], body };
    made.derived.write(world, made.derived.plan(tool).unwrap(), &write, ("ev", "tool")).unwrap()
}

#[test]
fn what_a_sent_value_names_may_not_have_been_read_yet() {
    let made = made(&[
        ("GET /people", 200, r#"[{"id":1,"name":"ann"},{"id":2,"name":"bob"}]"#),
        ("GET /people/2", 200, r#"{"id":2,"name":"bob"}"#),
        ("GET /tasks", 200, r#"[{"id":11,"title":"t1","who":[{"id":1,"name":"ann"}]}]"#),
        ("GET /tasks/11", 200, r#"{"id":11,"title":"t1","who":[{"id":1,"name":"ann"}]}"#),
        // The answer shows the number alone, and what names it comes before any read.
        (r#"POST{"name":"cleo"} /people"#, 201, "3"),
        (r#"POST{"title":"t2","for":[3,1]} /tasks"#, 201, "12"),
        ("GET /tasks/12", 200, r#"{"id":12,"title":"t2","who":[{"id":3,"name":"cleo"},{"id":1,"name":"ann"}]}"#),
        (r#"POST{"title":"t3","for":[2]} /tasks"#, 201, "13"),
        ("GET /tasks/13", 200, r#"{"id":13,"title":"t3","who":[{"id":2,"name":"bob"}]}"#),
        (r#"PUT{"name":"dora"} /people/3"#, 200, r#"{"id":3,"name":"dora"}"#),
        ("GET /people/3", 200, r#"{"id":3,"name":"dora"}"#),
    ]);
    let sent = value(r#"{"title":"t4","for":[2,1]}"#);
    let world = call(&made, &made.derived.world, "POST", "/tasks", Some(&sent)).world.unwrap();
    let created = world.named(made.derived.plan(made.tool("POST", "/tasks")).unwrap().target.entity_type, "12");
    let fields: Vec<String> = created.map(|entity| entity.fields.to_compact()).collect();
    let expected = r#"{"id":12,"title":"t4","who":[{"id":2,"name":"bob"},{"id":1,"name":"ann"}]}"#;
    assert!(value(&fields[0]).same_as(&value(expected)), "{fields:?}");
}
