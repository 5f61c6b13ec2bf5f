//! How an entity names another: by a member, or by a segment of its collection's path. Where it does so by its path, what
//! lies above the name has to be the same: two organisations may each have a shelf of one name. Where it does so by a
//! member, and names are equal in several collections, what it says of what lies above the other. Every rule about two types
//! asks here. Knows nothing of what follows from a name.

use super::derived::Derived;
use super::line::scalar_text;
use super::path::{MemberPath, scalar_paths};
use super::slot::merged;
use super::store::{Entity, World};
use super::write_history::EntityKey;
use crate::manifest::{Segment, decode_once, split_path};
use std::borrow::Cow;
use std::sync::Arc;

/// How a child names its parent.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// By a member.
    Member(MemberPath),
    /// By a segment of its collection's path.
    Segment(usize),
}

/// What is named: its type, its collection and its identity.
pub(super) type Address<'a> = (usize, &'a str, &'a str);

/// The address of an entity's key.
pub(super) fn address((kind, home, id): &EntityKey) -> Address<'_> {
    (*kind, home, id)
}

/// The address of an entity of a type.
pub(super) fn address_of(kind: usize, entity: &Entity) -> Address<'_> {
    (kind, &entity.collection, &entity.id)
}

/// Whether an entity of a type names another.
pub(super) fn names_entity(
    derived: &Derived,
    by: &Relation,
    (child, entity): (usize, &Entity),
    (parent, home, id): Address<'_>,
) -> bool {
    says(by, entity, id)
        && may_name(derived, by, (child, &entity.collection), (parent, home))
        && says_above(derived, by, entity, (parent, home))
}

/// Whether an entity that names another by a member says nothing else of what lies above that, by the members by which those
/// say it themselves. Only asked where the name alone does not tell which one is meant.
fn says_above(derived: &Derived, by: &Relation, entity: &Entity, (parent, home): (usize, &str)) -> bool {
    let Some(kind) = derived.types.get(parent) else { return true };
    if matches!(by, Relation::Segment(_)) || !derived.world.has_equal_names(parent) {
        return true;
    }
    let above = kind.template.matches(home).unwrap_or_default();
    kind.parents.iter().zip(above).all(|(path, name)| {
        let said = path.as_ref().and_then(|path| path.direct(&entity.fields)).and_then(scalar_text);
        said.is_none_or(|said| said == decode_once(name))
    })
}

/// Whether what is in one collection may name what is in another: where it would do so by its path, whether that lies under
/// the other; where it would do so by a member and the name is not the only one, whether both lie under the same.
pub(super) fn may_name(derived: &Derived, by: &Relation, child: (usize, &str), (parent, home): (usize, &str)) -> bool {
    match by {
        Relation::Member(_) => !derived.world.has_equal_names(parent) || is_beside(derived, child, (parent, home)),
        Relation::Segment(segment) => lies_under(derived, child, *segment, (parent, home)),
    }
}

/// How an entity may name another, its path first.
pub(super) fn relations(
    derived: &Derived,
    (child, entity): (usize, &Entity),
    (parent, home, id): Address<'_>,
) -> Vec<Relation> {
    let all = merged(entity);
    let segments = split_path(&entity.collection).len();
    let segments = (0..segments).map(Relation::Segment);
    let members = scalar_paths(std::iter::once(&all)).into_iter().map(Relation::Member);
    let names = |by: &Relation| match by {
        Relation::Member(path) if !derived.world.has_equal_names(parent) => holds(path, &all, id),
        _ => names_entity(derived, by, (child, entity), (parent, home, id)),
    };
    segments.chain(members).filter(names).collect()
}

/// The identities that an entity names: where it does so by its path, of what lies above it.
pub(super) fn named_ids(by: &Relation, entity: &Entity) -> Vec<String> {
    match by {
        Relation::Member(path) => {
            let all = merged(entity);
            let mut texts = Vec::new();
            path.visit(&all, &mut |scalar| {
                texts.extend(scalar_text(scalar).filter(|_| !scalar.is_null()));
                true
            });
            texts
        }
        Relation::Segment(index) => {
            let segments = split_path(&entity.collection);
            segments.get(*index).map(|segment| decode_once(segment).into_owned()).into_iter().collect()
        }
    }
}

/// The held entities of a type that an entity names, each once.
pub(super) fn named_entities(
    derived: &Derived,
    world: &World,
    by: &Relation,
    (child, entity): (usize, &Entity),
    parent: usize,
) -> Vec<Arc<Entity>> {
    let mut found: Vec<Arc<Entity>> = Vec::new();
    for id in named_ids(by, entity) {
        for held in world.named(parent, &id) {
            let may = || {
                may_name(derived, by, (child, &entity.collection), (parent, &held.collection))
                    && says_above(derived, by, entity, (parent, &held.collection))
            };
            if !found.iter().any(|other| Arc::ptr_eq(other, held)) && may() {
                found.push(Arc::clone(held));
            }
        }
    }
    found
}

/// Whether an entity says an identity where a relation says it.
fn says(by: &Relation, entity: &Entity, id: &str) -> bool {
    match by {
        Relation::Member(path) => holds(path, &merged(entity), id),
        Relation::Segment(index) => has_name(&entity.collection, *index, id),
    }
}

fn holds(path: &MemberPath, all: &crate::json::Value, id: &str) -> bool {
    let mut found = false;
    path.visit(all, &mut |scalar| {
        found = scalar_text(scalar).as_deref() == Some(id);
        !found
    });
    found
}

/// Whether a path has a name at a segment.
pub(super) fn has_name(path: &str, segment: usize, name: &str) -> bool {
    split_path(path).get(segment).is_some_and(|part| decode_once(part) == name)
}

/// Whether a path has before a segment what the collection of what that names has: where both have any names there.
pub(super) fn lies_under(
    derived: &Derived,
    (child, path): (usize, &str),
    segment: usize,
    (parent, home): (usize, &str),
) -> bool {
    let (above, other) = (names_in(derived, child, path, segment), names_in(derived, parent, home, usize::MAX));
    above.is_empty() || other.is_empty() || above == other
}

/// Whether two collections lie under the same, as far as their paths have the same shape.
fn is_beside(derived: &Derived, (child, path): (usize, &str), (parent, home): (usize, &str)) -> bool {
    let segments = |kind: usize| derived.types.get(kind).map(|kind| kind.template.segments.as_slice());
    let shapes = segments(child).unwrap_or_default().iter().zip(segments(parent).unwrap_or_default());
    let names = split_path(path).into_iter().zip(split_path(home));
    let is_open = |segment: &Segment| !matches!(segment, Segment::Literal(_));
    let alike = shapes
        .zip(names)
        .take_while(|((one, other), (name, of))| is_open(one) == is_open(other) && (is_open(one) || name == of));
    alike.filter(|((one, _), _)| is_open(one)).all(|(_, (name, of))| decode_once(name) == decode_once(of))
}

/// The segments of a path before one of them that are not the same for all of its type.
fn names_in<'p>(derived: &Derived, kind: usize, path: &'p str, before: usize) -> Vec<Cow<'p, str>> {
    let template = derived.types.get(kind).map(|kind| kind.template.segments.as_slice()).unwrap_or_default();
    let parts = template.iter().zip(split_path(path)).take(before);
    parts.filter(|(part, _)| !matches!(part, Segment::Literal(_))).map(|(_, text)| decode_once(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::clock_format::ClockFormat;
    use super::super::effect::{Done, EffectRule, apply_effects};
    use super::super::effect_follow::{Follow, Sets, Touch, touch};
    use super::super::effect_gather::{Gather, GatherOrder, Gathered};
    use super::super::effect_listed::{Listed, Then};
    use super::super::effect_told::Told;
    use super::super::slot::Slot;
    use super::super::types::EntityType;
    use super::super::write_maker::LiveMaker;
    use super::*;
    use crate::json::Value;
    use crate::manifest::{Template, TemplateRule};

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    fn slot(name: &str) -> Slot {
        Slot { name: name.into(), source: None }
    }

    /// Shelves of organisations, and books on them.
    fn types() -> Vec<EntityType> {
        let segment = |part: &str| match part.starts_with('{') {
            true => Segment::Rule(TemplateRule::PrefixVariance),
            false => Segment::Literal(part.to_owned()),
        };
        let kind = |template: &str| EntityType {
            collection_template: template.to_owned(),
            template: Template { segments: split_path(template).into_iter().map(segment).collect() },
            identity: MemberPath::member("name"),
            inner_identity: None,
            parents: Vec::new(),
            representations: Vec::new(),
            made: Vec::new(),
        };
        vec![kind("/orgs/{org}/shelves"), kind("/orgs/{org}/shelves/{shelf}/books")]
    }

    /// Two organisations with a shelf of one name, and a book of one name on each.
    fn world() -> World {
        let mut world = World::default();
        for org in ["a", "b"] {
            let shelf = r#"{"label":"old","books":1,"at":"2026-01-01T00:00:00Z","best":[{"book":"1","for":"x"}]}"#;
            world.set_entity(0, Entity::new(&format!("/orgs/{org}/shelves"), "s", value(shelf)));
            let book = r#"{"label":"old"}"#;
            world.set_entity(1, Entity::new(&format!("/orgs/{org}/shelves/s/books"), "1", value(book)));
        }
        world
    }

    fn derived(rule: EffectRule) -> Derived {
        Derived { types: types(), effects: vec![rule], write_clock: Some(1_800_000_000), ..Derived::default() }
    }

    fn by() -> Relation {
        Relation::Segment(3)
    }

    /// The entities of an organisation.
    fn shown(world: &World, org: &str) -> Vec<String> {
        let held = (0..2).flat_map(|kind| world.collections(kind));
        let held = held.filter(|(path, _)| path.starts_with(&format!("/orgs/{org}/")));
        held.flat_map(|(_, held)| held.iter()).map(|entity| entity.fields.to_compact()).collect()
    }

    /// An entity before a write and after it.
    type Written = (Option<Arc<Entity>>, Option<Entity>);

    /// What a write of one organisation leaves of it, and that it leaves the other as it is.
    fn after(rule: EffectRule, kind: usize, change: &dyn Fn(&mut World) -> Written) -> String {
        let (derived, was) = (derived(rule), world());
        let mut world = was.clone();
        let (before, after) = change(&mut world);
        let done = Done::by((0, kind), before.as_deref(), after.as_ref(), &was);
        apply_effects(&derived, &mut world, &done);
        touch(&derived, &mut world, &done, &mut LiveMaker::new(&derived, &was, ("state", "tool")));
        assert_eq!(shown(&world, "b"), shown(&was, "b"));
        shown(&world, "a").join("\n")
    }

    fn book_is_removed(world: &mut World) -> (Option<Arc<Entity>>, Option<Entity>) {
        (world.remove_entity(1, "/orgs/a/shelves/s/books", "1"), None)
    }

    fn book_is_made(world: &mut World) -> (Option<Arc<Entity>>, Option<Entity>) {
        let book = Entity::new("/orgs/a/shelves/s/books", "2", value("{}"));
        world.set_entity(1, book.clone());
        (None, Some(book))
    }

    fn shelf_changes(world: &mut World) -> (Option<Arc<Entity>>, Option<Entity>) {
        let before = world.collection(0, "/orgs/a/shelves").and_then(|held| held.get("s")).cloned();
        let shelf = r#"{"label":"new","books":1,"at":"2026-01-01T00:00:00Z","best":[{"book":"1","for":"y"}]}"#;
        let after = Entity::new("/orgs/a/shelves", "s", value(shelf));
        world.set_entity(0, after.clone());
        (before, Some(after))
    }

    #[test]
    fn an_equal_name_elsewhere_is_another() {
        let gather = Gather {
            holder: 0,
            path: MemberPath::member("books"),
            of: 1,
            by: by(),
            only: None,
            made: Gathered::Number,
            order: GatherOrder::Held,
            empty: None,
        };
        let gather = || EffectRule::Gather(Box::new(gather.clone()));
        assert!(after(gather(), 1, &book_is_made).contains(r#""books":2"#));
        assert!(after(gather(), 1, &book_is_removed).contains(r#""books":0"#));
        let cascade = EffectRule::Cascade { parent: 0, child: 1, by: by() };
        let shelf_is_removed = |world: &mut World| (world.remove_entity(0, "/orgs/a/shelves", "s"), None);
        assert_eq!(after(cascade, 0, &shelf_is_removed), "");
        let (path, member) = (MemberPath::member("label"), Box::from("label"));
        let follow = Follow { holder: 1, path, of: 0, by: by(), member, told: Told::Same };
        let left = after(EffectRule::Follow(Box::new(follow)), 0, &shelf_changes);
        assert_eq!(left.matches(r#""label":"new""#).count(), 2);
        let sets = Sets::Clock(ClockFormat::of(&Value::from("2026-01-01T00:00:00Z")).unwrap());
        let touch = Touch { holder: 0, slot: slot("at"), of: 1, by: by(), on: [true; 3], left: true, sets };
        assert!(!after(EffectRule::Touch(Box::new(touch)), 1, &book_is_made).contains("2026-01-01"));
        let listed = |then: Then| {
            let key = Box::from("book");
            EffectRule::Listed(Box::new(Listed { holder: 0, list: slot("best"), of: 1, by: by(), key, then }))
        };
        let left = after(listed(Then::Leave(Some(Some(Value::Array(Vec::new()))))), 1, &book_is_removed);
        assert!(left.contains(r#""best":[]"#));
        let left = after(listed(Then::Show(slot("best"), "for".into())), 0, &shelf_changes);
        assert!(left.contains(r#""best":["y"]"#));
    }

    /// Two organisations each have a shelf of one name, and books that name theirs by a member: by where they are, or by what
    /// they say of their organisation.
    #[test]
    fn an_equal_name_in_a_member_is_of_what_is_beside_it() {
        let segment = |part: &str| match part.starts_with('{') {
            true => Segment::Rule(TemplateRule::PrefixVariance),
            false => Segment::Literal(part.to_owned()),
        };
        let mut kinds = types();
        kinds[0].parents = vec![Some(MemberPath::member("org"))];
        for (kind, template) in kinds.iter_mut().skip(1).zip(["/orgs/{org}/books"]) {
            kind.template = Template { segments: split_path(template).into_iter().map(segment).collect() };
        }
        let mut flat = kinds[1].clone();
        flat.template = Template { segments: split_path("/loans").into_iter().map(segment).collect() };
        kinds.push(flat);
        let by = || Relation::Member(MemberPath::member("shelf"));
        let mut world = World::default();
        for org in ["a", "b"] {
            let shelf = format!(r#"{{"org":"{org}","name":"s"}}"#);
            world.set_entity(0, Entity::new(&format!("/orgs/{org}/shelves"), "s", value(&shelf)));
            world.set_entity(1, Entity::new(&format!("/orgs/{org}/books"), "1", value(r#"{"shelf":"s"}"#)));
            let loan = format!(r#"{{"org":"{org}","shelf":"s"}}"#);
            world.set_entity(2, Entity::new("/loans", org, value(&loan)));
        }
        let effects = (1..3).map(|child| EffectRule::Cascade { parent: 0, child, by: by() }).collect();
        let derived = Derived { types: kinds, effects, world: world.clone(), ..Derived::default() };
        let was = world.clone();
        let shelf = world.remove_entity(0, "/orgs/a/shelves", "s");
        apply_effects(&derived, &mut world, &Done::by((0, 0), shelf.as_deref(), None, &was));
        let left = |kind: usize, world: &World| {
            let held = world.in_order(kind).into_iter();
            held.map(|entity| format!("{}/{}", entity.collection, entity.id)).collect::<Vec<_>>()
        };
        assert_eq!(left(1, &world), ["/orgs/b/books/1"]);
        assert_eq!(left(2, &world), ["/loans/b"]);
        let book = was.collection(1, "/orgs/a/books").and_then(|held| held.get("1")).unwrap();
        assert_eq!(named_entities(&derived, &was, &by(), (1, book), 0).len(), 1);
    }

    #[test]
    fn how_one_names_another() {
        let derived = derived(EffectRule::Cascade { parent: 0, child: 1, by: by() });
        let book = Entity::new("/orgs/a/shelves/s%20t/books", "1", value(r#"{"on":{"shelf":"s t"},"page":1}"#));
        let found = relations(&derived, (1, &book), (0, "/orgs/a/shelves", "s t"));
        let path = MemberPath(["on", "shelf"].map(|name| super::super::path::Step::Member(name.into())).to_vec());
        assert_eq!(found, [Relation::Segment(3), Relation::Member(path.clone())]);
        let found = relations(&derived, (1, &book), (0, "/orgs/b/shelves", "s t"));
        assert_eq!(found, [Relation::Member(path.clone())]);
        assert_eq!(named_ids(&by(), &book), ["s t"]);
        assert_eq!(named_ids(&Relation::Member(path), &book), ["s t"]);
    }
}
