//! Effects between an entity and the one that it names, each over a small recording that shows it.

use super::recording::{Made, made, timed, value};
use crate::json::Value;
use crate::state::effect::{Done, EffectRule, apply_effects};
use crate::state::effect_follow::Follow;
use crate::state::effect_relation::Relation;
use crate::state::effect_told::Told;
use crate::state::path::MemberPath;
use crate::state::{Derived, Entity, World};
use rstest::rstest;

fn call(made: &Made, world: &World, line: &str, body: Option<&str>) -> (Option<World>, Option<Value>) {
    let written = made.write(world, line, body.unwrap_or_default()).unwrap();
    (written.world, written.body)
}

const SHELVES: &str = r#"[{"id":1,"name":"attic"},{"id":2,"name":"cellar"}]"#;
const BOOKS: &str = r#"[{"id":11,"title":"a","shelf_id":1,"shelf_name":"attic"},
    {"id":12,"title":"b","shelf_id":2,"shelf_name":"cellar"},{"id":13,"title":"c","shelf_id":1,"shelf_name":"attic"}]"#;

#[test]
fn a_member_of_another_entity_follows_it() {
    let made = made(&[
        ("GET /api/shelves", 200, SHELVES),
        ("GET /api/books", 200, BOOKS),
        ("GET /api/shelves/1", 200, r#"{"id":1,"name":"attic"}"#),
        (r#"PATCH{"name":"loft"} /api/shelves/1"#, 200, r#"{"id":1,"name":"loft"}"#),
        ("GET /api/shelves/1", 200, r#"{"id":1,"name":"loft"}"#),
        (
            "GET /api/books",
            200,
            r#"[{"id":11,"title":"a","shelf_id":1,"shelf_name":"loft"},
                {"id":12,"title":"b","shelf_id":2,"shelf_name":"cellar"},
                {"id":13,"title":"c","shelf_id":1,"shelf_name":"loft"}]"#,
        ),
    ]);
    let (world, _) = call(&made, &made.derived.world, "PATCH /api/shelves/2", Some(r#"{"name":"vault"}"#));
    let world = world.unwrap();
    let shown: Vec<String> = world
        .collections(made.derived.type_of_tool(made.tool("GET", "/api/books")).unwrap())
        .flat_map(|(_, held)| held.iter())
        .map(|book| book.fields.get("shelf_name").and_then(Value::as_str).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(shown, ["attic", "vault", "attic"]);
}

/// What is not known of a shelf since is not known of what shows it; what shows another shelf stays.
#[rstest]
#[case::not_known_since(r#"{"name":"attic"}"#, "{}", None)]
#[case::known_since(r#"{}"#, r#"{"name":"loft"}"#, None)]
#[case::known_since_as_shown(r#"{}"#, r#"{"name":"attic"}"#, Some("attic"))]
#[case::never_known(r#"{}"#, r#"{"of":1}"#, Some("attic"))]
#[case::followed(r#"{"name":"attic"}"#, r#"{"name":"loft"}"#, Some("loft"))]
fn what_follows_is_known_with_what_it_follows(#[case] was: &str, #[case] is: &str, #[case] expected: Option<&str>) {
    let by = Relation::Member(MemberPath::member("shelf"));
    let (path, member) = (MemberPath::member("shown"), "name".into());
    let rule = Follow { holder: 1, path, of: 0, by, member, told: Told::Same };
    let derived = Derived { effects: vec![EffectRule::Follow(Box::new(rule))], ..Derived::default() };
    let mut world = World::default();
    let (before, after) = (Entity::new("/shelves", "1", value(was)), Entity::new("/shelves", "1", value(is)));
    for (id, book) in [("7", r#"{"shelf":1,"shown":"attic"}"#), ("8", r#"{"shelf":2,"shown":"attic"}"#)] {
        world.set_entity(1, Entity::new("/books", id, value(book)));
    }
    let was = world.clone();
    apply_effects(&derived, &mut world, &Done::by((0, 0), Some(&before), Some(&after), &was));
    let shown = |id: &str| {
        let book = world.collection(1, "/books").and_then(|held| held.get(id)).unwrap();
        book.fields.get("shown").and_then(Value::as_str).map(str::to_owned)
    };
    assert_eq!(shown("7").as_deref(), expected);
    assert_eq!(shown("8").as_deref(), Some("attic"));
}

#[test]
fn a_text_with_a_member_of_another_entity_in_it_follows_it() {
    let made = made(&[
        ("GET /api/shelves", 200, SHELVES),
        (
            "GET /api/books",
            200,
            r#"[{"id":11,"title":"a","label":"attic: a","mark":"attic_a","shelf":{"id":1}},
                {"id":12,"title":"b","label":"cellar: b","mark":"cellar_b","shelf":{"id":2}}]"#,
        ),
        ("GET /api/shelves/1", 200, r#"{"id":1,"name":"attic"}"#),
        (r#"PATCH{"name":"Top Loft"} /api/shelves/1"#, 200, r#"{"id":1,"name":"Top Loft"}"#),
        ("GET /api/shelves/1", 200, r#"{"id":1,"name":"Top Loft"}"#),
        (
            "GET /api/books",
            200,
            r#"[{"id":11,"title":"a","label":"Top Loft: a","mark":"top-loft_a","shelf":{"id":1}},
                {"id":12,"title":"b","label":"cellar: b","mark":"cellar_b","shelf":{"id":2}}]"#,
        ),
    ]);
    let (world, _) = call(&made, &made.derived.world, "PATCH /api/shelves/2", Some(r#"{"name":"Old Vault"}"#));
    assert_eq!(
        made.answer_in(&world.unwrap(), "GET /api/books"),
        value(
            r#"[{"id":11,"title":"a","label":"attic: a","mark":"attic_a","shelf":{"id":1}},
                {"id":12,"title":"b","label":"Old Vault: b","mark":"old-vault_b","shelf":{"id":2}}]"#
        )
        .to_compact()
    );
}

#[test]
fn what_was_done_cannot_be_done_again_where_a_refusal_shows_it() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"stage":"live","name":"a"},{"id":2,"stage":"live","name":"b"}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"stage":"live","name":"a"}"#),
        ("DELETE /api/things/1", 200, "{}"),
        ("GET /api/things/1", 200, r#"{"id":1,"stage":"gone","name":"a"}"#),
        ("DELETE /api/things/1", 404, r#"{"error":"no thing"}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"stage":"gone","name":"a"}"#),
    ]);
    let (world, _) = call(&made, &made.derived.world, "DELETE /api/things/2", None);
    let (again, body) = call(&made, &world.unwrap(), "DELETE /api/things/2", None);
    assert!(again.is_none());
    assert_eq!(body, Some(value(r#"{"error":"no thing"}"#)));
}

#[test]
fn what_names_one_that_is_put_into_the_bin_is_hidden_with_it() {
    let made = made(&[
        (
            "GET /api/articles",
            200,
            r#"[{"id":1,"stage":"live","name":"a"},{"id":2,"stage":"live","name":"b"},{"id":3,"stage":"live","name":"c"}]"#,
        ),
        (
            "GET /api/remarks",
            200,
            r#"[{"id":11,"article":1,"text":"x"},{"id":12,"article":2,"text":"y"},{"id":13,"article":3,"text":"z"}]"#,
        ),
        ("GET /api/articles/1", 200, r#"{"id":1,"stage":"live","name":"a"}"#),
        ("DELETE /api/articles/1", 200, "{}"),
        ("GET /api/articles/1", 200, r#"{"id":1,"stage":"bin","name":"a"}"#),
        ("GET /api/remarks", 200, r#"[{"id":12,"article":2,"text":"y"},{"id":13,"article":3,"text":"z"}]"#),
        ("DELETE /api/articles/2", 200, "{}"),
        ("GET /api/articles/2", 200, r#"{"id":2,"stage":"bin","name":"b"}"#),
        ("GET /api/remarks", 200, r#"[{"id":13,"article":3,"text":"z"}]"#),
    ]);
    let (world, _) = call(&made, &made.derived.world, "DELETE /api/articles/3", None);
    let world = world.unwrap();
    let kind = made.derived.type_of_tool(made.tool("GET", "/api/remarks")).unwrap();
    let held = |id: &str| world.named(kind, id).next().is_some();
    assert_eq!([held("11"), held("12"), held("13")], [true, true, false]);
    // It may still be there, though no list shows it; what never was is not.
    assert!(!made.derived.knows_absent(&world, kind, Some("/api/remarks"), "13"));
    assert!(made.derived.knows_absent(&world, kind, Some("/api/remarks"), "19"));
}

/// A book that is made, or taken away, sets the clock of its shelf, too.
#[test]
fn a_clock_is_set_by_the_writes_of_what_names_its_holder() {
    const OLD: &str = "2026-03-04T09:00:00Z";
    let shelf = |id: u64, at: &str| -> &'static str {
        Box::leak(format!(r#"{{"id":{id},"name":"s{id}","changed_at":"{at}"}}"#).into_boxed_str())
    };
    let shelves = |one: &str, two: &str| -> &'static str {
        Box::leak(format!("[{},{}]", shelf(1, one), shelf(2, two)).into_boxed_str())
    };
    let (first, second, third) = ("2026-03-04T10:00:05Z", "2026-03-04T10:00:15Z", "2026-03-04T10:00:25Z");
    let made = timed(&[
        ("GET /api/shelves", 200, shelves(OLD, OLD), 0, 10),
        ("GET /api/shelves/1", 200, shelf(1, OLD), 100, 110),
        ("GET /api/shelves/2", 200, shelf(2, OLD), 200, 210),
        ("GET /api/books", 200, r#"[{"id":11,"title":"a","shelf_id":1},{"id":12,"title":"b","shelf_id":2}]"#, 300, 310),
        ("GET /api/books/11", 200, r#"{"id":11,"title":"a","shelf_id":1}"#, 400, 410),
        ("GET /api/books/12", 200, r#"{"id":12,"title":"b","shelf_id":2}"#, 500, 510),
        (r#"POST{"title":"c","shelf_id":1} /api/books"#, 201, r#"{"id":13,"title":"c","shelf_id":1}"#, 5000, 5010),
        ("GET /api/books/13", 200, r#"{"id":13,"title":"c","shelf_id":1}"#, 6000, 6010),
        ("GET /api/shelves", 200, shelves(first, OLD), 7000, 7010),
        ("GET /api/shelves/1", 200, shelf(1, first), 8000, 8010),
        (r#"POST{"title":"d","shelf_id":2} /api/books"#, 201, r#"{"id":14,"title":"d","shelf_id":2}"#, 15000, 15010),
        ("GET /api/books/14", 200, r#"{"id":14,"title":"d","shelf_id":2}"#, 16000, 16010),
        ("GET /api/shelves", 200, shelves(first, second), 17000, 17010),
        (r#"POST{"title":"e","shelf_id":1} /api/books"#, 201, r#"{"id":15,"title":"e","shelf_id":1}"#, 25000, 25010),
        ("GET /api/books/15", 200, r#"{"id":15,"title":"e","shelf_id":1}"#, 26000, 26010),
        ("GET /api/shelves", 200, shelves(third, second), 27000, 27010),
    ]);
    let sent = r#"{"title":"f","shelf_id":2}"#;
    let (world, _) = call(&made, &made.derived.world, "POST /api/books", Some(sent));
    let list = value(&made.answer_in(&world.unwrap(), "GET /api/shelves"));
    let clocks: Vec<&str> =
        list.as_array().unwrap().iter().filter_map(|shelf| shelf.get("changed_at").and_then(Value::as_str)).collect();
    assert_eq!(clocks[0], OLD);
    assert!(clocks[1] > third, "{clocks:?}");
}

/// A book's review marks it as seen; that stays when the review is taken away, and all books with reviews have it.
#[test]
fn a_mark_is_set_by_creates_and_stays() {
    let word = |seen: bool| if seen { "read" } else { "new" };
    let book = |id: usize, seen: bool| format!(r#"{{"id":{id},"title":"b{id}","state":"{}"}}"#, word(seen));
    let books = |seen: [bool; 4]| -> &'static str {
        let all: Vec<String> = seen.iter().enumerate().map(|(at, seen)| book(at + 1, *seen)).collect();
        Box::leak(format!("[{}]", all.join(",")).into_boxed_str())
    };
    let made = made(&[
        ("GET /api/books", 200, books([true, false, false, false])),
        ("GET /api/reviews", 200, r#"[{"id":11,"text":"x","book":1}]"#),
        ("GET /api/reviews/11", 200, r#"{"id":11,"text":"x","book":1}"#),
        (r#"POST{"text":"y","book":2} /api/reviews"#, 201, r#"{"id":12,"text":"y","book":2}"#),
        ("GET /api/reviews/12", 200, r#"{"id":12,"text":"y","book":2}"#),
        ("GET /api/books", 200, books([true, true, false, false])),
        (r#"POST{"text":"z","book":3} /api/reviews"#, 201, r#"{"id":13,"text":"z","book":3}"#),
        ("GET /api/reviews/13", 200, r#"{"id":13,"text":"z","book":3}"#),
        ("GET /api/books", 200, books([true, true, true, false])),
        ("DELETE /api/reviews/13", 204, ""),
        ("GET /api/reviews/13", 404, r#"{"error":"none"}"#),
        ("GET /api/books", 200, books([true, true, true, false])),
    ]);
    let (world, _) = call(&made, &made.derived.world, "POST /api/reviews", Some(r#"{"text":"w","book":4}"#));
    let world = world.unwrap();
    assert_eq!(made.answer_in(&world, "GET /api/books"), books([true, false, false, true]));
    let (world, _) = call(&made, &world, "DELETE /api/reviews/12", None);
    assert_eq!(made.answer_in(&world.unwrap(), "GET /api/books"), books([true, false, false, true]));
}

/// A flag that one write gave hides what names its target where two went with it: one may have gone for another reason.
#[rstest]
#[case::two_went(&[11, 12], true)]
#[case::one_went(&[12], false)]
fn a_flag_that_one_write_gave_hides_what_went_with_it(#[case] gone: &[u64], #[case] hides: bool) {
    let remark = |id: u64, article: u64| format!(r#"{{"id":{id},"article":{article},"text":"t{id}"}}"#);
    let remarks = |gone: &[u64]| -> &'static str {
        let all = [(11, 1), (12, 1), (13, 2)].into_iter().filter(|(id, _)| !gone.contains(id));
        let all: Vec<String> = all.map(|(id, article)| remark(id, article)).collect();
        Box::leak(format!("[{}]", all.join(",")).into_boxed_str())
    };
    let before = if gone.len() > 1 { &[][..] } else { &[11] };
    let made = made(&[
        ("GET /api/articles", 200, r#"[{"id":1,"bin":false,"name":"a"},{"id":2,"bin":false,"name":"b"}]"#),
        ("GET /api/remarks", 200, remarks(before)),
        ("GET /api/articles/1", 200, r#"{"id":1,"bin":false,"name":"a"}"#),
        ("DELETE /api/articles/1", 200, "{}"),
        ("GET /api/articles/1", 200, r#"{"id":1,"bin":true,"name":"a"}"#),
        ("GET /api/remarks", 200, remarks(&[11, 12])),
    ]);
    let hidden = made.derived.effects.iter().any(|rule| matches!(rule, EffectRule::Hide { .. }));
    assert_eq!(hidden, hides, "{:?}", made.derived.effects);
}

/// Two rooms have a shelf of the same name: what lies on the other one stays when one is taken away.
#[test]
fn what_lies_under_another_of_the_same_name_stays() {
    const SHELVES: &str = r#"[{"id":5,"name":"a"},{"id":6,"name":"b"}]"#;
    let made = made(&[
        ("GET /rooms/1/shelves", 200, SHELVES),
        ("GET /rooms/2/shelves", 200, SHELVES),
        ("GET /rooms/1/shelves/5", 200, r#"{"id":5,"name":"a"}"#),
        ("GET /rooms/1/shelves/5/books", 200, r#"[{"id":11,"title":"x"}]"#),
        ("GET /rooms/2/shelves/5/books", 200, r#"[{"id":12,"title":"y"}]"#),
        ("GET /rooms/2/shelves/6/books", 200, r#"[{"id":13,"title":"z"}]"#),
        ("GET /rooms/1/shelves/5/books/11", 200, r#"{"id":11,"title":"x"}"#),
        ("DELETE /rooms/1/shelves/5", 204, ""),
        ("GET /rooms/1/shelves/5", 404, r#"{"error":"none"}"#),
        ("GET /rooms/1/shelves", 200, r#"[{"id":6,"name":"b"}]"#),
        ("GET /rooms/1/shelves/5/books/11", 404, r#"{"error":"none"}"#),
        ("GET /rooms/2/shelves/5/books", 200, r#"[{"id":12,"title":"y"}]"#),
    ]);
    let cascades = made.derived.effects.iter().any(|rule| matches!(rule, EffectRule::Cascade { .. }));
    assert!(cascades, "{:?}", made.derived.effects);
    let kind = made.derived.type_of_tool(made.tool("GET", "/rooms/2/shelves/6/books")).unwrap();
    let (world, _) = call(&made, &made.derived.world, "DELETE /rooms/1/shelves/5", None);
    let world = world.unwrap();
    let held = ["11", "12", "13"].map(|id| world.named(kind, id).next().is_some());
    assert_eq!(held, [false, true, true]);
}

/// Books set the clock of their shelf: it is not the newest of theirs, as one that is taken away sets it, too; and one that
/// moves sets that of the shelf it moves to.
#[test]
fn a_clock_that_writes_set_is_not_the_newest_of_those_of_what_names_its_holder() {
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let at = |second: u32| format!("2026-03-04T10:00:{second:02}Z");
    let old = |hour: u32| format!("2026-03-04T0{hour}:00:00Z");
    let shelves = |clocks: [&str; 2]| {
        let all = [1, 2].map(|id| format!(r#"{{"id":{id},"name":"s{id}","changed_at":"{}"}}"#, clocks[id - 1]));
        leak(format!("[{}]", all.join(",")))
    };
    let book = |id: u32, shelf: u32, clock: &str| {
        leak(format!(r#"{{"id":{id},"title":"b{id}","shelf_id":{shelf},"changed_at":"{clock}"}}"#))
    };
    let posted = |shelf: u32, id: u32| leak(format!(r#"POST{{"title":"b{id}","shelf_id":{shelf}}} /api/books"#));
    let (one, two) = (old(1), old(2));
    let first = leak(format!("[{},{}]", book(11, 1, &one), book(12, 2, &two)));
    let made = timed(&[
        ("GET /api/shelves", 200, shelves([&one, &two]), 0, 10),
        ("GET /api/books", 200, first, 100, 110),
        ("GET /api/books/11", 200, book(11, 1, &one), 200, 210),
        (posted(1, 13), 201, book(13, 1, &at(5)), 5000, 5010),
        ("GET /api/books/13", 200, book(13, 1, &at(5)), 6000, 6010),
        ("GET /api/shelves", 200, shelves([&at(5), &two]), 7000, 7010),
        (posted(2, 14), 201, book(14, 2, &at(10)), 10000, 10010),
        ("GET /api/books/14", 200, book(14, 2, &at(10)), 11000, 11010),
        ("GET /api/shelves", 200, shelves([&at(5), &at(10)]), 12000, 12010),
        ("DELETE /api/books/13", 204, "", 15000, 15010),
        ("GET /api/books/13", 404, r#"{"error":"none"}"#, 16000, 16010),
        ("GET /api/shelves", 200, shelves([&at(15), &at(10)]), 17000, 17010),
        (r#"PATCH{"shelf_id":1} /api/books/14"#, 200, book(14, 1, &at(20)), 20000, 20010),
        ("GET /api/books/14", 200, book(14, 1, &at(20)), 21000, 21010),
        ("GET /api/shelves", 200, shelves([&at(20), &at(10)]), 22000, 22010),
        (
            r#"PATCH{"title":"x"} /api/books/12"#,
            200,
            leak(format!(r#"{{"id":12,"title":"x","shelf_id":2,"changed_at":"{}"}}"#, at(25))),
            25000,
            25010,
        ),
        ("GET /api/shelves", 200, shelves([&at(20), &at(25)]), 27000, 27010),
    ]);
    let touches = made.derived.effects.iter().filter_map(|rule| match rule {
        EffectRule::Touch(rule) => Some((rule.on, rule.left)),
        EffectRule::Gather(_) => Some(([false; 3], true)),
        _ => None,
    });
    assert_eq!(touches.collect::<Vec<_>>(), [([true; 3], false)], "{:?}", made.derived.effects);
}

/// An object inside a book shows the name of its shelf under another word.
#[test]
fn a_value_inside_a_member_follows_what_it_names() {
    let book = |id: u32, shelf: u32, label: &str| {
        format!(r#"{{"id":{id},"title":"b{id}","shelf":{{"key":{shelf},"label":"{label}"}}}}"#)
    };
    let books = |one: &str| -> &'static str {
        let all = [book(11, 1, one), book(12, 2, "cellar"), book(13, 1, one)];
        Box::leak(format!("[{}]", all.join(",")).into_boxed_str())
    };
    let made = made(&[
        ("GET /api/shelves", 200, SHELVES),
        ("GET /api/books", 200, books("attic")),
        ("GET /api/shelves/1", 200, r#"{"id":1,"name":"attic"}"#),
        (r#"PATCH{"name":"loft"} /api/shelves/1"#, 200, r#"{"id":1,"name":"loft"}"#),
        ("GET /api/shelves/1", 200, r#"{"id":1,"name":"loft"}"#),
        ("GET /api/books", 200, books("loft")),
    ]);
    let (world, _) = call(&made, &made.derived.world, "PATCH /api/shelves/1", Some(r#"{"name":"vault"}"#));
    assert_eq!(value(&made.answer_in(&world.unwrap(), "GET /api/books")), value(books("vault")));
}
