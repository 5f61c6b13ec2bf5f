//! The clocks are inside an object.

use super::*;

/// The clocks are inside an object.
pub struct ClockNested;

impl Behaviour for ClockNested {
    fn name(&self) -> &'static str {
        "clock_nested"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        let created = ClockFormat::Millis.spell(entity.created);
        shown.set("meta", obj! { "created" => created, "updated" => ClockFormat::Millis.spell(entity.updated) });
    }
}
