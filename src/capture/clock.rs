//! The exact recorded start of a record: every fractional digit counts. Knows nothing of records or HAR.

/// An instant as it was recorded: seconds since the epoch and the exact fraction digits, trailing zeros removed. Orders
/// as the recording does, whatever the number of digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordedTime {
    /// Whole seconds since 1970-01-01T00:00:00Z (floor).
    pub seconds: i64,
    /// Fraction digits after the point, without trailing zeros; compares as text.
    pub fraction: Box<str>,
}

/// Reads the digits of a time from the front of a text.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Exactly `count` digits.
    fn number(&mut self, count: usize) -> Option<i64> {
        let digits = self.rest.get(..count)?;
        let mut value = 0;
        for digit in digits {
            if !digit.is_ascii_digit() {
                return None;
            }
            value = value * 10 + i64::from(digit - b'0');
        }
        self.rest = self.rest.get(count..)?;
        Some(value)
    }

    /// All digits that follow.
    fn digits(&mut self) -> &'a [u8] {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        digits
    }

    /// Takes one byte if it is one of `wanted`.
    fn take(&mut self, wanted: &[u8]) -> Option<u8> {
        let byte = *self.rest.first()?;
        if !wanted.contains(&byte) {
            return None;
        }
        self.rest = self.rest.get(1..)?;
        Some(byte)
    }
}

impl RecordedTime {
    /// Reads a recorded ISO start time: four-digit year, `T` or space, minutes needed and seconds optional, any number of fraction digits, `Z`,
    /// `±HH:MM`, `±HHMM`, `±HH` or no zone (UTC). `None` when the text is not such a time or the calendar has no such day.
    /// A leap second (`:60`) is the first instant of the next minute.
    pub fn parse(text: &str) -> Option<Self> {
        let mut cursor = Cursor { rest: text.trim().as_bytes() };
        let year = cursor.number(4)?;
        cursor.take(b"-")?;
        let month = cursor.number(2)?;
        cursor.take(b"-")?;
        let day = cursor.number(2)?;
        cursor.take(b"Tt ")?;
        let hour = cursor.number(2)?;
        cursor.take(b":")?;
        let minute = cursor.number(2)?;
        let mut second = 0;
        let mut fraction: &[u8] = b"";
        if cursor.take(b":").is_some() {
            second = cursor.number(2)?;
            if cursor.take(b".,").is_some() {
                fraction = cursor.digits();
                if fraction.is_empty() {
                    return None;
                }
            }
        }
        let offset = Self::zone(&mut cursor)?;
        if !cursor.rest.is_empty() || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let days = days_from_civil(year, month, day)?;
        let kept = fraction.len() - fraction.iter().rev().take_while(|digit| **digit == b'0').count();
        let fraction = fraction.get(..kept)?.iter().map(|digit| char::from(*digit)).collect::<String>();
        Some(Self {
            seconds: days * 86_400 + hour * 3600 + minute * 60 + second - offset,
            fraction: fraction.into_boxed_str(),
        })
    }

    /// Seconds east of UTC.
    fn zone(cursor: &mut Cursor<'_>) -> Option<i64> {
        if cursor.rest.is_empty() || cursor.take(b"Zz").is_some() {
            return Some(0);
        }
        let sign = if cursor.take(b"+-")? == b'-' { -1 } else { 1 };
        let hours = cursor.number(2)?;
        let minutes = if cursor.rest.is_empty() {
            0
        } else {
            let _colon = cursor.take(b":");
            cursor.number(2)?
        };
        if hours > 23 || minutes > 59 {
            return None;
        }
        Some(sign * (hours * 3600 + minutes * 60))
    }

    /// Milliseconds since the epoch, with the fraction.
    pub fn to_millis(&self) -> f64 {
        let fraction: f64 =
            if self.fraction.is_empty() { 0.0 } else { format!("0.{}", self.fraction).parse().unwrap_or(0.0) };
        #[allow(clippy::cast_precision_loss)]
        let seconds = self.seconds as f64;
        (seconds + fraction) * 1000.0
    }

    /// An instant from milliseconds since the epoch, as a browser's clock gives it.
    pub fn from_millis(millis: f64) -> Option<Self> {
        if !millis.is_finite() || millis.abs() > 8.64e15 {
            return None;
        }
        let seconds = (millis / 1000.0).floor();
        let micros = ((millis - seconds * 1000.0) * 1000.0).round().clamp(0.0, 999_999.0);
        let fraction = format!("{micros:06}");
        #[allow(clippy::cast_possible_truncation)]
        Some(Self { seconds: seconds as i64, fraction: fraction.trim_end_matches('0').into() })
    }
}

/// Days since 1970-01-01 of a day of the proleptic Gregorian calendar, years 0000–9999.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years start in March here, so that the leap day is the last one of its year.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn time(text: &str) -> RecordedTime {
        RecordedTime::parse(text).unwrap()
    }

    #[rstest]
    #[case("1970-01-01T00:00:00Z", 0, "")]
    #[case("1970-01-01T00:00Z", 0, "")]
    #[case("1970-01-01 00:00:01", 1, "")]
    #[case("2026-11-29T20:19:33.707917+00:00", 1_795_983_573, "707917")]
    #[case("2026-11-29T20:19:33.7079170000+0000", 1_795_983_573, "707917")]
    #[case("2017-04-06T12:01:02.1234567+02:00", 1_491_472_862, "1234567")]
    #[case("2017-04-06T12:01:02.1234567890123456789-02", 1_491_487_262, "1234567890123456789")]
    #[case("0000-03-01T00:00:00Z", -62_162_035_200, "")]
    #[case("9999-12-31T23:59:59.9Z", 253_402_300_799, "9")]
    #[case("2016-12-31T23:59:60Z", 1_483_228_800, "")]
    #[case("1969-12-31T23:59:59.5Z", -1, "5")]
    fn reads(#[case] text: &str, #[case] seconds: i64, #[case] fraction: &str) {
        assert_eq!(time(text), RecordedTime { seconds, fraction: fraction.into() });
    }

    #[rstest]
    #[case("")]
    #[case("yesterday")]
    #[case("2023-02-29T00:00:00Z")]
    #[case("1900-02-29T00:00:00Z")]
    #[case("2023-13-01T00:00:00Z")]
    #[case("2023-01-00T00:00:00Z")]
    #[case("2023-01-01")]
    #[case("2023-01-01T24:00:00Z")]
    #[case("2023-01-01T00:00:00.Z")]
    #[case("2023-01-01T00:00:00Zjunk")]
    #[case("2023-01-01T00:00:00+2")]
    #[case("20230101T000000Z")]
    #[case("Thu, 06 Apr 2017 12:01:02 GMT")]
    fn refuses(#[case] text: &str) {
        assert_eq!(RecordedTime::parse(text), None);
    }

    #[test]
    fn milliseconds_keep_the_fraction() {
        assert!((time("1970-01-01T00:00:01.2505Z").to_millis() - 1250.5).abs() < 1e-9);
        assert!((time("1969-12-31T23:59:59.5Z").to_millis() + 500.0).abs() < 1e-9);
        assert_eq!(RecordedTime::from_millis(1250.5), Some(time("1970-01-01T00:00:01.2505Z")));
        assert_eq!(RecordedTime::from_millis(-500.0), Some(time("1969-12-31T23:59:59.5Z")));
        assert_eq!(RecordedTime::from_millis(f64::NAN), None);
    }

    /// A time text of up to nine fraction digits, and one that jiff reads.
    fn spelled() -> impl Strategy<Value = String> {
        (
            (0i16..=9998, 1i8..=12, 1i8..=28),
            (0u8..=23, 0u8..=59, 0u8..=59),
            proptest::option::of("[0-9]{1,9}"),
            prop_oneof![Just("Z".to_owned()), (0u8..=23, 0u8..=59).prop_map(|(h, m)| format!("+{h:02}:{m:02}"))],
        )
            .prop_filter_map("jiff's first instants", |((y, mo, d), (h, mi, s), fraction, zone)| {
                let fraction = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
                (y > 0).then(|| format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}{fraction}{zone}"))
            })
    }

    proptest! {
        /// Law: up to nine digits, the recorded time is jiff's instant and orders as jiff's do.
        #[test]
        fn orders_as_jiff(left in spelled(), right in spelled()) {
            let (a, b): (jiff::Timestamp, jiff::Timestamp) = (left.parse().unwrap(), right.parse().unwrap());
            prop_assert_eq!(time(&left).cmp(&time(&right)), a.cmp(&b));
            let nanos = format!("{:0<9}", &*time(&left).fraction).parse::<i128>().unwrap();
            prop_assert_eq!(i128::from(time(&left).seconds) * 1_000_000_000 + nanos, a.as_nanosecond());
        }

        /// Law: any number of digits orders by the exact decimal fraction.
        #[test]
        fn orders_by_every_digit(left in "[0-9]{1,40}", right in "[0-9]{1,40}") {
            let spell = |digits: &str| time(&format!("2024-05-06T07:08:09.{digits}Z"));
            let padded = |digits: &str| format!("{digits:0<40}");
            prop_assert_eq!(spell(&left).cmp(&spell(&right)), padded(&left).cmp(&padded(&right)));
        }

        /// Law: no text makes the reader panic.
        #[test]
        fn never_panics(text in "\\PC{0,40}") {
            let _ = RecordedTime::parse(&text);
        }
    }
}
