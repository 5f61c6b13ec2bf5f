//! What the state knows to be absent: what is in no collection that was read in full, what it held at the start and holds
//! no more, and what a write made and another took away. Of all else it knows nothing: it may exist. What of that a state
//! document has to say is here, too.

use super::derived::Derived;
use super::evaluate::Read;
use super::load_check::{Flaw, Members, NameIndex};
use super::scope::Scope;
use super::store::World;
use super::tree_write::new_places;
use super::types::ListView;
use crate::json::{Object, Value};
use crate::manifest::{Segment, decode_once};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Derived {
    /// Whether a collection that the state does not hold is an empty one: its type is known in full, and all that its path
    /// names is there.
    pub(super) fn lies_under_present(&self, world: &World, view: &ListView, parameters: &[String]) -> bool {
        // Equal names of several types, or under several parents, do not say which one is meant.
        let there = |name: &String| {
            let kinds = self.namers(view.entity_type, 0);
            !kinds.is_empty() && kinds.into_iter().all(|kind| world.named(kind, name).next().is_some())
        };
        view.scope == Scope::Home
            && view.complete.is_none()
            && self.complete_types.contains(&view.entity_type)
            && matches!(parameters, [name] if there(name))
    }

    /// Whether something that the path of a collection names is gone or has another name since. A list under it may be
    /// empty then, or refused.
    pub(super) fn lies_under_removed(&self, world: &World, view: &ListView, read: Read<'_>) -> bool {
        let gone = |(at, name): (usize, &String)| {
            let gone = |kind: usize| {
                let started = !self.may_hide(kind) && self.world.named(kind, name).next().is_some();
                world.named(kind, name).next().is_none() && (started || world.removed_named(kind, name))
            };
            self.namers(view.entity_type, at).into_iter().any(gone)
        };
        read.parameters.iter().enumerate().any(gone)
    }

    /// The types that what collections of a type have as their path's parameter is of: all of those that hold something.
    fn namers(&self, kind: usize, parameter: usize) -> Vec<usize> {
        let Some(template) = self.types.get(kind).map(|kind| &kind.template) else { return Vec::new() };
        let held = self.world.collections(kind).filter(|(_, held)| !held.is_empty());
        let names: Option<BTreeSet<_>> =
            held.map(|(path, _)| Some(decode_once(template.matches(path)?.get(parameter)?))).collect();
        let names = names.filter(|names| !names.is_empty()).unwrap_or_default();
        let of = |other: &usize| {
            *other != kind
                && !names.is_empty()
                && names.iter().all(|name| self.world.named(*other, name).next().is_some())
        };
        (0..self.types.len()).filter(of).collect()
    }

    /// The parameters of a type's collection paths.
    fn parameters_of(&self, kind: usize) -> std::ops::Range<usize> {
        let segments = self.types.get(kind).map(|kind| kind.template.segments.as_slice()).unwrap_or_default();
        0..segments.iter().filter(|segment| !matches!(segment, Segment::Literal(_))).count()
    }

    /// Whether the state knows that an entity, which is not held, does not exist. Without a collection the identity is
    /// looked for in all of them.
    pub(super) fn knows_absent(&self, world: &World, kind: usize, collection: Option<&str>, id: &str) -> bool {
        if self.may_hide(kind) {
            let started = match collection {
                Some(path) => self.world.collection(kind, path).is_some_and(|held| held.get(id).is_some()),
                None => self.world.named(kind, id).next().is_some(),
            };
            let removed = collection.is_some_and(|path| world.was_removed(kind, path, id))
                || collection.is_none() && world.removed_named(kind, id);
            if started && !removed {
                return false;
            }
        }
        self.is_complete(kind, collection)
            || match collection {
                Some(path) => {
                    world.was_removed(kind, path, id)
                        || self.world.collection(kind, path).is_some_and(|held| held.get(id).is_some())
                }
                None => world.removed_named(kind, id) || self.world.named(kind, id).next().is_some(),
            }
    }

    /// What was removed and nothing else says so: `{type, collection, id}` each.
    pub(super) fn removed_document(&self, world: &World) -> Vec<Value> {
        let over: BTreeSet<usize> = (0..self.types.len())
            .flat_map(|kind| self.parameters_of(kind).flat_map(move |parameter| self.namers(kind, parameter)))
            .collect();
        let told = |kind: usize, path: &str, id: &str| {
            let started = self.world.collection(kind, path).is_some_and(|held| held.get(id).is_some());
            // What collections lie under is asked whether it ever was there.
            if started { !self.may_hide(kind) } else { self.is_complete(kind, Some(path)) && !over.contains(&kind) }
        };
        let kinds = self.types.iter().enumerate();
        kinds
            .flat_map(|(kind, of)| world.removed(kind).map(move |(path, id)| (kind, of, path, id)))
            .filter(|(kind, _, path, id)| !told(*kind, path, id))
            .map(|(_, of, path, id)| {
                let document = Object::new().with("type", of.collection_template.as_str());
                Value::from(document.with("collection", path.as_ref()).with("id", id.as_ref()))
            })
            .collect()
    }

    /// The collections that are known and that nothing else tells of, and those that were elsewhere at the start or whose
    /// holder was made anew: `{type, collection, from?, anew?}` each.
    pub(super) fn collections_document(&self, world: &World) -> Vec<Value> {
        let told = self.tree.as_ref().map(|tree| (tree.kind, new_places(tree, world, &self.world)));
        let is_told = |kind: usize, path: &str| {
            self.world.collection(kind, path).is_some()
                || told.as_ref().is_some_and(|(tree, places)| *tree == kind && places.contains(path))
        };
        let kinds = self.types.iter().enumerate();
        kinds
            .flat_map(|(kind, of)| {
                let moved: BTreeMap<&str, &str> = world.moved(kind).collect();
                let known = world.collections(kind).map(|(path, held)| (path, held, moved.get(path).copied()));
                let known: Vec<Value> = known
                    .filter(|(path, held, from)| {
                        from.is_some() || world.is_anew(kind, path) || held.is_empty() && !is_told(kind, path)
                    })
                    .map(|(path, _, from)| {
                        let document = Object::new().with("type", of.collection_template.as_str());
                        let document = document.with("collection", path);
                        let document = match from {
                            Some(from) => document.with("from", from),
                            None => document,
                        };
                        Value::from(match world.is_anew(kind, path) {
                            true => document.with("anew", true),
                            false => document,
                        })
                    })
                    .collect();
                known
            })
            .collect()
    }
}

/// One item of the `collections` of a state document.
pub(super) struct KnownCollection {
    /// Its type.
    pub kind: usize,
    /// Its path.
    pub path: Arc<str>,
    /// Where it was at the start.
    pub from: Option<Arc<str>>,
    /// Whether what holds it was made anew.
    pub anew: bool,
}

/// Reads one item of the `collections` of a state document.
pub(super) fn known_collection(names: &NameIndex<'_>, value: Value) -> Result<KnownCollection, Flaw> {
    let [kind, collection, from, anew] = Members::take(value, ["type", "collection", "from", "anew"])?.0;
    let anew = match anew.as_ref().map(Value::as_bool) {
        Some(Some(anew)) => anew,
        Some(None) => return Err(Flaw::at("anew", "must be true or false")),
        None => false,
    };
    let kind = kind.as_ref().and_then(Value::as_str).and_then(|name| names.entity_type(name));
    let kind = kind.ok_or(Flaw::at("type", "must be the collection_template of a type"))?;
    let text = |value: &Value| value.as_str().map(Arc::<str>::from);
    let path = collection.as_ref().and_then(text);
    let path = path.ok_or(Flaw::at("collection", "must be a path as requests spell it"))?;
    let from = from.map(|from| text(&from).ok_or(Flaw::at("from", "must be a path as requests spell it")));
    Ok(KnownCollection { kind, path, from: from.transpose()?, anew })
}

/// One item of the `removed` of a state document: its type, collection and id.
pub(super) fn removed_item(names: &NameIndex<'_>, value: Value) -> Result<(usize, Arc<str>, Arc<str>), Flaw> {
    let [kind, collection, id] = Members::take(value, ["type", "collection", "id"])?.0;
    let kind = kind.as_ref().and_then(Value::as_str).and_then(|name| names.entity_type(name));
    let kind = kind.ok_or(Flaw::at("type", "must be the collection_template of a type"))?;
    let text = |value: Option<Value>| value.as_ref().and_then(Value::as_str).map(Arc::<str>::from);
    let collection = text(collection).ok_or(Flaw::at("collection", "must be a path as requests spell it"))?;
    let id = text(id).ok_or(Flaw::at("id", "must be a text"))?;
    Ok((kind, collection, id))
}
