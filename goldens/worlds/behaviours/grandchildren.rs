//! Loans under books: books and shelves count them, a deleted book takes its loans along.

use super::*;

/// Loans under books: books and shelves count them, a deleted book takes its loans along.
pub struct Grandchildren;

impl Behaviour for Grandchildren {
    fn name(&self) -> &'static str {
        "grandchildren"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["routes", "plain_paths", "delete_effect"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        let fields = vec![field("name", FieldKind::Text), field("status", FieldKind::Text)];
        let mut loans = TypeSpec::new("loans", "loan", fields, 8);
        loans.parent = Some(BOOK);
        loans.parent_member = "book_id";
        spec.types.push(loans);
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        let of_book =
            |book: &str| world.entities[LOAN].iter().filter(|loan| loan.parent.as_deref() == Some(book)).count();
        if entity.of == BOOK {
            shown.set("loan_count", of_book(&entity.key));
        }
        if entity.of == SHELF {
            let books = world.entities[BOOK].iter().filter(|book| book.parent.as_deref() == Some(entity.key.as_str()));
            shown.set("loan_count", books.map(|book| of_book(&book.key)).sum::<usize>());
        }
    }

    fn remove(&self, world: &mut World, of: usize, index: usize) -> bool {
        if of != BOOK {
            return false;
        }
        let book = world.entities[BOOK].remove(index).key;
        world.entities[LOAN].retain(|loan| loan.parent.as_deref() != Some(book.as_str()));
        true
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if phase != Phase::Writes {
            return;
        }
        // What goes with a book is shown where one with loans goes.
        let of_book = |book: &str| {
            let loans = recorder.world.entities[LOAN].iter().filter(|loan| loan.parent.as_deref() == Some(book));
            loans.map(|loan| loan.key.clone()).collect::<Vec<_>>()
        };
        let mut books = recorder.world.keys(BOOK).into_iter().map(|(parent, key)| (parent, of_book(&key), key));
        if let Some((parent, loans, book)) = books.find(|(_, loans, _)| !loans.is_empty()) {
            recorder.delete(BOOK, parent.as_deref(), &book);
            for loan in loans.iter().take(2) {
                recorder.item(LOAN, Some(&book), loan);
            }
        }
    }

    fn look(&self, recorder: &mut Recorder, of: usize, _key: &str) {
        if of == LOAN {
            recorder.get(&recorder.main_list(SHELF));
        }
        if of == BOOK {
            recorder.get(&recorder.main_list(LOAN));
        }
    }
}

/// Index of the type that this behaviour adds.
const LOAN: usize = 2;
