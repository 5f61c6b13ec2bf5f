//! The entities of one type: its collections, the one order that all of them have, which collections hold an identity, what
//! was removed and what moved. Persistent: a copy shares everything that did not change. Knows nothing of worlds.

use super::indexes::Indexes;
use super::store::Entity;
use imbl::{HashMap, OrdMap, OrdSet};
use std::sync::Arc;

/// An entity in its place; equal when it is the very same one, so that two collections are compared without reading it.
#[derive(Clone)]
pub(super) struct Kept(pub(super) Arc<Entity>);

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The entities of one collection, in state order. Ranks are of the whole type: by them the entities of all its
/// collections are in one order, which a list of everything shows.
#[derive(Clone, Default)]
pub struct Collection {
    pub(super) by_rank: OrdMap<i64, Kept>,
    by_id: HashMap<Arc<str>, i64>,
}

/// Entities only: the index by identity says the same again, in no order.
impl std::fmt::Debug for Collection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

/// Equal when one is a copy of the other that nothing changed.
impl PartialEq for Collection {
    fn eq(&self, other: &Self) -> bool {
        self.by_rank.ptr_eq(&other.by_rank)
    }
}

impl Collection {
    /// Entities in state order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Entity>> {
        self.by_rank.values().map(|kept| &kept.0)
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
        self.by_rank.get(self.by_id.get(id)?).map(|kept| &kept.0)
    }

    /// The rank of the entity with an id.
    fn rank(&self, id: &str) -> Option<i64> {
        self.by_id.get(id).copied()
    }

    /// Sets an entity at a rank that nothing else has.
    fn set(&mut self, rank: i64, entity: Arc<Entity>) {
        self.by_id.insert(entity.id.clone(), rank);
        self.by_rank.insert(rank, Kept(entity));
    }

    /// Removes an entity, which had a rank.
    fn remove(&mut self, id: &str) -> Option<(i64, Arc<Entity>)> {
        let rank = self.by_id.remove(id)?;
        self.by_rank.remove(&rank).map(|kept| (rank, kept.0))
    }
}

/// The collections of one type.
#[derive(Clone, Default)]
pub(super) struct Population {
    pub(super) collections: OrdMap<Arc<str>, Collection>,
    /// The rank of the entity that comes next.
    next: i64,
    /// The smallest rank so far.
    first: i64,
    /// Whether what is new comes before all others, not after them.
    pub(super) newest_first: bool,
    /// The collections that hold an identity, in path order.
    pub(super) homes: HashMap<Arc<str>, Arc<[Arc<str>]>>,
    /// How many identities several collections hold.
    pub(super) shared: usize,
    /// What was held and removed since, by collection and identity.
    pub(super) removed: OrdSet<(Arc<str>, Arc<str>)>,
    /// Where collections were at the start that moved with what they lie under, by where they are.
    pub(super) moved: OrdMap<Arc<str>, Arc<str>>,
    /// Collections whose holder was made anew: all that is in them is known, whatever was there at the start.
    pub(super) anew: OrdSet<Arc<str>>,
    /// Shared by every version: what differs between two of them is found when one is read.
    pub(super) indexes: Arc<Indexes>,
}

/// Entities only: the rest says the same again, in no order.
impl std::fmt::Debug for Population {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_map().entries(self.collections.iter()).finish()
    }
}

impl Population {
    /// The same collections, all empty; what is put there comes at the end.
    pub(super) fn emptied(&self) -> Self {
        let collections = self.collections.keys().map(|path| (path.clone(), Collection::default())).collect();
        let (homes, removed, moved, anew) = (HashMap::new(), OrdSet::new(), OrdMap::new(), OrdSet::new());
        let indexes = self.indexes.clone();
        Self { collections, next: 0, first: 0, newest_first: false, homes, shared: 0, removed, moved, anew, indexes }
    }

    /// Sets an entity: in place when its collection holds its id, where new ones of the type come otherwise.
    pub(super) fn set(&mut self, entity: Arc<Entity>) {
        let held = self.collections.get(&entity.collection).and_then(|held| held.rank(&entity.id));
        let new = if self.newest_first { self.first - 1 } else { self.next };
        let rank = held.unwrap_or(new);
        self.put(rank, entity);
    }

    /// Sets an entity in the place of one that had another id or another collection.
    pub(super) fn rename(&mut self, (path, id): (&str, &str), entity: Arc<Entity>) {
        if *entity.id == *id && *entity.collection == *path {
            return self.set(entity);
        }
        let former = self.collections.get_mut(path).and_then(|held| held.remove(id));
        let Some((rank, _)) = former else { return self.set(entity) };
        self.left(id, path);
        // What has the new address goes: there is one of each.
        if let Some(held) = self.collections.get_mut(&entity.collection) {
            held.remove(&entity.id);
        }
        self.put(rank, entity);
    }

    fn put(&mut self, rank: i64, entity: Arc<Entity>) {
        self.next = self.next.max(rank + 1);
        self.first = self.first.min(rank);
        self.lives_in(&entity.id, &entity.collection);
        if !self.removed.is_empty() {
            self.removed.remove(&(entity.collection.clone(), entity.id.clone()));
        }
        self.collections.entry(entity.collection.clone()).or_default().set(rank, entity);
    }

    /// The entities of all collections, in state order.
    pub(super) fn in_order(&self) -> Vec<&Arc<Entity>> {
        let mut placed: Vec<(i64, &Arc<Entity>)> = self
            .collections
            .values()
            .flat_map(|held| held.by_rank.iter().map(|(rank, kept)| (*rank, &kept.0)))
            .collect();
        if self.collections.len() > 1 {
            placed.sort_unstable_by_key(|(rank, _)| *rank);
        }
        placed.into_iter().map(|(_, entity)| entity).collect()
    }

    pub(super) fn remove(&mut self, path: &str, id: &str) -> Option<Arc<Entity>> {
        let (_, removed) = self.collections.get_mut(path)?.remove(id)?;
        self.left(id, path);
        Some(removed)
    }

    /// Notes that a collection holds an identity.
    fn lives_in(&mut self, id: &Arc<str>, path: &Arc<str>) {
        let homes = self.homes.get(id).map(AsRef::as_ref).unwrap_or_default();
        if let Err(place) = homes.binary_search(path) {
            self.shared += usize::from(homes.len() == 1);
            let mut homes = homes.to_vec();
            homes.insert(place, path.clone());
            self.homes.insert(id.clone(), homes.into());
        }
    }

    /// Notes that a collection no longer holds an identity.
    fn left(&mut self, id: &str, path: &str) {
        let Some(homes) = self.homes.get(id) else { return };
        let before = homes.len();
        let homes: Vec<Arc<str>> = homes.iter().filter(|home| home.as_ref() != path).cloned().collect();
        self.shared -= usize::from(before == 2 && homes.len() == 1);
        if homes.is_empty() {
            self.homes.remove(id);
        } else {
            self.homes.insert(id.into(), homes.into());
        }
    }
}
