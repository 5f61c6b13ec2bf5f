//! Each clock twice: in local time and in UTC, neither with a zone.

use super::*;

/// Each clock twice: in local time and in UTC, neither with a zone.
pub struct ClockPair;

impl Behaviour for ClockPair {
    fn name(&self) -> &'static str {
        "clock_pair"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = vec![
                ClockMember { member: "date", tick: Tick::Created, format: ClockFormat::Local },
                ClockMember { member: "date_gmt", tick: Tick::Created, format: ClockFormat::NoZone },
                ClockMember { member: "modified", tick: Tick::Updated, format: ClockFormat::Local },
                ClockMember { member: "modified_gmt", tick: Tick::Updated, format: ClockFormat::NoZone },
            ];
        }
    }
}
