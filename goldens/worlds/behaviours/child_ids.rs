//! A shelf lists the ids of its books.

use super::*;

/// A shelf lists the ids of its books.
pub struct ChildIds;

impl Behaviour for ChildIds {
    fn name(&self) -> &'static str {
        "child_ids"
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == SHELF {
            let books = world.entities[BOOK].iter();
            let held = books.filter(|book| !book.hidden && book.parent.as_deref() == Some(entity.key.as_str()));
            shown.set("books", Json::Arr(held.map(|book| book.id.clone()).collect()));
        }
    }
}
