//! Writing a book sets its shelf's clock.

use super::*;

/// Writing a book sets its shelf's clock.
pub struct ParentBump;

impl Behaviour for ParentBump {
    fn name(&self) -> &'static str {
        "parent_bump"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::Micros);
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && let Some(at) = write.parent.as_deref().and_then(|shelf| world.find(SHELF, None, shelf))
        {
            world.entities[SHELF][at].updated = world.now;
        }
    }
}
