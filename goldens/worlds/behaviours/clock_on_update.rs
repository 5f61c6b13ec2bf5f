//! Clocks of creation and of the last edit.

use super::*;

/// Clocks of creation and of the last edit.
pub struct ClockOnUpdate;

impl Behaviour for ClockOnUpdate {
    fn name(&self) -> &'static str {
        "clock_on_update"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::Millis);
        }
    }
}
