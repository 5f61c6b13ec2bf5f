//! Settings from the process environment. A set but unusable value is refused by name, never silently replaced.

use crate::evidence::{Code, ErrorDocument};
use crate::json::{Object, Value};

/// A setting that cannot be used, as the error document.
pub fn unusable(setting: &str, constraint: &str) -> ErrorDocument {
    let detail = Object::new().with("setting", setting).with("constraint", constraint);
    ErrorDocument::new(
        Code::ConfigurationInvalid,
        format!("{setting} {constraint}"),
        format!("Unset {setting} or set it to a usable value."),
    )
    .detail("settings", vec![Value::from(detail)])
}

/// The value of a variable; `None` when it is not set.
///
/// # Errors
/// A value that is not UTF-8.
pub fn variable(name: &str) -> Result<Option<String>, ErrorDocument> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(unusable(name, "must be UTF-8 text")),
    }
}
