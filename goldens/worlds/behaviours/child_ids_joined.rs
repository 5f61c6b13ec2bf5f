//! A shelf shows the ids of its books in one text.

use super::*;

/// A shelf shows the ids of its books in one text.
pub struct ChildIdsJoined;

impl Behaviour for ChildIdsJoined {
    fn name(&self) -> &'static str {
        "child_ids_joined"
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == SHELF {
            let books = world.entities[BOOK].iter();
            let held = books.filter(|book| !book.hidden && book.parent.as_deref() == Some(entity.key.as_str()));
            shown.set("book_ids", held.map(|book| book.key.clone()).collect::<Vec<_>>().join(","));
        }
    }
}
