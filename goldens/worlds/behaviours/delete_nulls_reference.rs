//! Deleting a shelf leaves its books without one.

use super::*;

/// Deleting a shelf leaves its books without one.
pub struct DeleteNullsReference;

impl Behaviour for DeleteNullsReference {
    fn name(&self) -> &'static str {
        "delete_nulls_reference"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["shelf_delete", "routes", "plain_paths"]
    }

    fn remove(&self, world: &mut World, of: usize, index: usize) -> bool {
        if of != SHELF {
            return false;
        }
        let shelf = world.entities[SHELF].remove(index).key;
        for book in &mut world.entities[BOOK] {
            if book.parent.as_deref() == Some(shelf.as_str()) {
                book.parent = None;
            }
        }
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
