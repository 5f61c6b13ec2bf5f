//! How an application spells its clocks: read from a recorded value, written for a generated one. Knows nothing of
//! entities or plans.

use super::write_clock::civil_from_days;
use crate::capture::RecordedTime;
use crate::json::{Number, Value};

/// The spelling of one clock member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockFormat {
    /// The spelling.
    pub shape: ClockShape,
    /// Seconds that the spelled time lies ahead of the write's: a local time without a zone.
    pub ahead: i64,
}

/// The spellings of an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClockShape {
    /// ISO 8601 with a time.
    Iso {
        /// `T` or a space.
        separator: char,
        /// Fraction digits; 0 is no fraction.
        digits: usize,
        /// The zone as it is spelled: `Z`, `+00:00`, or nothing.
        zone: Box<str>,
    },
    /// ISO 8601, the day only.
    Day,
    /// Seconds since the epoch, with as many fraction digits as a recorded one had.
    Seconds {
        /// Fraction digits.
        digits: usize,
    },
    /// Milliseconds since the epoch.
    Millis,
}

impl ClockShape {
    /// Whether it spells whole seconds and no less.
    pub fn ticks_seconds(&self) -> bool {
        matches!(self, Self::Iso { digits: 0, .. } | Self::Seconds { digits: 0 })
    }
}

/// Seconds: how far from a write's interval a clock may lie that it stamped.
const SLACK: f64 = 3.0;
/// Seconds: the steps and the largest distance of local times.
const ZONE_STEP: f64 = 900.0;
const MAX_ZONE: f64 = 14.0 * 3600.0;
/// Fraction digits that a derived format keeps.
const MAX_DIGITS: usize = 9;

impl ClockFormat {
    /// The format of a value that a write of the interval (milliseconds) stamped; `None` when it is no such clock.
    pub fn stamped(value: &Value, span: Option<(f64, f64)>) -> Option<Self> {
        let (start, end) = span?;
        let (shape, instant) = read(value)?;
        let seconds = seconds_of(&instant);
        let (start, end) = (start / 1000.0, end / 1000.0);
        let within = |ahead: f64| seconds - ahead >= start - SLACK && seconds - ahead <= end + SLACK;
        if shape == ClockShape::Day {
            let day = 86_400.0;
            return ((start / day).floor() * day - seconds == 0.0).then_some(Self { shape, ahead: 0 });
        }
        if within(0.0) {
            return Some(Self { shape, ahead: 0 });
        }
        let zoneless = matches!(&shape, ClockShape::Iso { zone, .. } if zone.is_empty());
        let ahead = ((seconds - start) / ZONE_STEP).round() * ZONE_STEP;
        #[allow(clippy::cast_possible_truncation)]
        (zoneless && ahead.abs() <= MAX_ZONE && within(ahead)).then_some(Self { shape, ahead: ahead as i64 })
    }

    /// The format of any clock value, whenever it was stamped.
    pub fn of(value: &Value) -> Option<Self> {
        read(value).map(|(shape, _)| Self { shape, ahead: 0 })
    }

    /// Whether a value is spelled this way.
    pub fn spells(&self, value: &Value) -> bool {
        read(value).is_some_and(|(shape, _)| match (&shape, &self.shape) {
            // Some spellings drop trailing zeros of the fraction.
            (ClockShape::Seconds { .. }, ClockShape::Seconds { .. }) => true,
            (ClockShape::Iso { separator, zone, .. }, ClockShape::Iso { separator: other, zone: held, .. }) => {
                separator == other && zone == held
            }
            (one, other) => one == other,
        })
    }

    /// The spelling that makes one spelling of a clock into another of the same instant; `None` when both are spelled alike,
    /// or one is no clock.
    pub fn between(from: &Value, to: &Value) -> Option<Self> {
        let ((from_shape, from), (shape, to)) = (read(from)?, read(to)?);
        let zoneless = |shape: &ClockShape| matches!(shape, ClockShape::Iso { zone, .. } if zone.is_empty());
        let ahead = to.seconds - from.seconds;
        #[allow(clippy::cast_possible_truncation)]
        let (step, most) = (ZONE_STEP as i64, MAX_ZONE as i64);
        let local = (zoneless(&shape) || zoneless(&from_shape)) && ahead % step == 0 && ahead.abs() <= most;
        let ahead = if shape == ClockShape::Day || !local { 0 } else { ahead };
        (shape != from_shape || ahead != 0).then_some(Self { shape, ahead })
    }

    /// Another spelling's instant in this one, digit for digit: digits that this one has no room for are cut off. `None` for
    /// what is no clock, for a day that has no time, and outside the years 0000–9999.
    pub fn respell(&self, value: &Value) -> Option<Value> {
        let (shape, instant) = read(value)?;
        if shape == ClockShape::Day && self.shape != ClockShape::Day {
            return None;
        }
        self.spell_instant(instant.seconds, &instant.fraction)
    }

    /// The spelling in words, for documents.
    pub fn words(&self) -> String {
        match &self.shape {
            ClockShape::Iso { separator, digits, zone } => {
                let fraction = if *digits == 0 { String::new() } else { format!(".{}", "s".repeat(*digits)) };
                format!("YYYY-MM-DD{separator}hh:mm:ss{fraction}{zone}")
            }
            ClockShape::Day => "YYYY-MM-DD".to_owned(),
            ClockShape::Seconds { digits } => format!("seconds since the epoch, {digits} fraction digits"),
            ClockShape::Millis => "milliseconds since the epoch".to_owned(),
        }
    }

    /// An instant in this spelling; `None` outside the years 0000–9999.
    pub fn spell(&self, seconds: i64) -> Option<Value> {
        self.spell_instant(seconds, "")
    }

    /// An instant, of which the digits of the fraction are known to be these and zeros.
    fn spell_instant(&self, seconds: i64, fraction: &str) -> Option<Value> {
        let seconds = seconds.checked_add(self.ahead)?;
        let fraction = |digits: usize| format!("{fraction:0<digits$.digits$}");
        match &self.shape {
            ClockShape::Millis => {
                Some(Value::from(seconds.checked_mul(1000)?.checked_add(fraction(3).parse::<i64>().ok()?)?))
            }
            ClockShape::Seconds { digits: 0 } => Some(Value::from(seconds)),
            ClockShape::Seconds { digits } => {
                Number::from_literal(&format!("{seconds}.{}", fraction(*digits))).map(Value::Number)
            }
            ClockShape::Day => Some(Value::from(day_text(seconds.div_euclid(86_400))?)),
            ClockShape::Iso { separator, digits, zone } => {
                let local = seconds.checked_add(zone_seconds(zone))?;
                let rest = local.rem_euclid(86_400);
                let day = day_text(local.div_euclid(86_400))?;
                let mut text = format!("{day}{separator}{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
                if *digits > 0 {
                    text.push('.');
                    text.push_str(&fraction(*digits));
                }
                text.push_str(zone);
                Some(Value::from(text))
            }
        }
    }
}

/// The instant that a clock value says.
pub(super) fn instant(value: &Value) -> Option<RecordedTime> {
    read(value).map(|(_, instant)| instant)
}

/// The seconds since the epoch that a clock value says, with its fraction.
pub fn clock_seconds(value: &Value) -> Option<f64> {
    read(value).map(|(_, instant)| seconds_of(&instant))
}

fn seconds_of(instant: &RecordedTime) -> f64 {
    instant.to_millis() / 1000.0
}

fn day_text(days: i64) -> Option<String> {
    let (year, month, day) = civil_from_days(days);
    (0..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

fn zone_seconds(zone: &str) -> i64 {
    let sign = match zone.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return 0,
    };
    let digits: Vec<i64> = zone.bytes().filter(u8::is_ascii_digit).map(|digit| i64::from(digit - b'0')).collect();
    let two = |at: usize| digits.get(at).zip(digits.get(at + 1)).map_or(0, |(tens, ones)| tens * 10 + ones);
    sign * (two(0) * 3600 + two(2) * 60)
}

fn read(value: &Value) -> Option<(ClockShape, RecordedTime)> {
    if let Some(number) = value.as_number() {
        let says = number.to_f64();
        let (whole, fraction) = number.as_str().split_once('.').unwrap_or((number.as_str(), ""));
        let whole: i64 = whole.parse().ok()?;
        let instant =
            |seconds: i64, fraction: &str| RecordedTime { seconds, fraction: fraction.trim_end_matches('0').into() };
        // From 2001 to 2096; other numbers are no clocks.
        return if (1.0e9..4.0e9).contains(&says)
            && fraction.len() <= MAX_DIGITS
            && fraction.bytes().all(|byte| byte.is_ascii_digit())
        {
            Some((ClockShape::Seconds { digits: fraction.len() }, instant(whole, fraction)))
        } else if (1.0e12..4.0e12).contains(&says) && fraction.is_empty() {
            Some((ClockShape::Millis, instant(whole.div_euclid(1000), &format!("{:03}", whole.rem_euclid(1000)))))
        } else {
            None
        };
    }
    let text = value.as_str()?;
    let bytes = text.as_bytes();
    if bytes.len() < 10 || !text.is_ascii() || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    if bytes.len() == 10 {
        return Some((ClockShape::Day, RecordedTime::parse(&format!("{text}T00:00:00Z"))?));
    }
    let time = RecordedTime::parse(text).filter(|_| bytes.get(16) == Some(&b':'))?;
    let rest = text.get(19..)?;
    let digits = match rest.strip_prefix('.') {
        Some(fraction) => fraction.bytes().take_while(u8::is_ascii_digit).count(),
        None => 0,
    };
    let zone = rest.get(if digits > 0 { digits + 1 } else { 0 }..)?;
    let separator = text.chars().nth(10)?;
    (digits <= MAX_DIGITS).then(|| (ClockShape::Iso { separator, digits, zone: zone.into() }, time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    /// 2026-03-01T10:00:00Z
    const AT: i64 = 1_772_359_200;

    #[rstest]
    #[case(r#""2026-03-01T10:00:00.123456Z""#, r#""2026-03-01T10:00:00.000000Z""#)]
    #[case(r#""2026-03-01T10:00:01+00:00""#, r#""2026-03-01T10:00:00+00:00""#)]
    #[case(r#""2026-03-01T12:00:01+02:00""#, r#""2026-03-01T12:00:00+02:00""#)]
    #[case(r#""2026-03-01 10:00:01""#, r#""2026-03-01 10:00:00""#)]
    #[case::local(r#""2026-03-01T12:00:01""#, r#""2026-03-01T12:00:00""#)]
    #[case::behind(r#""2026-03-01T04:30:01""#, r#""2026-03-01T04:30:00""#)]
    #[case::day(r#""2026-03-01""#, r#""2026-03-01""#)]
    #[case("1772359201", "1772359200")]
    #[case("1772359201.25", "1772359200.00")]
    #[case("1772359201250", "1772359200000")]
    fn a_stamped_clock_is_spelled_as_it_was(#[case] recorded: &str, #[case] expected: &str) {
        let start = (AT * 1000) as f64;
        let format = ClockFormat::stamped(&value(recorded), Some((start, start + 400.0))).unwrap();
        assert_eq!(format.spell(AT).unwrap().to_compact(), expected);
        assert!(format.spells(&value(recorded)));
    }

    #[rstest]
    #[case::another_time(r#""2026-03-01T10:07:00Z""#)]
    #[case::another_day(r#""2026-03-02""#)]
    #[case::a_number("12")]
    #[case::no_calendar_day(r#""2026-02-30T10:00:00Z""#)]
    #[case::a_text(r#""soon""#)]
    fn what_the_write_did_not_stamp(#[case] recorded: &str) {
        let start = (AT * 1000) as f64;
        assert_eq!(ClockFormat::stamped(&value(recorded), Some((start, start + 400.0))), None);
    }

    #[rstest]
    #[case(
        r#""2026-03-01T10:00:00.123Z""#,
        r#""2026-03-01T12:00:00.123+02:00""#,
        r#""2026-07-01T23:30:00.987Z""#,
        r#""2026-07-02T01:30:00.987+02:00""#
    )]
    #[case::cut(
        r#""2026-03-01T10:00:00.123456Z""#,
        r#""2026-03-01 10:00:00""#,
        r#""2026-03-01T10:00:01.999999Z""#,
        r#""2026-03-01 10:00:01""#
    )]
    #[case::seconds(r#""2026-03-01T10:00:00Z""#, "1772359200", r#""2026-03-01T10:00:01.5Z""#, "1772359201")]
    #[case::millis("1772359200", "1772359200000", "1772359201.25", "1772359201250")]
    #[case::from_millis(
        "1772359200123",
        r#""2026-03-01T10:00:00.123000Z""#,
        "1772359201007",
        r#""2026-03-01T10:00:01.007000Z""#
    )]
    #[case::local(
        r#""2026-03-01T10:00:00Z""#,
        r#""2026-03-01T11:00:00""#,
        r#""2026-03-01T23:10:00Z""#,
        r#""2026-03-02T00:10:00""#
    )]
    #[case::day(r#""2026-03-01T10:00:00Z""#, r#""2026-03-01""#, r#""2026-03-01T23:10:00Z""#, r#""2026-03-01""#)]
    fn a_clock_in_another_spelling(#[case] from: &str, #[case] to: &str, #[case] next: &str, #[case] expected: &str) {
        let format = ClockFormat::between(&value(from), &value(to)).unwrap();
        assert_eq!(format.respell(&value(from)).unwrap().to_compact(), to);
        assert_eq!(format.respell(&value(next)).unwrap().to_compact(), expected);
    }

    #[rstest]
    #[case::alike(r#""2026-03-01T10:00:00Z""#, r#""2026-03-01T10:00:07Z""#)]
    #[case::no_clock(r#""soon""#, r#""2026-03-01T10:00:07Z""#)]
    #[case::no_clock_either("12", "1772359200")]
    fn what_is_no_other_spelling(#[case] from: &str, #[case] to: &str) {
        assert_eq!(ClockFormat::between(&value(from), &value(to)), None);
    }

    #[test]
    fn a_day_has_no_time() {
        let format = ClockFormat::of(&value("1772359200")).unwrap();
        assert_eq!(format.respell(&value(r#""2026-03-01""#)), None);
    }

    #[test]
    fn years_have_four_digits() {
        let format = ClockFormat::of(&value(r#""2026-03-01T10:00:00Z""#)).unwrap();
        assert!(format.spell(253_402_300_799).is_some());
        assert_eq!(format.spell(253_402_300_800), None);
    }
}
