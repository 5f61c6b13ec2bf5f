//! Clocks are numbers of seconds.

use super::*;

/// Clocks are numbers of seconds.
pub struct ClockEpochSeconds;

impl Behaviour for ClockEpochSeconds {
    fn name(&self) -> &'static str {
        "clock_epoch_seconds"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::EpochSeconds);
        }
    }
}
