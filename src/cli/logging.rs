//! Logs: JSON lines on standard error, one object a line (`evidence.md` 5.1). `REA_LOG_LEVEL` chooses how much.

use super::settings::{unusable, variable};
use crate::evidence::ErrorDocument;
use crate::json::{Number, Object, Value, write_compact};
use std::fmt::Debug;
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// The variable that chooses the level.
const LEVEL_VARIABLE: &str = "REA_LOG_LEVEL";
/// Members whose values are never written.
const CENSORED: [&str; 4] = ["token", "params", "arguments", "environment"];

/// The words of `REA_LOG_LEVEL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing.
    Silent,
    /// What ends a command, which tracing has no word for; the same as `error`.
    Fatal,
    /// Failures.
    Error,
    /// Doubtful things.
    Warn,
    /// What happens.
    Info,
    /// What helps to find a fault.
    Debug,
    /// Everything.
    Trace,
}

impl Level {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "silent" => Self::Silent,
            "fatal" => Self::Fatal,
            "error" => Self::Error,
            "warn" => Self::Warn,
            "info" => Self::Info,
            "debug" => Self::Debug,
            "trace" => Self::Trace,
            _ => return None,
        })
    }

    fn filter(self) -> LevelFilter {
        match self {
            // Nothing here is worse than an error, so `fatal` writes nothing.
            Self::Silent | Self::Fatal => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Trace => LevelFilter::TRACE,
        }
    }
}

/// Starts logging for this process at `REA_LOG_LEVEL`, or at `default` when it is not set.
///
/// # Errors
/// A word that is no level.
pub fn start(default: Level) -> Result<(), ErrorDocument> {
    let level = match variable(LEVEL_VARIABLE)? {
        None => default,
        Some(word) => Level::parse(&word).ok_or_else(|| {
            unusable(LEVEL_VARIABLE, "must be one of trace, debug, info, warn, error, fatal and silent")
        })?,
    };
    let lines = JsonLines.with_filter(level.filter());
    // A process that already has a subscriber (a test) keeps it.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines));
    Ok(())
}

/// The line that every command ends with.
pub fn command_ended(command: &str, took: Duration, failed: bool) {
    let duration_ms = (took.as_secs_f64() * 100_000.0).round() / 100.0;
    if failed {
        tracing::error!(command, durationMs = duration_ms, status = "error", "CLI command failed");
    } else {
        tracing::info!(command, durationMs = duration_ms, status = "ok", "CLI command completed");
    }
}

/// The layer that writes the lines.
struct JsonLines;

impl<S: Subscriber> Layer<S> for JsonLines {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut members = Members::default();
        event.record(&mut members);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let mut bytes = Vec::with_capacity(256);
        write_compact(&line(*event.metadata().level(), time, members), &mut bytes);
        bytes.push(b'\n');
        // A log line that cannot be written is lost: there is nowhere to say so.
        let _ = std::io::stderr().lock().write_all(&bytes);
    }
}

fn line(level: tracing::Level, time: u64, members: Members) -> Value {
    let number: u64 = match level {
        tracing::Level::TRACE => 10,
        tracing::Level::DEBUG => 20,
        tracing::Level::INFO => 30,
        tracing::Level::WARN => 40,
        tracing::Level::ERROR => 50,
    };
    let mut line =
        Object::new().with("level", number).with("time", time).with("application", "rea").with("mode", "cli");
    for (name, value) in members.fields {
        line.push(name, value);
    }
    line.push("msg", members.message);
    line.into()
}

/// The fields of one event.
#[derive(Default)]
struct Members {
    fields: Object,
    message: String,
}

impl Members {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        let censored = CENSORED.contains(&field.name());
        let value = if censored { "[Redacted]".into() } else { value.into() };
        self.fields.set(field.name(), value);
    }
}

impl Visit for Members {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            value.clone_into(&mut self.message);
        } else {
            self.put(field, value);
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, Number::from_f64(value).map_or(Value::Null, Value::from));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonLines, Level, Members, line};
    use crate::json::{Object, parse};
    use rstest::rstest;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

    #[rstest]
    #[case("trace", Some(Level::Trace))]
    #[case("silent", Some(Level::Silent))]
    #[case("INFO", None)]
    #[case("", None)]
    fn levels_have_words(#[case] word: &str, #[case] level: Option<Level>) {
        assert_eq!(Level::parse(word), level);
    }

    #[test]
    fn a_line_has_the_members_in_order() {
        let members = Members { fields: Object::new().with("url", "http://x"), message: "up".into() };
        let text = line(tracing::Level::INFO, 7, members).to_compact();
        assert_eq!(text, r#"{"level":30,"time":7,"application":"rea","mode":"cli","url":"http://x","msg":"up"}"#);
    }

    /// Keeps the lines instead of writing them.
    struct Kept(Arc<Mutex<Vec<String>>>);

    impl<S: tracing::Subscriber> Layer<S> for Kept {
        fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
            let mut members = Members::default();
            event.record(&mut members);
            self.0.lock().unwrap().push(line(*event.metadata().level(), 0, members).to_compact());
        }
    }

    #[test]
    fn secrets_are_censored_and_numbers_stay_numbers() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let subscriber = tracing_subscriber::registry().with(Kept(Arc::clone(&kept))).with(JsonLines);
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(token = "abc", count = 3, ms = 1.25, "said {}", "so");
        });
        let line = kept.lock().unwrap().remove(0);
        let value = parse(line.as_bytes()).unwrap();
        assert_eq!(value.get("token").unwrap().as_str(), Some("[Redacted]"));
        assert!(line.contains(r#""count":3,"ms":1.25,"msg":"said so""#), "{line}");
    }
}
