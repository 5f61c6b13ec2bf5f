//! Clocks without a zone.

use super::*;

/// Clocks without a zone.
pub struct ClockNoZone;

impl Behaviour for ClockNoZone {
    fn name(&self) -> &'static str {
        "clock_no_zone"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::NoZone);
        }
    }
}
