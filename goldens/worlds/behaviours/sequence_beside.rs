//! A number counted in each shelf beside the id, from 2.

use super::*;

/// A number counted in each shelf beside the id, from 2.
pub struct SequenceBeside;

impl Behaviour for SequenceBeside {
    fn name(&self) -> &'static str {
        "sequence_beside"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["sequence_beside"]
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && write.kind == WriteKind::Create
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let sequence = format!("inner {}", write.parent.as_deref().unwrap_or(""));
            let number = world.take_number(&sequence) + 1;
            world.entities[BOOK][at].fields.set("inner_id", number);
        }
    }
}
