//! The entities that values name, while rules are fitted: the same few are asked for by every member that may be made of
//! them, so that what a world holds under a text is noted once.

use super::line::scalar_text;
use super::member_cast::Cast;
use super::member_fit::{Case, Fitting};
use super::member_fit_held::via_value;
use super::member_rule::MemberExpr;
use super::path::{MemberPath, scalar_paths};
use super::slot::merged;
use super::store::{Entity, World};
use super::write_maker::named_entity;
use crate::json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The entities of one type in one world by the text that they hold at one member, the first of each.
type ByText = HashMap<Box<str>, Arc<Entity>>;

/// What was asked for: a version of the world, a type and a member.
type Asked = (usize, usize, MemberPath);

/// What worlds hold under a text. The worlds have to outlive it.
#[derive(Default)]
pub(super) struct Named(RefCell<HashMap<Asked, ByText>>);

impl Named {
    fn find(&self, world: &World, kind: usize, by: &MemberPath, text: &str) -> Option<Value> {
        let mut noted = self.0.borrow_mut();
        let by_text = noted.entry((world.version(), kind, by.clone())).or_insert_with(|| {
            let mut by_text = ByText::new();
            for entity in world.collections(kind).flat_map(|(_, collection)| collection.iter()) {
                if let Some(held) = by.direct(&entity.fields).and_then(Value::as_str) {
                    by_text.entry(held.into()).or_insert_with(|| Arc::clone(entity));
                }
            }
            by_text
        });
        by_text.get(text).map(|entity| merged(entity))
    }
}

impl Fitting<'_> {
    /// As [`named_entity`], from what was noted where that is quicker.
    pub(super) fn find_named(&self, world: &World, kind: usize, by: &MemberPath, value: &Value) -> Option<Value> {
        match (self.named, value.as_str()) {
            (Some(named), Some(text)) if !by.0.is_empty() => named.find(world, kind, by, text),
            _ => named_entity(world, kind, by, value),
        }
    }
}

/// What names an entity in recorded calls.
pub(super) struct Candidate {
    /// What names it.
    pub via: MemberExpr,
    /// Its type.
    pub kind: usize,
    /// By which member; none is its identity.
    pub by: MemberPath,
    /// The first case in which it names one that is held.
    pub base: usize,
    /// All that this one holds.
    pub entity: Value,
}

/// Members that an entity may be named by beside its identity.
pub(super) const NAMING: [&str; 6] = ["name", "slug", "title", "key", "email", "username"];

/// Calls in which an entity is looked for: what the first names may be the one that no read has shown yet.
const MAX_BASES: usize = 4;

/// Steps: what was sent is looked at so deep, what is held one less.
const MAX_SENT_STEPS: usize = 3;

impl Fitting<'_> {
    /// What in the cases names an entity: the item that is walked, or what is in it; without one something sent, a path
    /// parameter, another member. The latter are noted for the same calls.
    pub(super) fn candidates(&self, cases: &[Case<'_>], item: Option<&Value>) -> Rc<Vec<Candidate>> {
        match self.noted.filter(|_| item.is_none()) {
            Some(noted) => noted.candidates(cases.iter().take(MAX_BASES), || self.find_candidates(cases, item)),
            None => Rc::new(self.find_candidates(cases, item)),
        }
    }

    fn find_candidates(&self, cases: &[Case<'_>], item: Option<&Value>) -> Vec<Candidate> {
        let Some(first) = cases.first() else { return Vec::new() };
        let mut candidates = Vec::new();
        for via in vias(first, item) {
            let named = |case: &Case<'_>| via_value(&via, case);
            let Some(text) = named(first).filter(|value| scalar_text(value).is_some_and(|text| !text.is_empty()))
            else {
                continue;
            };
            for kind in 0..self.types.len() {
                let mut ways = vec![MemberPath::default()];
                if text.as_str().is_some_and(|text| text.len() > 1) {
                    ways.extend(NAMING.map(MemberPath::member));
                }
                for by in ways {
                    let bases = cases.iter().enumerate().take(if by.0.is_empty() { MAX_BASES } else { 1 });
                    let mut shown = bases.filter_map(|(base, case)| {
                        let entity = self.find_named(case.world, kind, &by, &named(case)?)?;
                        entity.as_object().is_some_and(|held| !held.is_empty()).then_some((base, entity))
                    });
                    if let Some((base, entity)) = shown.next() {
                        candidates.push(Candidate { via: via.clone(), kind, by, base, entity });
                    }
                }
            }
        }
        candidates
    }
}

/// What a call may name an entity by.
fn vias(first: &Case<'_>, item: Option<&Value>) -> Vec<MemberExpr> {
    let mut vias: Vec<MemberExpr> = Vec::new();
    if let Some(item) = item {
        vias.push(MemberExpr::Item(MemberPath::default(), Cast::Same));
        let inner = scalar_paths(std::iter::once(item)).into_iter().filter(|path| !path.through_array());
        vias.extend(inner.map(|path| MemberExpr::Item(path, Cast::Same)));
        return vias;
    }
    let short = |value: &Value, steps: usize| {
        scalar_paths(std::iter::once(value))
            .into_iter()
            .filter(move |path| !path.through_array() && path.0.len() <= steps)
    };
    vias.extend(short(first.given.sent, MAX_SENT_STEPS).map(|path| MemberExpr::Sent(path, Cast::Same)));
    vias.extend((0..first.given.params.len()).map(|index| MemberExpr::Param(index, Cast::Same)));
    vias.extend(short(first.given.after, MAX_SENT_STEPS - 1).map(MemberExpr::After));
    vias
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Object;

    #[test]
    fn an_entity_is_found_as_it_is_without_notes() {
        let mut world = World::default();
        for (path, id, name) in [("/b", "1", "x"), ("/a", "2", "x"), ("/a", "3", "y"), ("/a", "4", "7")] {
            world.set_entity(0, Entity::new(path, id, Object::new().with("name", name).into()));
        }
        let earlier = world.clone();
        world.remove_entity(0, "/a", "2");
        world.set_entity(0, Entity::new("/a", "5", Object::new().with("name", 7u64).into()));
        let named = Named::default();
        for by in [MemberPath::member("name"), MemberPath::member("title")] {
            for text in ["x", "y", "z", "1", "7"] {
                for world in [&earlier, &world, &earlier] {
                    let found = named.find(world, 0, &by, text);
                    assert_eq!(found, named_entity(world, 0, &by, &Value::from(text)), "{text}");
                }
            }
        }
    }
}
