//! The store: persistent collections of entities and documents. A world is a cheap value: cloning is a fork, assigning
//! is a reset, and a changed world shares everything that did not change.

use super::limits::MAX_REMOVED;
use super::memo::Memo;
use super::population::{Collection, Population};
use crate::json::{Object, Value};
use imbl::{HashMap, OrdMap};
use std::sync::Arc;

/// One held entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// The concrete collection path it lives in.
    pub collection: Arc<str>,
    /// Its identity as text.
    pub id: Arc<str>,
    /// Stored fields, in the order of the richest observation.
    pub fields: Arc<Value>,
    /// View fields by representation name: members that only that representation shows, or spells its own way.
    pub view_fields: Vec<(usize, Arc<Object>)>,
    /// Representations that showed it: where one of them leaves a member out, the entity has none.
    pub shown_in: Arc<[usize]>,
    /// Ordinals of the records that showed it.
    pub record_ordinals: Arc<[usize]>,
    /// Whether a write or a loaded document made it: no record showed it, under whatever name.
    pub made: bool,
    /// What was worked out from the members above.
    pub memo: Memo,
}

impl Entity {
    /// Whether the other entity has the same values, whatever records they are from.
    pub fn same_values(&self, other: &Entity) -> bool {
        self.fields.same_as(&other.fields)
            && self.shown_in == other.shown_in
            && self.view_fields.len() == other.view_fields.len()
            && self
                .view_fields
                .iter()
                .zip(&other.view_fields)
                .all(|((way, fields), (other, given))| way == other && fields.same_as(given))
    }

    /// An entity that no record showed.
    pub fn new(collection: &str, id: &str, fields: Value) -> Self {
        Self {
            collection: collection.into(),
            id: id.into(),
            fields: Arc::new(fields),
            view_fields: Vec::new(),
            shown_in: Arc::new([]),
            record_ordinals: Arc::new([]),
            made: true,
            memo: Memo::default(),
        }
    }

    /// The view fields of a representation.
    pub fn view(&self, representation: usize) -> Option<&Object> {
        self.view_fields.iter().find(|(held, _)| *held == representation).map(|(_, fields)| fields.as_ref())
    }

    /// What it holds of a member: a representation's own value, or for `None` a stored field.
    pub fn held(&self, source: Option<usize>, name: &str) -> Option<&Value> {
        match source {
            None => self.fields.get(name),
            Some(way) => self.view(way).and_then(|fields| fields.get(name)),
        }
    }
}

/// A document's present value.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The value.
    pub value: Arc<Value>,
    /// The record it was read from; `None` for a loaded value.
    pub record_ordinal: Option<usize>,
}

/// What a world holds.
#[derive(Clone, Debug, Default)]
struct Held {
    types: OrdMap<usize, Population>,
    documents: OrdMap<(usize, Arc<str>), Document>,
    made: Made,
}

/// What served writes made since the last reset.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// How many writes were served.
    pub writes: u64,
    /// The largest number of a sequence that was held or generated, by type and collection (or none).
    pub sequences: HashMap<(usize, Arc<str>), i64>,
    /// Bytes that new collections are accounted with.
    pub history: usize,
}

/// The live world of a session.
#[derive(Clone, Debug, Default)]
pub struct World {
    held: Arc<Held>,
}

impl World {
    /// The collection of a type at a path, when one is known (it may be empty).
    pub fn collection(&self, entity_type: usize, path: &str) -> Option<&Collection> {
        self.population(entity_type)?.collections.get(path)
    }

    /// The collections of a type with their paths, in path order.
    pub fn collections(&self, entity_type: usize) -> impl Iterator<Item = (&str, &Collection)> {
        let population = self.population(entity_type).into_iter();
        population.flat_map(|held| held.collections.iter().map(|(path, collection)| (path.as_ref(), collection)))
    }

    /// The entities of a type, whatever their collection, in state order.
    pub fn in_order(&self, entity_type: usize) -> Vec<&Arc<Entity>> {
        self.population(entity_type).map(Population::in_order).unwrap_or_default()
    }

    /// The entities of a type with an identity, by the path of their collection.
    pub fn named(&self, entity_type: usize, id: &str) -> impl DoubleEndedIterator<Item = &Arc<Entity>> {
        let population = self.population(entity_type);
        let homes = population.and_then(|held| held.homes.get(id)).map(AsRef::as_ref).unwrap_or_default();
        homes.iter().filter_map(move |path| population?.collections.get(path)?.get(id))
    }

    /// Whether several collections of a type hold entities of one identity.
    pub fn has_equal_names(&self, entity_type: usize) -> bool {
        self.population(entity_type).is_some_and(|held| held.shared > 0)
    }

    /// What is held of a type.
    pub(super) fn population(&self, entity_type: usize) -> Option<&Population> {
        self.held.types.get(&entity_type)
    }

    /// Whether an entity was removed and is not there again.
    pub fn was_removed(&self, entity_type: usize, collection: &str, id: &str) -> bool {
        let removed = self.population(entity_type).map(|held| &held.removed).filter(|removed| !removed.is_empty());
        removed.is_some_and(|removed| removed.contains(&(Arc::from(collection), Arc::from(id))))
    }

    /// Whether an entity with an identity was removed, from whichever collection.
    pub fn removed_named(&self, entity_type: usize, id: &str) -> bool {
        self.removed(entity_type).any(|(_, removed)| removed.as_ref() == id)
    }

    /// What was removed of a type, by collection and identity.
    pub fn removed(&self, entity_type: usize) -> impl Iterator<Item = (&Arc<str>, &Arc<str>)> {
        self.population(entity_type).into_iter().flat_map(|held| held.removed.iter().map(|(path, id)| (path, id)))
    }

    /// Notes that an entity which is not held was removed; so many are remembered and no more.
    pub fn note_removed(&mut self, entity_type: usize, collection: Arc<str>, id: Arc<str>) {
        let held = Arc::make_mut(&mut self.held).types.entry(entity_type).or_default();
        if held.removed.len() < MAX_REMOVED {
            held.removed.insert((collection, id));
        }
    }

    /// Where the collection at a path was at the start.
    pub fn origin<'w>(&'w self, entity_type: usize, path: &'w str) -> &'w str {
        self.population(entity_type).and_then(|held| held.moved.get(path)).map_or(path, AsRef::as_ref)
    }

    /// Notes that a collection which is known is at another path now; its entities move one by one.
    pub fn note_moved(&mut self, entity_type: usize, from: &str, to: &str) {
        let held = Arc::make_mut(&mut self.held).types.entry(entity_type).or_default();
        let origin = held.moved.remove(from).unwrap_or_else(|| Arc::from(from));
        held.collections.entry(Arc::from(to)).or_default();
        if *origin != *to {
            held.moved.insert(Arc::from(to), origin);
        }
    }

    /// The collections of a type that moved, each with where it was at the start.
    pub fn moved(&self, entity_type: usize) -> impl Iterator<Item = (&str, &str)> {
        let population = self.population(entity_type).into_iter();
        population.flat_map(|held| held.moved.iter().map(|(path, origin)| (path.as_ref(), origin.as_ref())))
    }

    /// Makes a collection known that was at another path at the start.
    pub fn set_origin(&mut self, entity_type: usize, path: &str, origin: &str) {
        self.ensure_collection(entity_type, path);
        if origin != path {
            let held = Arc::make_mut(&mut self.held).types.entry(entity_type).or_default();
            held.moved.insert(Arc::from(path), Arc::from(origin));
        }
    }

    /// Whether what holds a collection was made anew.
    pub fn is_anew(&self, entity_type: usize, path: &str) -> bool {
        self.population(entity_type).is_some_and(|held| held.anew.contains(path))
    }

    /// Notes that what holds a collection was made anew.
    pub fn note_anew(&mut self, entity_type: usize, path: &str) {
        self.ensure_collection(entity_type, path);
        Arc::make_mut(&mut self.held).types.entry(entity_type).or_default().anew.insert(Arc::from(path));
    }

    /// Forgets of collections that what holds them was made anew.
    pub fn forget_anew(&mut self, entity_type: usize, gone: impl Fn(&str) -> bool) {
        let anew = self.population(entity_type).map(|held| &held.anew);
        let left: Vec<Arc<str>> = anew.into_iter().flatten().filter(|path| gone(path)).cloned().collect();
        for path in left {
            Arc::make_mut(&mut self.held).types.entry(entity_type).or_default().anew.remove(&path);
        }
    }

    /// Makes a collection known, empty when it was not.
    pub fn ensure_collection(&mut self, entity_type: usize, path: &str) {
        if self.collection(entity_type, path).is_none() {
            let held = Arc::make_mut(&mut self.held);
            held.types.entry(entity_type).or_default().collections.insert(path.into(), Collection::default());
        }
    }

    /// Whether new entities of a type come before all others.
    pub(super) fn newest_first(&self, entity_type: usize) -> bool {
        self.population(entity_type).is_some_and(|held| held.newest_first)
    }

    /// Says where new entities of a type come from now on: before all others, or after them.
    pub(super) fn place_new(&mut self, entity_type: usize, first: bool) {
        if self.newest_first(entity_type) != first {
            Arc::make_mut(&mut self.held).types.entry(entity_type).or_default().newest_first = first;
        }
    }

    /// Sets an entity in its collection: in place when it is held there, where new ones of its type come otherwise.
    pub fn set_entity(&mut self, entity_type: usize, entity: Entity) {
        self.set_shared(entity_type, Arc::new(entity));
    }

    /// As [`World::set_entity`], for one that another world holds, too.
    pub fn set_shared(&mut self, entity_type: usize, entity: Arc<Entity>) {
        Arc::make_mut(&mut self.held).types.entry(entity_type).or_default().set(entity);
    }

    /// Sets an entity in the place of the one that was at another collection or had another id, which is absent from then
    /// on.
    pub fn move_entity(&mut self, entity_type: usize, (path, id): (&Arc<str>, &Arc<str>), entity: Entity) {
        let gone = (entity.id != *id || entity.collection != *path).then(|| (path.clone(), id.clone()));
        let held = Arc::make_mut(&mut self.held).types.entry(entity_type).or_default();
        held.rename((path, id), Arc::new(entity));
        if let Some((path, id)) = gone {
            self.note_removed(entity_type, path, id);
        }
    }

    /// Sets an entity in the place of the one of its collection that had another id, which is absent from then on.
    pub fn rename_entity(&mut self, entity_type: usize, old: &str, entity: Entity) {
        let path = entity.collection.clone();
        self.move_entity(entity_type, (&path, &Arc::from(old)), entity);
    }

    /// Removes an entity: from then on it is known to be absent.
    pub fn remove_entity(&mut self, entity_type: usize, collection: &str, id: &str) -> Option<Arc<Entity>> {
        let removed = self.drop_entity(entity_type, collection, id)?;
        self.note_removed(entity_type, removed.collection.clone(), removed.id.clone());
        Some(removed)
    }

    /// Takes an entity out: whether it exists is not known from then on.
    pub fn drop_entity(&mut self, entity_type: usize, collection: &str, id: &str) -> Option<Arc<Entity>> {
        self.collection(entity_type, collection)?.get(id)?;
        Arc::make_mut(&mut self.held).types.get_mut(&entity_type)?.remove(collection, id)
    }

    /// The world with its collections known and empty, and no document. All else is as it is here.
    #[must_use]
    pub fn emptied(&self) -> Self {
        let types = self.held.types.iter().map(|(kind, held)| (*kind, held.emptied())).collect();
        let held = Held { types, documents: OrdMap::new(), made: self.held.made.clone() };
        Self { held: Arc::new(held) }
    }

    /// Whether this is the other world itself, or an unchanged fork of it.
    pub fn is_fork_of(&self, other: &World) -> bool {
        Arc::ptr_eq(&self.held, &other.held)
    }

    /// What tells this version of the world from all others that are held.
    pub(super) fn version(&self) -> usize {
        Arc::as_ptr(&self.held).addr()
    }

    /// A document of a tool at a path.
    pub fn document(&self, tool: usize, path: &str) -> Option<&Document> {
        self.held.documents.get(&(tool, Arc::from(path)))
    }

    /// The documents of a tool at a path, each with the query that follows the path in its key (from `?` on, or nothing).
    pub fn documents_at<'w>(&'w self, tool: usize, path: &'w str) -> impl Iterator<Item = (&'w str, &'w Document)> {
        let from = self.held.documents.range((tool, Arc::from(path))..);
        from.take_while(move |((held, key), _)| *held == tool && key.starts_with(path)).filter_map(
            move |((_, key), held)| {
                let line = &key[path.len()..];
                (line.is_empty() || line.starts_with('?')).then_some((line, held))
            },
        )
    }

    /// All documents, by tool and path.
    pub fn documents(&self) -> impl Iterator<Item = (usize, &str, &Document)> {
        self.held.documents.iter().map(|((tool, path), document)| (*tool, path.as_ref(), document))
    }

    /// What served writes made.
    pub fn made(&self) -> &Made {
        &self.held.made
    }

    /// What served writes made, to change.
    pub fn made_mut(&mut self) -> &mut Made {
        &mut Arc::make_mut(&mut self.held).made
    }

    /// Takes a document out: what it is now is not known.
    pub fn remove_document(&mut self, tool: usize, path: &str) -> Option<Document> {
        let key = (tool, Arc::from(path));
        self.held.documents.get(&key)?;
        Arc::make_mut(&mut self.held).documents.remove(&key)
    }

    /// Sets a document.
    pub fn set_document(&mut self, tool: usize, path: &str, document: Document) {
        Arc::make_mut(&mut self.held).documents.insert((tool, Arc::from(path)), document);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entity(collection: &str, id: &str, n: u64) -> Entity {
        Entity::new(collection, id, Value::Object(Object::new().with("n", n)))
    }

    /// Collections and entities of type 0, in order.
    fn shown(world: &World) -> Vec<(String, Vec<(String, String)>)> {
        world
            .collections(0)
            .map(|(path, collection)| {
                let held = collection.iter().map(|entity| (entity.id.to_string(), entity.fields.to_compact()));
                (path.to_owned(), held.collect())
            })
            .collect()
    }

    fn world() -> World {
        let mut world = World::default();
        for (at, id) in ["b", "a", "c"].iter().enumerate() {
            world.set_entity(0, entity("/x", id, at as u64));
        }
        world.set_entity(1, entity("/x", "other", 9));
        world.set_document(3, "/d", Document { value: Arc::new(Value::from("one")), record_ordinal: Some(1) });
        world
    }

    #[test]
    fn entities_keep_their_place() {
        let mut world = world();
        world.set_entity(0, entity("/x", "a", 7));
        world.set_entity(0, entity("/x", "d", 8));
        let order: Vec<String> =
            world.collection(0, "/x").unwrap().iter().map(|entity| entity.id.to_string()).collect();
        assert_eq!(order, ["b", "a", "c", "d"]);
        assert_eq!(world.collection(0, "/x").unwrap().get("a").unwrap().fields.to_compact(), r#"{"n":7}"#);
        assert_eq!(world.collection(0, "/x").unwrap().len(), 4);
    }

    #[test]
    fn what_was_removed_comes_back_at_the_end() {
        let mut world = world();
        assert_eq!(world.remove_entity(0, "/x", "b").unwrap().id.as_ref(), "b");
        assert!(world.remove_entity(0, "/x", "b").is_none());
        assert!(world.remove_entity(0, "/y", "a").is_none());
        world.set_entity(0, entity("/x", "b", 3));
        let order: Vec<&str> = world.collection(0, "/x").unwrap().iter().map(|entity| entity.id.as_ref()).collect();
        assert_eq!(order, ["a", "c", "b"]);
    }

    #[test]
    fn what_is_new_may_come_first() {
        let mut world = world();
        world.place_new(0, true);
        world.set_entity(0, entity("/x", "d", 1));
        world.set_entity(0, entity("/x", "a", 7));
        world.set_entity(0, entity("/y", "e", 1));
        let order = |world: &World| world.in_order(0).iter().map(|held| held.id.to_string()).collect::<String>();
        assert_eq!(order(&world), "edbac");
        // A state that is put together anew says itself where everything is.
        let mut again = world.emptied();
        world.in_order(0).into_iter().for_each(|held| again.set_shared(0, held.clone()));
        assert_eq!(order(&again), "edbac");
    }

    #[test]
    fn entities_of_a_type_have_one_order_over_all_collections() {
        let order = |world: &World| -> String {
            world.in_order(0).iter().map(|held| format!("{}{} ", held.collection, held.id)).collect()
        };
        let mut world = world();
        world.set_entity(0, entity("/a", "a", 5));
        world.set_entity(0, entity("/x", "d", 6));
        assert_eq!(order(&world), "/xb /xa /xc /aa /xd ");
        // To another collection, and to another name: the place stays.
        world.move_entity(0, (&Arc::from("/x"), &Arc::from("a")), entity("/b", "a", 7));
        world.rename_entity(0, "a", entity("/a", "e", 8));
        assert_eq!(order(&world), "/xb /ba /xc /ae /xd ");
        assert!(world.was_removed(0, "/x", "a") && world.was_removed(0, "/a", "a"));
        assert!(!world.was_removed(0, "/b", "a"));
        // Where something has the address, it goes.
        world.move_entity(0, (&Arc::from("/x"), &Arc::from("b")), entity("/x", "d", 9));
        assert_eq!(order(&world), "/xd /ba /xc /ae ");
        assert_eq!(world.collection(0, "/x").unwrap().len(), 2);
        let homes: Vec<&str> = world.named(0, "a").map(|held| held.collection.as_ref()).collect();
        assert_eq!(homes, ["/b"]);
    }

    #[test]
    fn types_do_not_mix() {
        let world = world();
        assert_eq!(world.collections(0).count(), 1);
        assert!(world.collection(1, "/x").unwrap().get("a").is_none());
        assert!(world.collection(2, "/x").is_none());
    }

    #[test]
    fn a_known_collection_may_be_empty() {
        let mut world = world();
        world.ensure_collection(0, "/empty");
        world.ensure_collection(0, "/x");
        assert!(world.collection(0, "/empty").unwrap().is_empty());
        assert_eq!(world.collection(0, "/x").unwrap().len(), 3);
        assert!(world.collection(0, "/none").is_none());
    }

    #[test]
    fn a_fork_shares_and_diverges() {
        let base = world();
        let mut fork = base.clone();
        assert!(Arc::ptr_eq(&base.held, &fork.held));
        fork.set_entity(0, entity("/x", "new", 1));
        fork.remove_entity(0, "/x", "a");
        fork.set_document(3, "/d", Document { value: Arc::new(Value::from("two")), record_ordinal: None });
        assert_eq!(shown(&base), shown(&world()));
        assert_eq!(base.document(3, "/d").unwrap().value.to_compact(), r#""one""#);
        assert_eq!(fork.document(3, "/d").unwrap().value.to_compact(), r#""two""#);
        let kept = |world: &World| world.collection(0, "/x").unwrap().get("c").unwrap().clone();
        assert!(Arc::ptr_eq(&kept(&base), &kept(&fork)));
    }

    #[test]
    fn view_fields_are_by_representation() {
        let mut one = entity("/x", "a", 1);
        one.view_fields = vec![(4, Arc::new(Object::new().with("m", 1u64)))];
        assert!(one.view(4).is_some_and(|fields| fields.contains("m")));
        assert!(one.view(0).is_none());
    }

    #[derive(Clone, Debug)]
    enum Change {
        Set(u8, u8, u64),
        Remove(u8, u8),
        Ensure(u8),
        Reset,
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            5 => (0u8..3, 0u8..5, 0u64..9).prop_map(|(path, id, n)| Change::Set(path, id, n)),
            3 => (0u8..3, 0u8..5).prop_map(|(path, id)| Change::Remove(path, id)),
            1 => (0u8..3).prop_map(Change::Ensure),
            1 => Just(Change::Reset),
        ]
    }

    proptest! {
        /// The store does what a plain list of lists does, and never changes a fork.
        #[test]
        fn changes_are_as_on_plain_lists(changes in proptest::collection::vec(change(), 0..40)) {
            let mut world = World::default();
            let mut plain: std::collections::BTreeMap<String, Vec<(String, String)>> = Default::default();
            for change in changes {
                let before = (world.clone(), shown(&world));
                match change {
                    Change::Set(path, id, n) => {
                        let (path, id) = (format!("/{path}"), id.to_string());
                        let held = entity(&path, &id, n);
                        let text = held.fields.to_compact();
                        world.set_entity(0, held);
                        let list = plain.entry(path).or_default();
                        match list.iter_mut().find(|(held, _)| *held == id) {
                            Some((_, held)) => *held = text,
                            None => list.push((id, text)),
                        }
                    }
                    Change::Remove(path, id) => {
                        let (path, id) = (format!("/{path}"), id.to_string());
                        let removed = world.remove_entity(0, &path, &id).is_some();
                        let place = plain.get(&path).and_then(|list| list.iter().position(|(held, _)| *held == id));
                        prop_assert_eq!(removed, place.is_some());
                        if let (Some(place), Some(list)) = (place, plain.get_mut(&path)) {
                            list.remove(place);
                        }
                    }
                    Change::Ensure(path) => {
                        world.ensure_collection(0, &format!("/{path}"));
                        plain.entry(format!("/{path}")).or_default();
                    }
                    Change::Reset => {
                        world = World::default();
                        plain.clear();
                    }
                }
                for id in ["0", "1", "2", "3", "4"] {
                    let homes: Vec<&str> = world.named(0, id).map(|entity| entity.collection.as_ref()).collect();
                    let expected = plain.iter().filter(|(_, list)| list.iter().any(|(held, _)| held == id));
                    prop_assert_eq!(homes, expected.map(|(path, _)| path.as_str()).collect::<Vec<_>>());
                }
                prop_assert_eq!(shown(&world), plain.clone().into_iter().collect::<Vec<_>>());
                prop_assert_eq!(shown(&before.0), before.1);
            }
        }
    }
}
