//! A number beside the id that every write renews; the list is in its order, so an edit moves a book to the end.

use super::*;

/// A number beside the id that every write renews; the list is in its order, so an edit moves a book to the end.
pub struct RowIdMoves;

impl Behaviour for RowIdMoves {
    fn name(&self) -> &'static str {
        "row_id_moves"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id", "order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].id = IdKind::Token;
        spec.types[BOOK].id_member = "document_id";
        spec.types[BOOK].order = vec![OrderKey::by("row")];
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && write.kind != WriteKind::Delete
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let row = world.take_number("rows");
            world.entities[BOOK][at].fields.set("row", row);
        }
    }
}
