//! Captures: reading a HAR leniently and honestly, redacting it into capture Evidence, and the one [`Record`] that
//! everything later reads, built from capture Evidence whatever made it.
//!
//! This module knows nothing of templates, tools or state.

mod budget;
mod clock;
mod entry;
mod error;
mod har;
mod inspect;
mod limits;
mod line;
mod load;
mod notes;
mod oddities;
mod reading;
mod record;
mod redact;
mod scenario;
mod sensitive;
mod suffix;
mod tolerance;

pub use clock::RecordedTime;
pub use error::CaptureError;
pub use inspect::{InspectOptions, inspect_har, inspect_har_bytes};
pub use limits::*;
pub use load::{Capture, CaptureInput, capture_from_evidence, load_capture, load_capture_with_bytes};
pub use record::{Answer, Body, BodyKind, Record, Request, body_kind, is_success, names_nothing};
pub use scenario::{ScenarioContent, scenario_content};
pub use tolerance::{Tolerance, tolerated};

#[cfg(test)]
mod tests;
