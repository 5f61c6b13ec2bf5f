//! Lists whose items wrap what other reads show bare; and how many of them they show.

use super::recording::{Call, made};

/// A list of the first books, each with what is around it.
fn found(around: &str, count: usize) -> String {
    let sizes = [5, 6, 8];
    let item = |at: usize| {
        let around = around.replace('#', &format!("{}", at * at + 7));
        let name = ["a", "b", "c"][at];
        format!(r#"{{"_id":"{0}"{around},"_source":{{"id":{0},"name":"{name}","size":{1}}}}}"#, at + 1, sizes[at])
    };
    format!(r#"{{"hits":[{}]}}"#, (0..count).map(item).collect::<Vec<_>>().join(","))
}

/// What is around a book is made for a new one, too, unless it says what the book does not; a list that leaves out what
/// was there before the read and since the last write ends where it does.
#[rstest::rstest]
#[case::wrapped(r#","_index":"books""#, 3, 3)]
#[case::the_first_ones("", 2, 2)]
#[case::more_is_around(r#","rank":#"#, 3, 0)]
fn items_that_wrap_entities(#[case] around: &str, #[case] shown: usize, #[case] expected: usize) {
    let text = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let late = text(found(around, shown).replace(r#""name":"c","size":8"#, r#""name":"c","size":7"#));
    let last = text(found(around, shown));
    let calls: [Call; 10] = [
        ("GET /books", 200, r#"[{"id":1,"name":"a","size":5},{"id":2,"name":"b","size":6}]"#),
        ("GET /books/1", 200, r#"{"id":1,"name":"a","size":5}"#),
        ("GET /found", 200, text(found(around, 2))),
        (r#"POST{"name":"c","size":7} /books"#, 201, r#"{"id":3,"name":"c","size":7}"#),
        ("GET /books/3", 200, r#"{"id":3,"name":"c","size":7}"#),
        ("GET /found", 200, late),
        (r#"PATCH{"size":8} /books/3"#, 200, r#"{"id":3,"name":"c","size":8}"#),
        ("GET /books/3", 200, r#"{"id":3,"name":"c","size":8}"#),
        ("GET /found", 200, last),
        (r#"PATCH{"size":9} /books/3"#, 200, r#"{"id":3,"name":"c","size":9}"#),
    ];
    let made = made(&calls);
    let world = made.derived.world.clone();
    assert_eq!(made.answer_in(&world, "GET /found"), found(around, 2));
    let world = made.after(&world, "POST /books", r#"{"name":"c","size":8}"#);
    let answer = made.answer_in(&world, "GET /found");
    match expected {
        0 => assert!(!answer.contains(r#""size":8"#), "{answer}"),
        _ => assert_eq!(answer, found(around, expected)),
    }
}
