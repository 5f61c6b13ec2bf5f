//! Clocks of whole seconds.

use super::*;

/// Clocks of whole seconds.
pub struct ClockSeconds;

impl Behaviour for ClockSeconds {
    fn name(&self) -> &'static str {
        "clock_seconds"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::Seconds);
        }
    }
}
