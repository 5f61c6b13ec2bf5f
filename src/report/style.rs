//! Colours of the terminal report, decided in one place.

use super::facts::Grade;
use anstyle::{AnsiColor, Style};

/// Headings.
pub(super) const HEADING: Style = Style::new().bold();
/// What matters less.
pub(super) const FAINT: Style = Style::new().dimmed();
/// The application's value.
pub(super) const LIVE: Style = AnsiColor::Green.on_default();
/// The environment's value.
pub(super) const ENVIRONMENT: Style = AnsiColor::Red.on_default();

/// The style of an agreement.
pub(super) fn of_grade(grade: Grade) -> Style {
    match grade {
        Grade::Good => AnsiColor::Green.on_default().bold(),
        Grade::Fair => AnsiColor::Yellow.on_default().bold(),
        Grade::Bad => AnsiColor::Red.on_default().bold(),
        Grade::Unknown => FAINT,
    }
}
