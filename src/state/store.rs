//! The store: persistent collections of entities and documents. A world is a cheap value: cloning is a fork, assigning
//! is a reset, and a changed world shares everything that did not change.

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
}

impl Entity {
    /// The view fields of a representation.
    pub fn view(&self, representation: usize) -> Option<&Object> {
        self.view_fields.iter().find(|(held, _)| *held == representation).map(|(_, fields)| fields.as_ref())
    }
}

/// The entities of one collection, in state order.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    by_rank: OrdMap<u64, Arc<Entity>>,
    by_id: HashMap<Arc<str>, u64>,
    next: u64,
}

impl Collection {
    /// Entities in state order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Entity>> {
        self.by_rank.values()
    }

    /// Number of entities.
    pub fn len(&self) -> usize {
        self.by_rank.len()
    }

    /// Whether it holds no entity.
    pub fn is_empty(&self) -> bool {
        self.by_rank.is_empty()
    }

    /// The entity with an id.
    pub fn get(&self, id: &str) -> Option<&Arc<Entity>> {
        self.by_rank.get(self.by_id.get(id)?)
    }

    /// Sets an entity: in place when its id is held, at the end otherwise.
    pub fn set(&mut self, entity: Arc<Entity>) {
        let rank = match self.by_id.get(&entity.id) {
            Some(rank) => *rank,
            None => {
                let rank = self.next;
                self.next += 1;
                self.by_id.insert(entity.id.clone(), rank);
                rank
            }
        };
        self.by_rank.insert(rank, entity);
    }

    /// Removes an entity.
    pub fn remove(&mut self, id: &str) -> Option<Arc<Entity>> {
        let rank = self.by_id.remove(id)?;
        self.by_rank.remove(&rank)
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

#[derive(Clone, Debug, Default)]
struct Held {
    collections: OrdMap<(usize, Arc<str>), Collection>,
    documents: OrdMap<(usize, Arc<str>), Document>,
}

/// The live world of a session.
#[derive(Clone, Debug, Default)]
pub struct World {
    held: Arc<Held>,
}

impl World {
    /// The collection of a type at a path, when one is known (it may be empty).
    pub fn collection(&self, entity_type: usize, path: &str) -> Option<&Collection> {
        self.held.collections.get(&(entity_type, Arc::from(path)))
    }

    /// The collections of a type with their paths, in path order.
    pub fn collections(&self, entity_type: usize) -> impl Iterator<Item = (&str, &Collection)> {
        self.held
            .collections
            .range((entity_type, Arc::from(""))..(entity_type + 1, Arc::from("")))
            .map(|((_, path), collection)| (path.as_ref(), collection))
    }

    /// Makes a collection known, empty when it was not.
    pub fn ensure_collection(&mut self, entity_type: usize, path: &str) {
        let key = (entity_type, Arc::from(path));
        if !self.held.collections.contains_key(&key) {
            Arc::make_mut(&mut self.held).collections.insert(key, Collection::default());
        }
    }

    /// Sets an entity in its collection.
    pub fn set_entity(&mut self, entity_type: usize, entity: Entity) {
        let key = (entity_type, entity.collection.clone());
        let held = Arc::make_mut(&mut self.held);
        held.collections.entry(key).or_default().set(Arc::new(entity));
    }

    /// Removes an entity.
    pub fn remove_entity(&mut self, entity_type: usize, collection: &str, id: &str) -> Option<Arc<Entity>> {
        let key = (entity_type, Arc::from(collection));
        self.held.collections.get(&key)?.get(id)?;
        Arc::make_mut(&mut self.held).collections.get_mut(&key)?.remove(id)
    }

    /// A document of a tool at a path.
    pub fn document(&self, tool: usize, path: &str) -> Option<&Document> {
        self.held.documents.get(&(tool, Arc::from(path)))
    }

    /// All documents, by tool and path.
    pub fn documents(&self) -> impl Iterator<Item = (usize, &str, &Document)> {
        self.held.documents.iter().map(|((tool, path), document)| (*tool, path.as_ref(), document))
    }

    /// Sets a document.
    pub fn set_document(&mut self, tool: usize, path: &str, document: Document) {
        Arc::make_mut(&mut self.held).documents.insert((tool, Arc::from(path)), document);
    }
}
