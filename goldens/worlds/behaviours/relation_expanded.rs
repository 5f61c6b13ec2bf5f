//! The list shows a book's shelf as its id, the item as an object with its name.

use super::*;

/// The list shows a book's shelf as its id, the item as an object with its name.
pub struct RelationExpanded;

impl Behaviour for RelationExpanded {
    fn name(&self) -> &'static str {
        "relation_expanded"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["parent_shown"]
    }

    fn show(&self, world: &World, entity: &Entity, view: View, shown: &mut Json) {
        let member = world.spec.types[entity.of].parent_member;
        if view == View::List || entity.of != BOOK || member.is_empty() {
            return;
        }
        let Some(at) = entity.parent.as_deref().and_then(|key| world.find(SHELF, None, key)) else { return };
        let shelf = &world.entities[SHELF][at];
        shown.set(member, obj! { "id" => shelf.id.clone(), "label" => shelf.member("name") });
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        // Only items show the name: whoever renames a shelf looks at a book of it.
        let book = recorder.world.keys(BOOK).into_iter().find(|(shelf, _)| shelf.as_deref() == Some(key));
        if let Some((shelf, book)) = book.filter(|_| of == SHELF) {
            recorder.item(BOOK, shelf.as_deref(), &book);
        }
    }
}
