//! Filters by what a served write created: known in full, whatever was read at the start.

use super::recording::{Call, made};
use crate::state::{Scope, View};

const BOARDS: &str = r#"[{"id":1,"name":"one"},{"id":2,"name":"two"}]"#;
const CARDS: &str = r#"[{"id":"a1","board_id":1,"text":"x"},{"id":"a2","board_id":1,"text":"y"}]"#;

/// What is asked of a board that a call created is known, what is asked of one that nothing says anything of is not.
#[rstest::rstest]
#[case::nothing_in_it("[]", "[]")]
#[case::something_strange_in_it(r#"[{"id":"a9","board_id":3,"text":"q"}]"#, "<unknown-partition>")]
fn a_filter_by_what_a_write_created_is_known_in_full(#[case] after: &'static str, #[case] expected: &str) {
    let calls: [Call; 8] = [
        ("GET /boards", 200, BOARDS),
        ("GET /boards/1", 200, r#"{"id":1,"name":"one"}"#),
        ("GET /cards?board_id=1", 200, CARDS),
        ("GET /cards?board_id=2", 200, r#"[{"id":"b1","board_id":2,"text":"z"}]"#),
        (r#"POST{"name":"three"} /boards"#, 201, r#"{"id":3,"name":"three"}"#),
        ("GET /boards/3", 200, r#"{"id":3,"name":"three"}"#),
        ("GET /boards", 200, r#"[{"id":1,"name":"one"},{"id":2,"name":"two"},{"id":3,"name":"three"}]"#),
        ("GET /cards?board_id=3", 200, after),
    ];
    let made = made(&calls);
    let world = made.derived.world.clone();
    assert_eq!(made.answer_in(&world, "GET /cards?board_id=1"), CARDS);
    assert_eq!(made.answer_in(&world, "GET /cards?board_id=4"), "<unknown-partition>");
    let mut world = world;
    for name in ["four", "five"] {
        world = made.after(&world, "POST /boards", &format!(r#"{{"name":"{name}"}}"#));
    }
    assert_eq!(made.answer_in(&world, "GET /cards?board_id=4"), expected);
    assert_eq!(made.answer_in(&world, "GET /cards?board_id=9"), "<unknown-partition>");
}

/// What a write marked is left out of a list of what another write created, and the list says by which member.
#[rstest::rstest]
#[case::left_out(r#"[{"id":"c2","board_id":3,"text":"q","stage":"on"}]"#, true)]
#[case::listed(
    r#"[{"id":"c1","board_id":3,"text":"p","stage":"gone"},{"id":"c2","board_id":3,"text":"q","stage":"on"}]"#,
    false
)]
fn a_list_of_what_was_created_leaves_out_what_was_marked(#[case] after: &'static str, #[case] told: bool) {
    const FIRST: &str =
        r#"[{"id":"a1","board_id":1,"text":"x","stage":"on"},{"id":"a2","board_id":1,"text":"y","stage":"on"}]"#;
    let calls: [Call; 16] = [
        ("GET /boards", 200, BOARDS),
        ("GET /boards/1", 200, r#"{"id":1,"name":"one"}"#),
        ("GET /cards?board_id=1", 200, FIRST),
        ("GET /cards?board_id=2", 200, r#"[{"id":"b1","board_id":2,"text":"z","stage":"on"}]"#),
        ("GET /cards/a1", 200, r#"{"id":"a1","board_id":1,"text":"x","stage":"on"}"#),
        (r#"POST{"name":"three"} /boards"#, 201, r#"{"id":3,"name":"three"}"#),
        ("GET /boards/3", 200, r#"{"id":3,"name":"three"}"#),
        ("GET /cards?board_id=3", 200, "[]"),
        (r#"POST{"board_id":3,"text":"p"} /cards"#, 201, r#"{"id":"c1","board_id":3,"text":"p","stage":"on"}"#),
        ("GET /cards/c1", 200, r#"{"id":"c1","board_id":3,"text":"p","stage":"on"}"#),
        (r#"POST{"board_id":3,"text":"q"} /cards"#, 201, r#"{"id":"c2","board_id":3,"text":"q","stage":"on"}"#),
        ("GET /cards/c2", 200, r#"{"id":"c2","board_id":3,"text":"q","stage":"on"}"#),
        ("DELETE /cards/c1", 200, "{}"),
        ("GET /cards/c1", 200, r#"{"id":"c1","board_id":3,"text":"p","stage":"gone"}"#),
        ("GET /cards?board_id=3", 200, after),
        ("GET /cards/c1", 200, r#"{"id":"c1","board_id":3,"text":"p","stage":"gone"}"#),
    ];
    let made = made(&calls);
    let View::List(view) = &made.derived.views[made.tool("GET", "/cards")] else { panic!("no list") };
    let by = matches!(&view.scope, Scope::Constant(path, value) if path.spelling() == "stage" && value == "on");
    assert_eq!(by, told, "{:?}", view.scope);
}
