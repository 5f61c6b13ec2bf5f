//! The clock that generated values start from: the later of the last record's end and the largest clock that an entity
//! holds.

use super::store::World;
use crate::capture::{Capture, RecordedTime};
use crate::json::Value;

/// Seconds: how far after the last record's end a held clock may lie and still be one that the application stamped. Zones
/// and skewed clocks stay under a day; later ones are dates that somebody chose, such as a due date.
const MAX_AHEAD_SECONDS: i64 = 24 * 60 * 60;
/// Levels of an entity that are searched for clocks.
const MAX_LEVELS: usize = 4;

/// The write clock as ISO text in UTC with whole seconds; `None` when a record has no readable start, because such a
/// capture teaches no clock.
pub fn write_clock(capture: &Capture, world: &World, types: usize) -> Option<String> {
    write_clock_seconds(capture, world, types).map(spell)
}

/// The write clock in seconds since the epoch.
pub fn write_clock_seconds(capture: &Capture, world: &World, types: usize) -> Option<i64> {
    let mut last: Option<i64> = None;
    for record in capture.records.iter() {
        #[allow(clippy::cast_possible_truncation)]
        let lasted = (record.duration_ms.unwrap_or(0.0) / 1000.0).ceil() as i64;
        last = last.max(Some(record.start.as_ref()?.seconds.saturating_add(lasted)));
    }
    let end = last?;
    let mut clock = end;
    for kind in 0..types {
        for entity in world.collections(kind).flat_map(|(_, collection)| collection.iter()) {
            largest(&entity.fields, MAX_LEVELS, end + MAX_AHEAD_SECONDS, &mut clock);
        }
    }
    Some(clock)
}

fn largest(value: &Value, levels: usize, limit: i64, clock: &mut i64) {
    match value.plain() {
        Value::String(text) => {
            let held = text.as_str().filter(|text| text.len() >= 16 && text.as_bytes()[4] == b'-');
            if let Some(time) = held.and_then(RecordedTime::parse)
                && time.seconds <= limit
            {
                *clock = (*clock).max(time.seconds);
            }
        }
        Value::Array(items) if levels > 0 => items.iter().for_each(|item| largest(item, levels - 1, limit, clock)),
        Value::Object(object) if levels > 0 => {
            object.iter().for_each(|(_, inner)| largest(inner, levels - 1, limit, clock));
        }
        _ => {}
    }
}

/// `2026-01-02T03:04:05Z`
fn spell(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The day of the proleptic Gregorian calendar, `days` after 1970-01-01.
pub(super) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    // Years start in March here, so that the leap day is the last one of its year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_spelled_clock_reads_back(seconds in -62_000_000_000i64..250_000_000_000) {
            let read = RecordedTime::parse(&spell(seconds)).map(|time| time.seconds);
            prop_assert_eq!(read, Some(seconds));
        }
    }

    #[test]
    fn a_date_far_ahead_is_no_clock_of_the_application() {
        let mut clock = 1000;
        let entity = crate::json::parse(
            br#"{"due":"2099-01-01T00:00:00Z","at":{"updated":"1970-01-01T00:20:00.5Z"},"n":"1970-not-a-clock"}"#,
        );
        largest(&entity.unwrap(), MAX_LEVELS, 1000 + MAX_AHEAD_SECONDS, &mut clock);
        assert_eq!(clock, 1200);
    }
}
