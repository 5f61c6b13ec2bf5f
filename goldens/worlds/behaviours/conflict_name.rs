//! A name that is taken is refused with 409.

use super::*;

/// A name that is taken is refused with 409.
pub struct ConflictName;

impl Behaviour for ConflictName {
    fn name(&self) -> &'static str {
        "conflict_name"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["names_unique", "conflict", "plain_paths"]
    }

    fn check(&self, world: &mut World, write: &Write) -> Option<Response> {
        let name = write.sent.get("name").filter(|_| write.of == BOOK)?.text();
        let taken = world.entities[BOOK]
            .iter()
            .any(|book| !book.hidden && book.key != write.key && book.member("name").text() == name);
        taken.then(|| world.error(409, &format!("A book named '{name}' already exists."), ""))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        create_again(phase, recorder);
    }
}
