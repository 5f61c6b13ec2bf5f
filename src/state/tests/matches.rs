//! Members that show what has a pattern that matches their holder, and what lists with a parameter tell of removals.

use super::recording::{Call, made};

const RULES: &str = r#"[{"name":"cap","zone":"a","pattern":"^ord","to":"lamps","rank":1},{"name":"post","zone":"a","pattern":"^mail","to":"lamps","rank":2},{"name":"any","zone":"b","pattern":".*","to":"lamps","rank":0}]"#;
const LAMPS: &str = r#"[{"name":"audit","zone":"a"},{"name":"mails","zone":"a","rule":"post"},{"name":"orders","zone":"a","rule":"cap"},{"name":"bills","zone":"b","rule":"any"}]"#;

fn calls() -> [Call; 12] {
    [
        ("GET /rules", 200, RULES),
        ("GET /rules/cap", 200, r#"{"name":"cap","zone":"a","pattern":"^ord","to":"lamps","rank":1}"#),
        ("GET /lamps", 200, LAMPS),
        ("GET /lamps/orders", 200, r#"{"name":"orders","zone":"a","rule":"cap"}"#),
        (
            r#"POST{"name":"aud","zone":"a","pattern":"^aud","to":"lamps","rank":3} /rules"#,
            201,
            r#"{"name":"aud","zone":"a","pattern":"^aud","to":"lamps","rank":3}"#,
        ),
        ("GET /rules/aud", 200, r#"{"name":"aud","zone":"a","pattern":"^aud","to":"lamps","rank":3}"#),
        (
            "GET /lamps",
            200,
            r#"[{"name":"audit","zone":"a","rule":"aud"},{"name":"mails","zone":"a","rule":"post"},{"name":"orders","zone":"a","rule":"cap"},{"name":"bills","zone":"b","rule":"any"}]"#,
        ),
        ("DELETE /rules/post", 204, ""),
        ("GET /rules/post", 404, r#"{"error":"none"}"#),
        (
            "GET /lamps",
            200,
            r#"[{"name":"audit","zone":"a","rule":"aud"},{"name":"mails","zone":"a"},{"name":"orders","zone":"a","rule":"cap"},{"name":"bills","zone":"b","rule":"any"}]"#,
        ),
        (r#"POST{"name":"order","zone":"a"} /lamps"#, 201, r#"{"name":"order"}"#),
        ("GET /lamps/order", 200, r#"{"name":"order","zone":"a","rule":"cap"}"#),
    ]
}

/// A new lamp shows the rule whose pattern is in its name, in its zone; all lamps follow the rules. Which one is shown of
/// two that match is not told, nor whether a rule for something else counts.
#[test]
fn a_member_shows_whose_pattern_matches() {
    let made = made(&calls());
    let start = made.derived.world.clone();
    let write = |world: &_, line: &str, body: &str| made.after(world, line, body);
    let lamp = |world: &_, name: &str| made.answer_in(world, &format!("GET /lamps/{name}"));
    let world = write(&start, "POST /lamps", r#"{"name":"mailer","zone":"a"}"#);
    assert_eq!(lamp(&world, "mailer"), r#"{"name":"mailer","zone":"a","rule":"post"}"#);
    let world = write(&world, "POST /lamps", r#"{"name":"crate","zone":"a"}"#);
    assert_eq!(lamp(&world, "crate"), r#"{"name":"crate","zone":"a"}"#);
    let world = write(&world, "DELETE /rules/post", "");
    assert_eq!(lamp(&world, "mailer"), r#"{"name":"mailer","zone":"a"}"#);
    let world = write(&world, "POST /rules", r#"{"name":"box","zone":"a","pattern":"ate$","to":"lamps","rank":4}"#);
    assert_eq!(lamp(&world, "crate"), r#"{"name":"crate","zone":"a","rule":"box"}"#);
    assert_eq!(lamp(&world, "bills"), r#"{"name":"bills","zone":"b","rule":"any"}"#);
    let two = write(&world, "POST /rules", r#"{"name":"two","zone":"a","pattern":"^o","to":"lamps","rank":5}"#);
    assert_eq!(lamp(&two, "orders"), "<incomplete-entity>");
    let other = write(&world, "POST /rules", r#"{"name":"own","zone":"a","pattern":"^mail","to":"desks","rank":6}"#);
    assert_eq!(lamp(&other, "mailer"), "<incomplete-entity>");
    let unread = write(&world, "POST /rules", r#"{"name":"odd","zone":"a","pattern":"^(?=x)","to":"lamps","rank":6}"#);
    assert_eq!(lamp(&unread, "mailer"), "<incomplete-entity>");
}

/// A list whose parameter never changed an answer tells what is gone as one without does.
#[test]
fn a_list_with_a_parameter_that_changes_nothing_tells_what_is_gone() {
    const BOOKS: &str =
        r#"[{"id":1,"title":"Alpha","shelf":1},{"id":2,"title":"Beta","shelf":2},{"id":3,"title":"Gamma","shelf":2}]"#;
    let made = made(&[
        ("GET /shelves", 200, r#"[{"id":1,"name":"oak"},{"id":2,"name":"elm"},{"id":3,"name":"ash"}]"#),
        ("GET /shelves/1", 200, r#"{"id":1,"name":"oak"}"#),
        ("GET /books?full=true", 200, BOOKS),
        ("DELETE /shelves/2", 204, ""),
        ("GET /shelves", 200, r#"[{"id":1,"name":"oak"},{"id":3,"name":"ash"}]"#),
        ("GET /books?full=true", 200, r#"[{"id":1,"title":"Alpha","shelf":1}]"#),
    ]);
    let world = made.after(&made.derived.world, "DELETE /shelves/1", "");
    let left = r#"[{"id":2,"title":"Beta","shelf":2},{"id":3,"title":"Gamma","shelf":2}]"#;
    assert_eq!(made.answer_in(&world, "GET /books?full=true"), left);
}
