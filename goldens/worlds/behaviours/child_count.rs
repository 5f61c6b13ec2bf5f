//! A shelf counts its books.

use super::*;

/// A shelf counts its books.
pub struct ChildCount;

impl Behaviour for ChildCount {
    fn name(&self) -> &'static str {
        "child_count"
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == SHELF {
            shown.set("book_count", world.count_books(&entity.key));
        }
    }
}
