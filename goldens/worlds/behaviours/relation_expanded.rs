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
}
