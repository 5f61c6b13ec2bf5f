//! The exact recorded start of a record: every fractional digit counts.

/// An instant as it was recorded: seconds since the epoch and the exact fraction digits, trailing zeros removed. Orders
/// as the recording does, whatever the number of digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordedTime {
    /// Whole seconds since 1970-01-01T00:00:00Z (floor).
    pub seconds: i64,
    /// Fraction digits after the point, without trailing zeros; compares as text.
    pub fraction: Box<str>,
}

impl RecordedTime {
    /// Reads a recorded ISO start time: four-digit year, `T` or space, minutes needed and seconds optional, any number of fraction digits, `Z`,
    /// `±HH:MM`, `±HHMM` or no zone (UTC). `None` when the text is not such a time or the calendar has no such day.
    pub fn parse(text: &str) -> Option<Self> {
        todo!("{text}")
    }

    /// Milliseconds since the epoch, with the fraction.
    pub fn to_millis(&self) -> f64 {
        todo!()
    }
}
