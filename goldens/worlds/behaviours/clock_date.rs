//! Clocks are dates alone.

use super::*;

/// Clocks are dates alone.
pub struct ClockDate;

impl Behaviour for ClockDate {
    fn name(&self) -> &'static str {
        "clock_date"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::Date);
        }
    }
}
