//! Clocks are numbers of milliseconds.

use super::*;

/// Clocks are numbers of milliseconds.
pub struct ClockEpochMillis;

impl Behaviour for ClockEpochMillis {
    fn name(&self) -> &'static str {
        "clock_epoch_millis"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::EpochMillis);
        }
    }
}
