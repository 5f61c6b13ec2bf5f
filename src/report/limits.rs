//! Limits of reports for people, with their units.

/// Steps: the most disagreements that the terminal report lists; the others are counted.
pub const MAX_TEXT_STEPS: usize = 60;
/// Share: from here on an agreement is shown as good.
pub const GOOD_AGREEMENT: f64 = 0.95;
/// Share: from here on an agreement is shown as middling, below it as bad.
pub const FAIR_AGREEMENT: f64 = 0.75;
