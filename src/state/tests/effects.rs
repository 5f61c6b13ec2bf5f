//! Effects of effects: what is made of what a write's effect changed changes with it, and through how many effects.

use super::recording::value;
use crate::json::Value;
use crate::state::derived::Derived;
use crate::state::effect::{Done, EffectRule, Gone, Relation, apply_effects};
use crate::state::effect_gather::{Gather, Gathered};
use crate::state::path::MemberPath;
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
        reversed: false,
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
