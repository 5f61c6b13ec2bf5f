//! A book shows the name of the shelf that its sent id names.

use super::*;

/// A book shows the name of the shelf that its sent id names.
pub struct Lookup;

impl Behaviour for Lookup {
    fn name(&self) -> &'static str {
        "lookup"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            let shelf = entity.parent.as_deref().and_then(|key| world.find(SHELF, None, key));
            shown.set("shelf_name", shelf.map(|at| world.entities[SHELF][at].member("name")));
        }
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        look_at_books(recorder, of, key);
    }
}
