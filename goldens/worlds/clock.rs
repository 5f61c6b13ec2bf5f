//! Instants and the ways applications spell them. An instant is microseconds since 1970-01-01T00:00:00Z.

use super::json::Json;

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;

/// How a clock member is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockFormat {
    /// `2026-03-01T10:00:00.123456Z`
    Micros,
    /// `2026-03-01T10:00:00.123Z`
    Millis,
    /// Second resolution spelled `2026-03-01T10:00:00.000Z`
    ZeroMillis,
    /// Milliseconds spelled with six digits: `2026-03-01T10:00:00.123000Z`
    MillisAsMicros,
    /// `2026-03-01T10:00:00.123+00:00`
    Offset,
    /// `2026-03-01T10:00:00Z`
    Seconds,
    /// `2026-03-01T10:00:00`, no zone
    NoZone,
    /// The same, two hours ahead: a local clock beside one in UTC
    Local,
    /// `2026-03-01`
    Date,
    /// Seconds since the epoch, a number
    EpochSeconds,
    /// Milliseconds since the epoch, a number
    EpochMillis,
}

/// Year, month, day of a count of days since the epoch (proleptic Gregorian).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted_month + 2) / 5 + 1)
}

fn date(instant: i64) -> String {
    let (year, month, day) = civil(instant.div_euclid(86_400 * SECOND));
    format!("{year:04}-{month:02}-{day:02}")
}

fn to_second(instant: i64) -> String {
    let second = instant.div_euclid(SECOND).rem_euclid(86_400);
    format!("{}T{:02}:{:02}:{:02}", date(instant), second / 3600, second / 60 % 60, second % 60)
}

/// The start time of a HAR entry: six digits and `+00:00`.
pub fn har_time(instant: i64) -> String {
    format!("{}.{:06}+00:00", to_second(instant), instant.rem_euclid(SECOND))
}

impl ClockFormat {
    /// An instant in this spelling.
    pub fn spell(self, instant: i64) -> Json {
        let micros = instant.rem_euclid(SECOND);
        let text = to_second(instant);
        match self {
            ClockFormat::Micros => format!("{text}.{micros:06}Z").into(),
            ClockFormat::Millis => format!("{text}.{:03}Z", micros / 1000).into(),
            ClockFormat::ZeroMillis => format!("{text}.000Z").into(),
            ClockFormat::MillisAsMicros => format!("{text}.{:03}000Z", micros / 1000).into(),
            ClockFormat::Offset => format!("{text}.{:03}+00:00", micros / 1000).into(),
            ClockFormat::Seconds => format!("{text}Z").into(),
            ClockFormat::NoZone => text.into(),
            ClockFormat::Local => to_second(instant + 7200 * SECOND).into(),
            ClockFormat::Date => date(instant).into(),
            ClockFormat::EpochSeconds => instant.div_euclid(SECOND).into(),
            ClockFormat::EpochMillis => instant.div_euclid(1000).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ClockFormat, SECOND, har_time};

    #[test]
    fn instants_are_spelled_as_their_format_says() {
        let instant = 1_772_359_205 * SECOND + 123_456;
        let spelled = |format: ClockFormat| format.spell(instant).write();
        assert_eq!(har_time(instant), "2026-03-01T10:00:05.123456+00:00");
        assert_eq!(spelled(ClockFormat::Micros), r#""2026-03-01T10:00:05.123456Z""#);
        assert_eq!(spelled(ClockFormat::MillisAsMicros), r#""2026-03-01T10:00:05.123000Z""#);
        assert_eq!(spelled(ClockFormat::ZeroMillis), r#""2026-03-01T10:00:05.000Z""#);
        assert_eq!(spelled(ClockFormat::Local), r#""2026-03-01T12:00:05""#);
        assert_eq!(spelled(ClockFormat::Date), r#""2026-03-01""#);
        assert_eq!(spelled(ClockFormat::EpochSeconds), "1772359205");
        assert_eq!(spelled(ClockFormat::EpochMillis), "1772359205123");
        assert_eq!(ClockFormat::Date.spell(1_709_164_800 * SECOND).write(), r#""2024-02-29""#);
        assert_eq!(ClockFormat::Date.spell(-SECOND).write(), r#""1969-12-31""#);
    }
}
