//! The clock of the last edit is null until there was one.

use super::*;

/// The clock of the last edit is null until there was one.
pub struct ClockNullUntilEdit;

impl Behaviour for ClockNullUntilEdit {
    fn name(&self) -> &'static str {
        "clock_null_until_edit"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = vec![
                ClockMember { member: "created_at", tick: Tick::Created, format: ClockFormat::Millis },
                ClockMember { member: "edited_at", tick: Tick::Edited, format: ClockFormat::Millis },
            ];
        }
    }
}
