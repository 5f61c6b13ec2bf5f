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
}
