//! The item shows members that the list leaves out, the same for every book; the list shows one the item has not.

use super::*;

/// The item shows members that the list leaves out, the same for every book; the list shows one the item has not.
pub struct ViewFields;

impl Behaviour for ViewFields {
    fn name(&self) -> &'static str {
        "view_fields"
    }

    fn show(&self, world: &World, entity: &Entity, view: View, shown: &mut Json) {
        if entity.of != BOOK {
            return;
        }
        if view == View::List {
            shown.set("kind", "book");
        } else {
            shown.set("lendable", true);
            shown.set("language", "en");
            shown.set("library", world.spec.base);
        }
    }
}
