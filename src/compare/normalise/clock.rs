//! Clocks: two values that are clocks of one format are the same answer at another time.

use crate::json::Number;

/// How an ISO 8601 date-time is spelled. Two texts of one format differ only in the instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClockFormat {
    /// `T`, or a space.
    separator: u8,
    /// Fraction digits, 0 to 9; `None` without a point.
    fraction: Option<u8>,
    zone: Zone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    None,
    Utc,
    Extended,
    Compact,
}

impl ClockFormat {
    /// The format of a text that is a date and a time with seconds: a four-digit year (0000 to 9999), a day that the
    /// calendar has, `T` or a space, at most nine fraction digits, and `Z`, an offset of 00–23 hours and 00–59 minutes,
    /// or nothing.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() < 19 || bytes.len() > 35 {
            return None;
        }
        let shape = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
        if shape.iter().any(|&(at, expected)| bytes[at] != expected) || !matches!(bytes[10], b'T' | b' ') {
            return None;
        }
        let number = |from: usize, to: usize| digits(&bytes[from..to]);
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        if day == 0 || day > days_in_month(year, month)? || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let rest = &bytes[19..];
        let (fraction, zone) = match rest.strip_prefix(b".") {
            Some(rest) => {
                let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                if count == 0 || count > 9 {
                    return None;
                }
                (Some(u8::try_from(count).ok()?), &rest[count..])
            }
            None => (None, rest),
        };
        Some(Self { separator: bytes[10], fraction, zone: Zone::of(zone)? })
    }
}

impl Zone {
    fn of(text: &[u8]) -> Option<Self> {
        let offset = |hours: &[u8], minutes: &[u8]| Some(digits(hours)? <= 23 && digits(minutes)? <= 59);
        match text {
            [] => Some(Zone::None),
            [b'Z'] => Some(Zone::Utc),
            [b'+' | b'-', rest @ ..] => match rest {
                [a, b, b':', c, d] => offset(&[*a, *b], &[*c, *d])?.then_some(Zone::Extended),
                [a, b, c, d] => offset(&[*a, *b], &[*c, *d])?.then_some(Zone::Compact),
                _ => None,
            },
            _ => None,
        }
    }
}

fn digits(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0u32, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')))
}

fn days_in_month(year: u32, month: u32) -> Option<u32> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if leap { 29 } else { 28 }),
        _ => None,
    }
}

/// Whether the member called `name` holds clocks: its last word, after splitting `snake_case` and `camelCase`, is `at`,
/// `time`, `date`, `timestamp`, `created`, `updated` or `modified`.
pub(crate) fn is_clock_field(name: &str) -> bool {
    const WORDS: [&str; 7] = ["at", "time", "date", "timestamp", "created", "updated", "modified"];
    let last = name.rsplit('_').next().unwrap_or(name);
    // A camel-case word starts at a capital after a small letter or digit, or at the last capital of a run that a small
    // letter follows (`HTTPTime`).
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut characters = last.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next_is_small = characters.peek().is_some_and(|(_, next)| next.is_lowercase());
        if character.is_uppercase() && before.is_some_and(|before| !before.is_uppercase() || next_is_small) {
            start = at;
        }
        before = Some(character);
    }
    let word = last.get(start..).unwrap_or(last);
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The unit of an epoch number, told by its size: a number is a clock only where it lies between 1980 and 2200 in
/// seconds, milliseconds, microseconds or nanoseconds (0 never does), and two clocks are of one format only in the same
/// unit and when both or neither have a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EpochFormat {
    power: u8,
    fraction: bool,
}

impl EpochFormat {
    /// Reads a number as an epoch clock.
    pub(crate) fn of(number: &Number) -> Option<Self> {
        const FIRST: f64 = 315_532_800.0;
        const LAST: f64 = 7_258_118_400.0;
        let value = number.to_f64();
        let power = [(0u8, 1.0), (3, 1e3), (6, 1e6), (9, 1e9)]
            .into_iter()
            .find(|(_, unit)| (FIRST * unit..LAST * unit).contains(&value))?
            .0;
        Some(Self { power, fraction: !number.is_integer_literal() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("2024-02-29T10:00:00Z", "2025-01-01T00:00:59Z")]
    #[case("0000-01-01T00:00:00Z", "0099-12-31T23:59:59Z")]
    #[case("2024-01-01T10:00:00.123Z", "2024-01-02T10:00:00.000Z")]
    #[case("2024-01-01 10:00:00", "1999-01-02 10:00:00")]
    #[case("2024-01-01T10:00:00+00:00", "2024-01-02T10:00:00-23:59")]
    #[case("2024-01-01T10:00:00.123456789+0000", "2024-01-02T10:00:00.987654321+1400")]
    fn one_format(#[case] a: &str, #[case] b: &str) {
        assert!(ClockFormat::of(a).is_some());
        assert_eq!(ClockFormat::of(a), ClockFormat::of(b));
    }

    #[rstest]
    #[case::fraction("2024-01-01T10:00:00Z", "2024-01-01T10:00:00.000Z")]
    #[case::fraction_digits("2024-01-01T10:00:00.0Z", "2024-01-01T10:00:00.000Z")]
    #[case::separator("2024-01-01T10:00:00Z", "2024-01-01 10:00:00Z")]
    #[case::zone("2024-01-01T10:00:00Z", "2024-01-01T10:00:00+00:00")]
    #[case::offset_spelling("2024-01-01T10:00:00+00:00", "2024-01-01T10:00:00+0000")]
    #[case::no_zone("2024-01-01T10:00:00Z", "2024-01-01T10:00:00")]
    fn other_formats(#[case] a: &str, #[case] b: &str) {
        assert!(ClockFormat::of(a).is_some() && ClockFormat::of(b).is_some());
        assert_ne!(ClockFormat::of(a), ClockFormat::of(b));
    }

    #[rstest]
    #[case::date_only("2024-01-01")]
    #[case::no_seconds("2024-01-01T10:00Z")]
    #[case::offset_hours("2024-01-01T10:00:00+24:00")]
    #[case::offset_minutes("2024-01-01T10:00:00+10:60")]
    #[case::offset_hour_only("2024-01-01T10:00:00+10")]
    #[case::no_such_day("2023-02-29T10:00:00Z")]
    #[case::century("1900-02-29T10:00:00Z")]
    #[case::day_zero("2024-01-00T10:00:00Z")]
    #[case::month("2024-13-01T10:00:00Z")]
    #[case::hour("2024-01-01T24:00:00Z")]
    #[case::second("2024-01-01T10:00:60Z")]
    #[case::ten_fraction_digits("2024-01-01T10:00:00.1234567890Z")]
    #[case::empty_fraction("2024-01-01T10:00:00.Z")]
    #[case::five_digit_year("12024-01-01T10:00:00Z")]
    #[case::text_after("2024-01-01T10:00:00Z!")]
    #[case::small_t("2024-01-01t10:00:00Z")]
    #[case::unicode("2024-01-01T10:00:0é")]
    #[case::words("the third of May, 2024")]
    fn no_clock(#[case] text: &str) {
        assert_eq!(ClockFormat::of(text), None);
    }

    #[rstest]
    #[case("at")]
    #[case("created_at")]
    #[case("createdAt")]
    #[case("creation_time")]
    #[case("startTime")]
    #[case("date")]
    #[case("last_modified")]
    #[case("lastUpdated")]
    #[case("HTTPTime")]
    #[case("TIMESTAMP")]
    #[case("CREATED_AT")]
    #[case("created")]
    fn clock_fields(#[case] name: &str) {
        assert!(is_clock_field(name));
    }

    #[rstest]
    #[case::measurement("duration")]
    #[case::acting_user("created_by")]
    #[case::within_a_word("update")]
    #[case::end_of_a_word("format")]
    #[case::end_of_a_lower_word("runtime")]
    #[case::plural("timestamps")]
    #[case::word_before("time_estimate")]
    #[case::word_before_camel("timeSpent")]
    #[case::count("date_count")]
    #[case::empty("")]
    fn other_fields(#[case] name: &str) {
        assert!(!is_clock_field(name));
    }

    #[rstest]
    #[case::seconds("1700000000", "1600000000", true)]
    #[case::milliseconds("1700000000000", "1600000000000", true)]
    #[case::fractions("1700000000.5", "1600000000.123", true)]
    #[case::units_differ("1700000000", "1700000000000", false)]
    #[case::one_fraction("1700000000", "1700000000.5", false)]
    #[case::zero_is_never("0", "1700000000", false)]
    #[case::small_numbers("35", "36", false)]
    #[case::negative("-1700000000", "-1600000000", false)]
    fn epoch_numbers(#[case] a: &str, #[case] b: &str, #[case] same: bool) {
        let number = |text: &str| Number::from_literal(text).unwrap();
        let (a, b) = (EpochFormat::of(&number(a)), EpochFormat::of(&number(b)));
        assert_eq!(a.is_some() && a == b, same);
    }
}
