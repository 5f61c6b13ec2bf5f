//! Effects of effects: what is made of what a write's effect changed changes with it, and through how many effects.

use super::recording::{made, value};
use crate::json::Value;
use crate::state::derived::Derived;
use crate::state::effect::{Done, EffectRule, Gone, apply_effects};
use crate::state::effect_gather::{Gather, GatherOrder, Gathered};
use crate::state::effect_relation::Relation;
use crate::state::path::{MemberPath, Step};
use crate::state::{Entity, World};
use rstest::rstest;

const BOOKS: usize = 0;
const SHELVES: usize = 1;
const ROOMS: usize = 2;

/// The number of a shelf's books.
fn books_of_shelves() -> EffectRule {
    let (path, member) = (MemberPath::member("books"), MemberPath::member("shelf"));
    EffectRule::Count { holder: SHELVES, path, of: BOOKS, member, only: None }
}

fn made_of(of: usize, by: &str, made: Gathered) -> EffectRule {
    EffectRule::Gather(Box::new(Gather {
        holder: of + 1,
        path: MemberPath::member("shown"),
        of,
        by: Relation::Member(MemberPath::member(by)),
        only: None,
        made,
        order: GatherOrder::Held,
        empty: None,
    }))
}

fn sum_of_rooms() -> EffectRule {
    made_of(SHELVES, "room", Gathered::Sum(MemberPath::member("books")))
}

fn full_shelves_of_rooms() -> EffectRule {
    let only = Some((MemberPath::member("books"), value("2")));
    let (path, member) = (MemberPath::member("shown"), MemberPath::member("room"));
    EffectRule::Count { holder: ROOMS, path, of: SHELVES, member, only }
}

fn shelf_in_rooms() -> EffectRule {
    EffectRule::Copy {
        holder: ROOMS,
        path: MemberPath::member("shown"),
        of: SHELVES,
        key: "id".into(),
        names: vec!["books".into()],
        gone: Gone::Keep,
    }
}

fn entity(collection: &str, text: &str) -> Entity {
    Entity::new(collection, "7", value(text))
}

/// The world after a book has come to shelf 7, which held one.
fn with_one_more(derived: &Derived, mut world: World) -> World {
    world.set_entity(BOOKS, Entity::new("/books", "1", value(r#"{"id":1,"shelf":7}"#)));
    world.set_entity(SHELVES, entity("/shelves", r#"{"id":7,"books":1,"room":7}"#));
    let was = world.clone();
    let book = Entity::new("/books", "2", value(r#"{"id":2,"shelf":7}"#));
    world.set_entity(BOOKS, book.clone());
    let done = Done::by((0, BOOKS), None, Some(&book), &was);
    apply_effects(derived, &mut world, &done);
    let shelf = world.collection(SHELVES, "/shelves").unwrap().get("7").unwrap();
    assert_eq!(shelf.fields.get("books").map(Value::to_compact).as_deref(), Some("2"));
    world
}

fn shown(world: &World, kind: usize, collection: &str) -> String {
    let held = world.collection(kind, collection).unwrap().get("7").unwrap();
    held.fields.get("shown").unwrap().to_compact()
}

#[rstest]
#[case::sum(sum_of_rooms(), "1", "2")]
#[case::sum_of_more_than_is_held(sum_of_rooms(), "11", "11")]
#[case::count(full_shelves_of_rooms(), "0", "1")]
#[case::copy(shelf_in_rooms(), r#"{"id":7,"books":1}"#, r#"{"id":7,"books":2}"#)]
fn what_is_made_of_a_count_follows_it(#[case] rule: EffectRule, #[case] before: &str, #[case] after: &str) {
    let derived = Derived { effects: vec![books_of_shelves(), rule], ..Derived::default() };
    let mut world = World::default();
    world.set_entity(ROOMS, entity("/rooms", &format!(r#"{{"id":7,"shown":{before}}}"#)));
    assert_eq!(shown(&with_one_more(&derived, world), ROOMS, "/rooms"), after);
}

/// Rooms, floors, houses and streets sum up what the ones below show: three effects of an effect are followed, no more.
#[test]
fn effects_of_effects_end() {
    let mut effects = vec![books_of_shelves(), sum_of_rooms()];
    effects.extend((ROOMS..5).map(|of| made_of(of, "up", Gathered::Sum(MemberPath::member("shown")))));
    let derived = Derived { effects, ..Derived::default() };
    let places = [(2, "/rooms"), (3, "/floors"), (4, "/houses"), (5, "/streets")];
    let mut world = World::default();
    for (kind, collection) in places {
        world.set_entity(kind, entity(collection, r#"{"id":7,"shown":1,"up":7}"#));
    }
    let world = with_one_more(&derived, world);
    assert_eq!(places.map(|(kind, collection)| shown(&world, kind, collection)), ["2", "2", "2", "1"]);
}

/// Shelves that count their books on loan, where what all books of each show would do as well: one rule is followed, and
/// what tells the counted ones apart may be seen in the books of other shelves alone.
#[test]
fn a_number_follows_one_of_the_rules_that_explain_it() {
    let book = |id: u32, out: bool, on: &str| format!(r#"{{"id":{id},"out":{out},"on":{on}}}"#);
    let first = [book(1, true, "[1]"), book(2, false, "[1]"), book(3, true, "[2]"), book(4, true, "[1,2]")];
    let shelves = |one: u32, two: u32| -> &'static str {
        format!(r#"[{{"id":1,"n":{one}}},{{"id":2,"n":{two}}},{{"id":3,"n":0}}]"#).leak()
    };
    let leak = |text: String| -> &'static str { text.leak() };
    let made = made(&[
        ("GET /shelves", 200, shelves(2, 2)),
        ("GET /books", 200, leak(format!("[{}]", first.join(",")))),
        ("GET /books/1", 200, leak(first[0].clone())),
        (r#"POST{"out":true,"on":[2]} /books"#, 201, leak(book(5, true, "[2]"))),
        ("GET /books/5", 200, leak(book(5, true, "[2]"))),
        ("GET /shelves", 200, shelves(2, 3)),
        (r#"POST{"out":true,"on":[1,2]} /books"#, 201, leak(book(6, true, "[1,2]"))),
        ("GET /books/6", 200, leak(book(6, true, "[1,2]"))),
        ("GET /shelves", 200, shelves(3, 4)),
        (r#"POST{"out":false,"on":[2]} /books"#, 201, leak(book(7, false, "[2]"))),
        ("GET /books/7", 200, leak(book(7, false, "[2]"))),
        ("GET /shelves", 200, shelves(3, 4)),
    ]);
    let counts =
        made.derived.effects.iter().filter(|rule| matches!(rule, EffectRule::Count { .. } | EffectRule::Gather(_)));
    assert_eq!(counts.count(), 1, "{:?}", made.derived.effects);
    let write = |world: &World, text: &str| made.after(world, "POST /books", text);
    let world = write(&made.derived.world, r#"{"out":true,"on":[2]}"#);
    assert_eq!(made.answer_in(&world, "GET /shelves"), shelves(2, 3));
    let world = write(&world, r#"{"out":false,"on":[1]}"#);
    assert_eq!(made.answer_in(&world, "GET /shelves"), shelves(2, 3));
}

/// What is removed leaves the lists that name it; one that is empty then is another one, and counts follow.
#[rstest]
#[case::others_stay("[7,8]", "[8]", "1")]
#[case::none_stays("[7]", "[1]", "2")]
fn an_empty_list_is_another_one(#[case] before: &str, #[case] after: &str, #[case] counted: &str) {
    let path = MemberPath(vec![Step::Member("on".into()), Step::Each]);
    let gone = Gone::RemoveElse(value("[1]"));
    let count = EffectRule::Count {
        holder: SHELVES,
        path: MemberPath::member("books"),
        of: BOOKS,
        member: path.clone(),
        only: None,
    };
    let reference = EffectRule::Reference { holder: BOOKS, path, of: SHELVES, gone, also: Vec::new() };
    let derived = Derived { effects: vec![count, reference], ..Derived::default() };
    let mut world = World::default();
    world.set_entity(BOOKS, Entity::new("/books", "7", value(&format!(r#"{{"id":7,"on":{before}}}"#))));
    world.set_entity(SHELVES, Entity::new("/shelves", "1", value(r#"{"id":1,"books":1}"#)));
    let removed = entity("/shelves", r#"{"id":7,"books":1}"#);
    let was = world.clone();
    apply_effects(&derived, &mut world, &Done::by((0, SHELVES), Some(&removed), None, &was));
    let held = |kind: usize, at: &str, id: &str, name: &str| {
        world.collection(kind, at).unwrap().get(id).unwrap().fields.get(name).unwrap().to_compact()
    };
    assert_eq!(held(BOOKS, "/books", "7", "on"), after);
    assert_eq!(held(SHELVES, "/shelves", "1", "books"), counted);
}

/// A number that cannot be counted further stays what it is.
#[test]
fn a_count_that_no_number_holds_is_left() {
    let derived = Derived { effects: vec![books_of_shelves()], ..Derived::default() };
    let mut world = World::default();
    world.set_entity(SHELVES, entity("/shelves", r#"{"books":9223372036854775807}"#));
    let was = world.clone();
    let book = Entity::new("/books", "2", value(r#"{"shelf":7}"#));
    apply_effects(&derived, &mut world, &Done::by((0, BOOKS), None, Some(&book), &was));
    let shelf = world.named(SHELVES, "7").next().unwrap();
    assert_eq!(shelf.fields.to_compact(), r#"{"books":9223372036854775807}"#);
}
