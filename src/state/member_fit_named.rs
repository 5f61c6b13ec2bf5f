//! The entities that values name, while rules are fitted: the same few are asked for by every member that may be made of
//! them, so that what a world holds under a text is noted once.

use super::member_fit::Fitting;
use super::path::MemberPath;
use super::slot::merged;
use super::store::{Entity, World};
use super::write_maker::named_entity;
use crate::json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
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
