//! Creating a shelf makes a book on it.

use super::*;

/// Creating a shelf makes a book on it.
pub struct DefaultChild;

impl Behaviour for DefaultChild {
    fn name(&self) -> &'static str {
        "default_child"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["default_child", "names_unique", "id_sent", "plain_paths"]
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == SHELF && write.kind == WriteKind::Create {
            let Some(shelf) = world.find(SHELF, None, &write.key).map(|at| world.entities[SHELF][at].clone()) else {
                return;
            };
            // Runs with other ids are compared by names: books that are called alike could not be told apart then.
            let random = matches!(world.spec.types[BOOK].id, IdKind::Uuid | IdKind::Hex | IdKind::Token);
            let name =
                if random { format!("Default of {}", shelf.member("name").text()) } else { "default".to_string() };
            let mut body = obj! { "name" => name, "status" => "open", "pages" => 0_i64, "author" => "nobody" };
            body.set("shelf_id", shelf.id);
            let _ = world.create(BOOK, Some(write.key.clone()), body);
        }
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        look_at_books(recorder, of, key);
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let at = match phase {
            Phase::Writes => 0,
            Phase::ProbeCrud => 1,
            _ => return,
        };
        // A shelf can go once what was made with it is gone.
        let Some((_, _, shelf)) = recorder.made.iter().filter(|(of, ..)| *of == SHELF).nth(at).cloned() else { return };
        let on_it = |(parent, _): &(Option<String>, String)| parent.as_deref() == Some(shelf.as_str());
        for (parent, book) in recorder.world.keys(BOOK).into_iter().filter(on_it) {
            recorder.delete(BOOK, parent.as_deref(), &book);
        }
        recorder.delete(SHELF, None, &shelf);
    }
}
