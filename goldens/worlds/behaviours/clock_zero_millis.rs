//! Clocks of second resolution spelled with a zero millisecond part.

use super::*;

/// Clocks of second resolution spelled with a zero millisecond part.
pub struct ClockZeroMillis;

impl Behaviour for ClockZeroMillis {
    fn name(&self) -> &'static str {
        "clock_zero_millis"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::ZeroMillis);
        }
    }
}
