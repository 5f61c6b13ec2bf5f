//! Milliseconds spelled with six digits.

use super::*;

/// Milliseconds spelled with six digits.
pub struct ClockMillisAsMicros;

impl Behaviour for ClockMillisAsMicros {
    fn name(&self) -> &'static str {
        "clock_millis_as_micros"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::MillisAsMicros);
        }
    }
}
