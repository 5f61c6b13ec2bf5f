//! Members that show another entity in full (`{"author": {"id": 3, "name": …}}`) where elsewhere only its identity is shown:
//! entities that were never read that way hold what the other entity does (`derivation.md`, `lookup`). Filled once, before
//! views are proposed; nothing is filled unless every recorded case comes out the same.

use super::derive::Derivation;
use super::line::scalar_text;
use super::memo::Memo;
use super::path::Step;
use super::store::Entity;
use crate::json::{Object, Value};
use std::sync::Arc;

/// Where entities hold a member: in the stored fields, or in the view fields of a representation.
pub(super) type Place = Option<usize>;

/// A proven reference.
struct Reference {
    /// Where the identity of the shown entity is held.
    key: (Place, Box<str>),
    /// Its type.
    target: usize,
    /// The members shown, in order: what they are called there, and by the entity itself.
    names: Vec<(Box<str>, Box<str>)>,
}

impl Derivation<'_> {
    /// Fills members that show other entities.
    pub(super) fn fill_references(&mut self) {
        for kind in 0..self.derived.types.len() {
            let mut done: Vec<(Place, Box<str>)> = Vec::new();
            for way in self.derived.types[kind].representations.clone() {
                for member in self.derived.representations[way].members.clone() {
                    let at: (Place, Box<str>) = ((!member.stored).then_some(member.source), member.name.clone());
                    if member.rule.is_none() && !done.contains(&at) {
                        self.fill_member(kind, &at, member.source);
                        done.push(at);
                    }
                }
            }
        }
    }

    fn fill_member(&mut self, kind: usize, at: &(Place, Box<str>), source: usize) {
        let entities: Vec<Arc<Entity>> =
            self.derived.world.collections(kind).flat_map(|(_, held)| held.iter().cloned()).collect();
        let (showing, missing): (Vec<&Arc<Entity>>, Vec<&Arc<Entity>>) =
            entities.iter().partition(|entity| held_at(entity, at).is_some());
        let missing: Vec<&Arc<Entity>> =
            missing.into_iter().filter(|entity| !self.derived.shown_without(entity, kind, &at.1, source)).collect();
        if missing.is_empty() {
            return;
        }
        let Some(reference) = self.find_reference(at, &showing) else { return };
        let filled: Vec<Entity> = missing
            .into_iter()
            .filter_map(|entity| {
                let id = scalar_text(held_at(entity, &reference.key)?)?;
                let shown = self.shown_reference(&reference, &id)?;
                Some(with_member(entity, at, shown))
            })
            .collect();
        for entity in filled {
            self.derived.world.set_entity(kind, entity);
        }
    }

    /// The reference that every showing is a case of: two at the least, of two entities.
    fn find_reference(&self, at: &(Place, Box<str>), showing: &[&Arc<Entity>]) -> Option<Reference> {
        let cases: Vec<(&Arc<Entity>, &Object)> =
            showing.iter().map(|entity| Some((*entity, held_at(entity, at)?.as_object()?))).collect::<Option<_>>()?;
        let (_, first) = cases.first()?;
        let names: Vec<Box<str>> = first.iter().filter_map(|(name, _)| name.as_str().map(Box::from)).collect();
        if names.len() < 2 {
            return None;
        }
        (0..self.derived.types.len()).find_map(|target| {
            let [Step::Member(identity)] = self.derived.types[target].identity.0.as_slice() else { return None };
            let ids: Vec<String> =
                cases.iter().map(|(_, object)| scalar_text(object.get(identity)?)).collect::<Option<_>>()?;
            if ids.iter().all(|id| *id == ids[0]) {
                return None;
            }
            let (entity, _) = cases.first()?;
            let key = scalar_places(entity, at).into_iter().find(|key| {
                cases
                    .iter()
                    .zip(&ids)
                    .all(|((entity, _), id)| held_at(entity, key).and_then(scalar_text).as_ref() == Some(id))
            })?;
            let names = names.iter().map(|name| Some((name.clone(), self.held_name(target, name, &cases, &ids)?)));
            let reference = Reference { key, target, names: names.collect::<Option<_>>()? };
            let holds = cases.iter().zip(&ids).all(|((_, object), id)| {
                self.shown_reference(&reference, id)
                    .is_some_and(|shown| shown.as_object().is_some_and(|shown| shown.same_as(object)))
            });
            holds.then_some(reference)
        })
    }

    /// What the shown entities call a member themselves: the same, else the one that equals it in all cases, which have to
    /// tell it from a constant.
    fn held_name(
        &self,
        target: usize,
        name: &str,
        cases: &[(&Arc<Entity>, &Object)],
        ids: &[String],
    ) -> Option<Box<str>> {
        let shown: Vec<(&Value, &Value)> = cases
            .iter()
            .zip(ids)
            .map(|((_, object), id)| Some((object.get(name)?, &**self.derived.world.named(target, id).next()?.whole())))
            .collect::<Option<_>>()?;
        let (first, whole) = *shown.first()?;
        if whole.get(name).is_some() {
            return Some(name.into());
        }
        let varies = shown.iter().any(|(value, _)| !value.same_as(first));
        let members = whole.as_object().filter(|_| varies).into_iter().flatten();
        let equal =
            |held: &str| shown.iter().all(|(value, whole)| whole.get(held).is_some_and(|whole| whole.same_as(value)));
        members.filter_map(|(held, _)| held.as_str()).find(|held| equal(held)).map(Box::from)
    }

    /// What a reference shows of the entity with an identity: `None` when it is not held alone, or not in full.
    fn shown_reference(&self, reference: &Reference, id: &str) -> Option<Value> {
        let mut named = self.derived.world.named(reference.target, id);
        let (entity, other) = (named.next()?, named.next());
        let whole = entity.whole();
        let members = reference.names.iter().map(|(name, held)| Some((name.as_ref().into(), whole.get(held)?.clone())));
        other.is_none().then(|| members.collect::<Option<Object>>().map(Value::Object)).flatten()
    }
}

fn held_at<'e>(entity: &'e Entity, (place, name): &(Place, Box<str>)) -> Option<&'e Value> {
    entity.held(*place, name)
}

/// Where an entity holds scalars beside a member, those called as it is first.
fn scalar_places(entity: &Entity, at: &(Place, Box<str>)) -> Vec<(Place, Box<str>)> {
    let views = entity.view_fields.iter().map(|(way, fields)| (Some(*way), fields.iter()));
    let stored = entity.fields.as_object().map(|fields| (None, fields.iter()));
    let mut places: Vec<(Place, Box<str>)> = Vec::new();
    for (place, members) in stored.into_iter().chain(views) {
        for (name, value) in members {
            if let (Some(name), Value::Number(_) | Value::String(_)) = (name.as_str(), value.plain()) {
                places.push((place, name.into()));
            }
        }
    }
    places.sort_by_key(|(_, name)| !name.starts_with(at.1.as_ref()));
    places
}

/// An entity with one more member.
pub(super) fn with_member(entity: &Entity, (place, name): &(Place, Box<str>), value: Value) -> Entity {
    let mut entity = Entity { memo: Memo::default(), ..entity.clone() };
    match place {
        None => {
            if let Some(fields) = Arc::make_mut(&mut entity.fields).as_object_mut() {
                fields.set(name.as_ref(), value);
            }
        }
        Some(way) => match entity.view_fields.iter_mut().find(|(held, _)| held == way) {
            Some((_, fields)) => {
                Arc::make_mut(fields).set(name.as_ref(), value);
            }
            None => {
                entity.view_fields.push((*way, Arc::new(Object::new().with(name.as_ref(), value))));
                entity.view_fields.sort_by_key(|(way, _)| *way);
            }
        },
    }
    entity
}
