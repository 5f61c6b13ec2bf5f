//! A clock in epoch seconds that is 0 until the first edit.

use super::*;

/// A clock in epoch seconds that is 0 until the first edit.
pub struct ClockZeroNever;

impl Behaviour for ClockZeroNever {
    fn name(&self) -> &'static str {
        "clock_zero_never"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].clocks =
            vec![ClockMember { member: "created", tick: Tick::Created, format: ClockFormat::EpochSeconds }];
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            let edited = entity.created != entity.updated;
            let seconds = if edited { ClockFormat::EpochSeconds.spell(entity.updated) } else { 0_i64.into() };
            shown.set("last_updated", seconds);
        }
    }
}
