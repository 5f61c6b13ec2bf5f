//! How well an environment answers calls its capture did not make: recordings of the live application (probes) are made
//! again against the environment, and its answers compared with the application's.
//!
//! ```text
//! probe ─▶ matching ─▶ ids::translate ─▶ answer ─▶ ids::learn ─▶ bodies / diff ─▶ result
//! ```
//!
//! `run` resets the environment for each probe, `session` makes the steps, `normalise` knows what may differ, `result` is
//! what every report prints. This module knows nothing of transports or of how a report looks.

mod align;
mod bodies;
mod diff;
mod encoded;
mod error;
mod ids;
mod limits;
mod matching;
mod normalise;
mod probe;
mod result;
mod rules;
mod run;
mod session;
mod shown;

pub use error::CompareError;
pub use limits::*;
pub use probe::Probe;
pub use result::{
    Agreement, ComparedEnvironment, Comparison, Difference, DifferenceKind, Normalised, ProbeResult, Shown, Source,
    SourceCount, Step, Summary, ToolResult, Unobserved, Verdict, ratio,
};
pub use rules::{DerivedMember, NoRules, ServedRules, StateRules};
pub use run::{Progress, compare};

#[cfg(test)]
mod tests;
