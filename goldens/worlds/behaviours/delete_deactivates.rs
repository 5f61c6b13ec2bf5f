//! Deleting a shelf with books only switches it off; an empty one goes.

use super::*;

/// Deleting a shelf with books only switches it off; an empty one goes.
pub struct DeleteDeactivates;

impl Behaviour for DeleteDeactivates {
    fn name(&self) -> &'static str {
        "delete_deactivates"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["shelf_delete"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[SHELF].fields.push(Field { name: "active", kind: FieldKind::Flag, default: true.into() });
    }

    fn draft(&self, _world: &World, of: usize, _at: usize, body: &mut Json) {
        if of == SHELF {
            body.take("active");
        }
    }

    fn remove(&self, world: &mut World, of: usize, index: usize) -> bool {
        if of != SHELF || world.count_books(&world.entities[SHELF][index].key) == 0 {
            return false;
        }
        world.entities[SHELF][index].fields.set("active", false);
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
