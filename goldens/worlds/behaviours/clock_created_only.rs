//! Only the creation has a clock.

use super::*;

/// Only the creation has a clock.
pub struct ClockCreatedOnly;

impl Behaviour for ClockCreatedOnly {
    fn name(&self) -> &'static str {
        "clock_created_only"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = vec![ClockMember { member: "created_at", tick: Tick::Created, format: ClockFormat::Micros }];
        }
    }
}
