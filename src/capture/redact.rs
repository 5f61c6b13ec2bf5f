//! What is always removed from a capture (`evidence.md` 3.5) and what the caller names (3.6), in one pass that also notes
//! every number and every base64 body. Knows nothing of what makes an entry odd.

use super::CaptureError;
use super::budget::Budget;
use super::line;
use super::sensitive::Sensitive;
use super::tolerance::{Oddities, Tolerance};
use crate::json::{Number, Object, Pointer, Text, Value, push_index, push_token};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// Headers whose values are credentials.
const CREDENTIAL_HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
/// Headers whose values are URLs that may carry userinfo.
const URL_HEADERS: [&str; 3] = ["location", "referer", "origin"];
/// Bodies that may be base64: the holder of `text` and `encoding`.
const BODY_HOLDERS: [(&str, &str); 2] = [("request", "postData"), ("response", "content")];

/// Reason of a redaction the reader makes by itself.
const TRANSPORT: &str = "transport-credential";
/// Reason of a redaction the caller asked for.
const EXPLICIT: &str = "explicit-sensitive-value";

/// A document or an entry after redaction, with its notes. All pointers are relative to `reported`.
#[derive(Debug, Default)]
pub(super) struct Redacted {
    /// What is left.
    pub(super) reported: Value,
    /// Base64 bodies.
    pub(super) binary_fields: Vec<BinaryField>,
    /// Every number with its text.
    pub(super) numeric_literals: Vec<(Pointer, Number)>,
    /// What was removed.
    pub(super) redactions: Vec<Redaction>,
}

/// One thing that was removed.
#[derive(Debug)]
pub(super) struct Redaction {
    /// Where it was; of a name, the object that held it.
    pub(super) pointer: Pointer,
    /// Why.
    pub(super) reason: &'static str,
    /// Whether a member went with its name.
    pub(super) of_a_name: bool,
}

/// One body that is base64.
#[derive(Debug)]
pub(super) struct BinaryField {
    /// Where its text is.
    pub(super) pointer: Pointer,
    /// Canonical base64, length and digest of the bytes; `None` when it was removed.
    pub(super) retained: Option<(Value, usize, String)>,
}

/// Redacts one entry.
///
/// # Errors
/// Cancelled, out of time, over the result limit.
pub(super) fn redact_entry(
    entry: Value,
    sensitive: &Sensitive,
    odd: &mut Oddities,
    budget: &mut Budget,
) -> Result<Redacted, CaptureError> {
    let mut pass = Pass::new(entry, sensitive, budget);
    pass.transport();
    pass.base64_bodies(odd)?;
    pass.everything()?;
    Ok(pass.out)
}

/// Redacts the document around the entries: only what the caller named, since its members are no transactions.
///
/// # Errors
/// As [`redact_entry`].
pub(super) fn redact_container(
    container: Value,
    sensitive: &Sensitive,
    budget: &mut Budget,
) -> Result<Redacted, CaptureError> {
    let mut pass = Pass::new(container, sensitive, budget);
    pass.everything()?;
    Ok(pass.out)
}

/// One pass over a value.
struct Pass<'a> {
    out: Redacted,
    sensitive: &'a Sensitive,
    budget: &'a mut Budget,
}

impl<'a> Pass<'a> {
    fn new(reported: Value, sensitive: &'a Sensitive, budget: &'a mut Budget) -> Self {
        Self { out: Redacted { reported, ..Redacted::default() }, sensitive, budget }
    }

    /// Removes credential headers, cookie values and userinfo.
    fn transport(&mut self) {
        let mut removed = Vec::new();
        for (side_name, url) in [("request", "url"), ("response", "redirectURL")] {
            let Some(side) = self.out.reported.as_object_mut().and_then(|entry| entry.get_mut(side_name)) else {
                continue;
            };
            let Some(side) = side.as_object_mut() else { continue };
            if side.get_mut(url).is_some_and(cut_userinfo) {
                removed.push(format!("/{side_name}/{url}"));
            }
            if let Some(headers) = side.get_mut("headers") {
                redact_headers(headers, &format!("/{side_name}/headers"), &mut removed);
            }
            if let Some(cookies) = side.get_mut("cookies") {
                redact_cookies(cookies, &format!("/{side_name}/cookies"), &mut removed);
            }
        }
        let note = |pointer| Redaction { pointer, reason: TRANSPORT, of_a_name: false };
        self.out.redactions.extend(removed.into_iter().map(note));
    }

    /// Decodes the bodies that are base64; one that only says so keeps its text.
    fn base64_bodies(&mut self, odd: &mut Oddities) -> Result<(), CaptureError> {
        for (side, holder) in BODY_HOLDERS {
            let body = self
                .out
                .reported
                .as_object_mut()
                .and_then(|entry| entry.get_mut(side)?.as_object_mut()?.get_mut(holder)?.as_object_mut());
            let Some(body) = body else { continue };
            let is_base64 = body.get("encoding").and_then(Value::as_str) == Some("base64");
            let Some(text) = body.get_mut("text") else { continue };
            // Bodies are held once: by the Evidence and by the records read from it.
            if let Value::String(Text::Utf8(own)) = text {
                *text = Value::String(Text::Shared(std::mem::take(own).into()));
            }
            let Some(recorded) = text.as_str().filter(|_| is_base64) else { continue };
            let pointer = format!("/{side}/{holder}/text");
            let compact: std::borrow::Cow<'_, str> = if recorded.contains(|c: char| c.is_ascii_whitespace()) {
                recorded.chars().filter(|c| !c.is_ascii_whitespace()).collect::<String>().into()
            } else {
                recorded.into()
            };
            let Ok(bytes) = STANDARD.decode(compact.as_bytes()) else {
                odd.note(Tolerance::FalseBase64, pointer);
                continue;
            };
            let sha256 = hex(&Sha256::digest(&bytes));
            let removed = !self.sensitive.is_empty()
                && (self.sensitive.matches(recorded)
                    || self.sensitive.matches(&compact)
                    || self.sensitive.matches_bytes(&bytes)
                    || self.sensitive.matches(&sha256));
            self.budget.charge(compact.len() + 200)?;
            let retained = if removed {
                *text = Value::Null;
                self.out.redactions.push(Redaction { pointer: pointer.clone(), reason: EXPLICIT, of_a_name: false });
                None
            } else if compact.len() == recorded.len() {
                // The recorded text is the canonical one: both places hold the same text.
                Some((text.clone(), bytes.len(), sha256))
            } else {
                Some((Value::from(compact.into_owned()), bytes.len(), sha256))
            };
            self.out.binary_fields.push(BinaryField { pointer, retained });
        }
        Ok(())
    }

    /// Walks all members: notes numbers, removes what the caller named.
    fn everything(&mut self) -> Result<(), CaptureError> {
        let mut value = std::mem::take(&mut self.out.reported);
        let result = self.walk(&mut value, &mut Pointer::new());
        self.out.reported = value;
        result?;
        if !self.sensitive.is_empty() {
            let sensitive = self.sensitive;
            self.out.binary_fields.retain(|field| !sensitive.matches(&field.pointer));
            self.out.numeric_literals.retain(|(pointer, _)| !sensitive.matches(pointer));
            self.out.redactions.retain(|redaction| !sensitive.matches(&redaction.pointer));
        }
        for redaction in &self.out.redactions {
            self.budget.charge(redaction.pointer.len() + 90)?;
        }
        Ok(())
    }

    fn walk(&mut self, value: &mut Value, pointer: &mut Pointer) -> Result<(), CaptureError> {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(_) => self.number(value, pointer)?,
            Value::String(text) => {
                if self.sensitive.matches_text(text) {
                    *value = Value::Null;
                    self.removed(pointer);
                }
            }
            Value::Array(items) => {
                let length = pointer.len();
                for (index, item) in items.iter_mut().enumerate() {
                    push_index(pointer, index);
                    self.walk(item, pointer)?;
                    pointer.truncate(length);
                }
            }
            Value::Object(object) => {
                self.drop_names(object, pointer);
                let length = pointer.len();
                for (name, member) in object.iter_mut() {
                    push_name(pointer, name);
                    self.walk(member, pointer)?;
                    pointer.truncate(length);
                }
            }
            Value::Shared(_) | Value::Rendered(_) => {
                // A document that was just read shares nothing; should one do so, its own copy is looked at.
                let own = std::mem::take(value).into_plain();
                *value = own;
                self.walk(value, pointer)?;
            }
        }
        Ok(())
    }

    fn number(&mut self, value: &mut Value, pointer: &Pointer) -> Result<(), CaptureError> {
        let Value::Number(number) = value else { return Ok(()) };
        if !self.sensitive.is_empty() && self.sensitive.matches(number.as_str()) {
            *value = Value::Null;
            self.removed(pointer);
            return Ok(());
        }
        self.budget.charge(pointer.len() + number.as_str().len() + 62)?;
        let safe = number.is_safe();
        let number = if safe {
            number.clone()
        } else {
            match std::mem::take(value) {
                Value::Number(number) => number,
                other => {
                    *value = other;
                    return Ok(());
                }
            }
        };
        self.out.numeric_literals.push((pointer.clone(), number));
        Ok(())
    }

    /// Drops the members whose names match, with everything noted below them.
    fn drop_names(&mut self, object: &mut Object, pointer: &mut Pointer) {
        if self.sensitive.is_empty() || !object.iter().any(|(name, _)| self.sensitive.matches_text(name)) {
            return;
        }
        let length = pointer.len();
        let mut kept = Object::new();
        for (name, member) in std::mem::take(object) {
            if !self.sensitive.matches_text(&name) {
                kept.push(name, member);
                continue;
            }
            push_name(pointer, &name);
            self.forget(pointer);
            pointer.truncate(length);
            self.out.redactions.push(Redaction { pointer: pointer.clone(), reason: EXPLICIT, of_a_name: true });
        }
        *object = kept;
    }

    /// Forgets what was noted at or below `pointer`.
    fn forget(&mut self, pointer: &str) {
        let below =
            |held: &str| held.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.out.binary_fields.retain(|field| !below(&field.pointer));
        self.out.redactions.retain(|redaction| !below(&redaction.pointer));
    }

    fn removed(&mut self, pointer: &Pointer) {
        self.out.redactions.push(Redaction { pointer: pointer.clone(), reason: EXPLICIT, of_a_name: false });
    }
}

fn push_name(pointer: &mut Pointer, name: &Text) {
    push_token(pointer, &name.to_display());
}

/// Cuts the userinfo out of a URL, or out of each URL of an array; whether there was any.
fn cut_userinfo(value: &mut Value) -> bool {
    if value.as_array().is_some() {
        let Some(items) = value.as_array_mut() else { return false };
        // Every item is looked at, also after one was cut.
        return items.iter_mut().filter_map(|item| cut_userinfo(item).then_some(())).count() > 0;
    }
    match value.as_text() {
        Some(text) => match text.as_str().map(line::without_userinfo) {
            Some(Some(rest)) => {
                *value = rest.into();
                true
            }
            Some(None) => false,
            // A URL that is not Unicode and has an `@` is removed whole: nothing may slip through.
            None if text.as_bytes().contains(&b'@') => {
                *value = Value::Null;
                true
            }
            None => false,
        },
        None => false,
    }
}

/// Headers are a list of names and values, or in some producers an object of them.
fn redact_headers(headers: &mut Value, pointer: &str, removed: &mut Vec<Pointer>) {
    if let Some(items) = headers.as_array_mut() {
        for (index, header) in items.iter_mut().enumerate() {
            let Some(header) = header.as_object_mut() else { continue };
            let Some(name) = header.get("name").and_then(Value::as_text).map(lower_name) else { continue };
            if let Some(value) = header.get_mut("value")
                && redact_header(&name, value)
            {
                removed.push(format!("{pointer}/{index}/value"));
            }
        }
    } else if let Some(members) = headers.as_object_mut() {
        for (name, value) in members.iter_mut() {
            if redact_header(&lower_name(name), value) {
                let mut at = pointer.to_owned();
                push_name(&mut at, name);
                removed.push(at);
            }
        }
    }
}

fn lower_name(name: &Text) -> String {
    name.to_display().trim().to_ascii_lowercase()
}

/// Removes what must go from one header's value; whether anything went.
fn redact_header(name: &str, value: &mut Value) -> bool {
    if CREDENTIAL_HEADERS.contains(&name) {
        *value = Value::Null;
        return true;
    }
    URL_HEADERS.contains(&name) && cut_userinfo(value)
}

/// Cookies are a list of names and values, or in some producers an object of them.
fn redact_cookies(cookies: &mut Value, pointer: &str, removed: &mut Vec<Pointer>) {
    if let Some(items) = cookies.as_array_mut() {
        for (index, cookie) in items.iter_mut().enumerate() {
            if let Some(cookie) = cookie.as_object_mut() {
                if let Some(value) = cookie.get_mut("value") {
                    *value = Value::Null;
                    removed.push(format!("{pointer}/{index}/value"));
                }
            } else if cookie.as_text().is_some() {
                // A cookie as one text, name and value together.
                *cookie = Value::Null;
                removed.push(format!("{pointer}/{index}"));
            }
        }
    } else if let Some(members) = cookies.as_object_mut() {
        for (name, value) in members.iter_mut() {
            *value = Value::Null;
            let mut at = pointer.to_owned();
            push_name(&mut at, name);
            removed.push(at);
        }
    } else if cookies.as_text().is_some() {
        *cookies = Value::Null;
        removed.push(pointer.to_owned());
    }
}

/// Lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
