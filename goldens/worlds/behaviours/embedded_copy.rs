//! A book shows a copy of its shelf: a renamed shelf shows in every book.

use super::*;

/// A book shows a copy of its shelf: a renamed shelf shows in every book.
pub struct EmbeddedCopy;

impl Behaviour for EmbeddedCopy {
    fn name(&self) -> &'static str {
        "embedded_copy"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            let shelf = entity.parent.as_deref().and_then(|key| world.find(SHELF, None, key));
            let copy = shelf.map(|at| {
                let shelf = &world.entities[SHELF][at];
                obj! { "id" => shelf.id.clone(), "name" => shelf.member("name"), "city" => shelf.member("city") }
            });
            shown.set("shelf_copy", copy);
        }
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        look_at_books(recorder, of, key);
    }
}
