//! Deleting a shelf deletes its books.

use super::*;

/// Deleting a shelf deletes its books.
pub struct CascadeDelete;

impl Behaviour for CascadeDelete {
    fn name(&self) -> &'static str {
        "cascade_delete"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["shelf_delete"]
    }

    fn remove(&self, world: &mut World, of: usize, index: usize) -> bool {
        if of != SHELF {
            return false;
        }
        let shelf = world.entities[SHELF].remove(index).key;
        world.entities[BOOK].retain(|book| book.parent.as_deref() != Some(shelf.as_str()));
        true
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let at = match phase {
            Phase::Writes => 1,
            Phase::ProbeCrud => 0,
            _ => return,
        };
        if let Some((_, shelf)) = recorder.world.keys(SHELF).get(at).cloned() {
            let books: Vec<String> = recorder.world.entities[BOOK]
                .iter()
                .filter(|book| book.parent.as_deref() == Some(shelf.as_str()))
                .map(|book| book.key.clone())
                .collect();
            recorder.delete(SHELF, None, &shelf);
            for key in books.iter().take(2) {
                recorder.item(BOOK, Some(&shelf), key);
            }
            recorder.lists(BOOK);
        }
    }
}
