//! Clocks with six digits and Z.

use super::*;

/// Clocks with six digits and Z.
pub struct ClockMicros;

impl Behaviour for ClockMicros {
    fn name(&self) -> &'static str {
        "clock_micros"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::Micros);
        }
    }
}
