//! Clocks with three digits and Z.

use super::*;

/// Clocks with three digits and Z.
pub struct ClockMillis;

impl Behaviour for ClockMillis {
    fn name(&self) -> &'static str {
        "clock_millis"
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
