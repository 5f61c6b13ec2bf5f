//! An edit that changes the name consumes a number of the sequence.

use super::*;

/// An edit that changes the name consumes a number of the sequence.
pub struct UpdateTakesNumber;

impl Behaviour for UpdateTakesNumber {
    fn name(&self) -> &'static str {
        "update_takes_number"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id", "takes_number"]
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK && write.kind == WriteKind::Update && write.sent.get("name").is_some() {
            world.take_number("books");
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Writes => [1, 2],
            Phase::ProbeCrud => [3, 4],
            _ => return,
        };
        let books = recorder.world.keys(BOOK);
        for (parent, key) in range.into_iter().filter_map(|at| books.get(at)) {
            let draft = recorder.draft(BOOK, parent.as_deref());
            let body = obj! { "name" => draft.get("name").cloned() };
            recorder.update(BOOK, parent.as_deref(), key, body);
            let body = recorder.draft(BOOK, parent.as_deref());
            recorder.create(BOOK, parent.as_deref(), body);
        }
    }
}
