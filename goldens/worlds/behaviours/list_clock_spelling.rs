//! The list writes clocks with an offset, the item with Z.

use super::*;

/// The list writes clocks with an offset, the item with Z.
pub struct ListClockSpelling;

impl Behaviour for ListClockSpelling {
    fn name(&self) -> &'static str {
        "list_clock_spelling"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::Millis);
        }
    }

    fn show(&self, _world: &World, entity: &Entity, view: View, shown: &mut Json) {
        if view == View::List {
            shown.set("created_at", ClockFormat::Offset.spell(entity.created));
            shown.set("updated_at", ClockFormat::Offset.spell(entity.updated));
        }
    }
}
