//! The credential scan: which recorded names look like credentials and hold a value. Says where, by record or event and
//! pointer, and never what. Names do not prove that something is secret, so nothing is refused for them.

use super::credential_names::is_credential;
use super::limits::{LISTED_PLACES, MAX_SCANNED_BODY_BYTES};
use super::shown::shown;
use crate::capture::{BodyKind, body_kind, names_nothing};
use crate::evidence::Evidence;
use crate::json::{Number, Object, Value, parse, push_index, push_token};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What a scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// Names that look like credentials and hold a value.
    pub(super) named: Places,
    /// Bodies that were too large to look at.
    pub(super) unscanned: Places,
}

/// Places: how many, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) count: usize,
    pub(super) listed: Vec<String>,
}

impl Places {
    fn add(&mut self, place: impl FnOnce() -> String) {
        self.count += 1;
        if self.listed.len() < LISTED_PLACES {
            self.listed.push(place());
        }
    }

    /// The places of a sentence.
    pub(super) fn said(&self) -> String {
        let mut said = self.listed.join(", ");
        if self.count > self.listed.len() {
            said.push_str(&format!(" and {} more", self.count - self.listed.len()));
        }
        said
    }
}

/// Scans capture Evidence: the records of a HAR, or the events of a browser scenario.
pub(super) fn scan(evidence: &Evidence) -> Scan {
    let mut scan = Scan::default();
    let result = &evidence.normalized_result;
    let items = result.get("events").and_then(|events| events.get("items")).and_then(Value::as_array);
    match (result.get("records").and_then(Value::as_array), items) {
        (Some(records), _) => records.iter().for_each(|record| scan.record(record)),
        (None, Some(events)) => scan.events(events),
        (None, None) => {}
    }
    scan
}

/// One side of a transaction, for places.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// `record 3`, `event 4`.
    of: &'a str,
    side: &'static str,
}

impl Side<'_> {
    fn place(&self, what: &str) -> String {
        format!("{} {} {}", self.of, self.side, shown(what))
    }
}

impl Scan {
    /// A record of a HAR.
    fn record(&mut self, record: &Value) {
        let ordinal = record.get("ordinal").and_then(Value::as_number).map_or("?", Number::as_str);
        let of = format!("record {ordinal}");
        let Some(reported) = record.get("reported") else { return };
        let binary = record.get("binary_fields").and_then(Value::as_array).unwrap_or_default();
        if let Some(url) = reported.get("request").and_then(|request| request.get("url")).and_then(Value::as_str) {
            self.query(&of, url);
        }
        for (side, holder) in [("request", "postData"), ("response", "content")] {
            let Some(message) = reported.get(side) else { continue };
            let at = Side { of: &of, side };
            self.headers(at, message.get("headers").and_then(Value::as_array).unwrap_or_default());
            let Some(body) = message.get(holder) else { continue };
            let media_type = body.get("mimeType").and_then(Value::as_str).filter(|text| !text.is_empty());
            let media_type = media_type.or_else(|| header(message.get("headers"), "content-type"));
            let pointer = format!("/{side}/{holder}/text");
            let encoded = binary.iter().find(|field| field.get("pointer").and_then(Value::as_str) == Some(&pointer));
            match encoded.map(|field| field.get("content_base64").and_then(Value::as_str)) {
                Some(Some(content)) => self.base64(at, media_type, content),
                Some(None) => {}
                None => match body.get("text").and_then(Value::as_str) {
                    Some(text) if !text.is_empty() => self.text(at, media_type, text),
                    _ => self.params(at, body.get("params").and_then(Value::as_array).unwrap_or_default()),
                },
            }
        }
    }

    /// The events of a browser scenario: also those that no record represents.
    fn events(&mut self, events: &[Value]) {
        let mut queried = BTreeSet::new();
        for (index, event) in events.iter().enumerate() {
            let of = format!("event {index}");
            let url = event.get("url");
            let url = url.and_then(|url| url.as_str().or_else(|| url.get("url").and_then(Value::as_str)));
            if let Some(url) = url {
                let transaction =
                    event.get("transaction_id").and_then(Value::as_str).map_or_else(|| of.clone(), str::to_owned);
                // The request and the response of a transaction both have its URL.
                if queried.insert((transaction, url)) {
                    self.query(&of, url);
                }
            }
            let side = match event.get("phase").and_then(Value::as_str) {
                Some("request") => "request",
                Some("response") => "response",
                _ => continue,
            };
            let at = Side { of: &of, side };
            let headers = event.get("headers").and_then(|headers| headers.get("items"));
            self.headers(at, headers.and_then(Value::as_array).unwrap_or_default());
            let Some(body) = event.get("body") else { continue };
            let media_type = body.get("media_type").and_then(Value::as_str).filter(|text| !text.is_empty());
            let media_type = media_type.or_else(|| header(headers, "content-type"));
            if let Some(content) = body.get("content").and_then(Value::as_str) {
                self.base64(at, media_type, content);
            }
        }
    }

    fn headers(&mut self, at: Side<'_>, headers: &[Value]) {
        for header in headers {
            let Some(name) = header.get("name").and_then(Value::as_str) else { continue };
            if is_credential(name) && header.get("value").is_some_and(holds_value) {
                self.named.add(|| at.place(&format!("header {name}")));
            }
        }
    }

    fn query(&mut self, of: &str, url: &str) {
        let url = url.split('#').next().unwrap_or_default();
        let Some((_, query)) = url.split_once('?') else { return };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if is_credential(&name) && !value.is_empty() {
                self.named.add(|| format!("{of} query {}", shown(&name)));
            }
        }
    }

    fn params(&mut self, at: Side<'_>, params: &[Value]) {
        for param in params {
            let Some(name) = param.get("name").and_then(Value::as_str) else { continue };
            if is_credential(name) && param.get("value").is_some_and(holds_value) {
                self.named.add(|| at.place(&member(name)));
            }
        }
    }

    fn base64(&mut self, at: Side<'_>, media_type: Option<&str>, content: &str) {
        // Four characters hold three bytes; what would be cut is not decoded at all.
        if content.len() / 4 * 3 > MAX_SCANNED_BODY_BYTES + 3 {
            return self.unscanned.add(|| format!("{} {}", at.of, at.side));
        }
        let Some(text) = STANDARD.decode(content).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { return };
        self.text(at, media_type, &text);
    }

    fn text(&mut self, at: Side<'_>, media_type: Option<&str>, text: &str) {
        if text.len() > MAX_SCANNED_BODY_BYTES {
            return self.unscanned.add(|| format!("{} {}", at.of, at.side));
        }
        match body_kind(media_type, text) {
            BodyKind::Json => {
                let text = text.trim_start_matches('\u{feff}');
                if let Ok(body) = parse(text.as_bytes()) {
                    self.value(at, &body, &mut String::new());
                }
            }
            BodyKind::Form => self.form(at, text),
            BodyKind::Other if media_type.is_none_or(names_nothing) && is_form_shaped(text) => self.form(at, text),
            BodyKind::Other => {}
        }
    }

    fn form(&mut self, at: Side<'_>, text: &str) {
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            if is_credential(&name) && !value.is_empty() {
                self.named.add(|| at.place(&member(&name)));
            }
        }
    }

    fn value(&mut self, at: Side<'_>, value: &Value, pointer: &mut String) {
        let length = pointer.len();
        match value.plain() {
            Value::Object(object) => self.members(at, object, pointer),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    push_index(pointer, index);
                    self.value(at, item, pointer);
                    pointer.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn members(&mut self, at: Side<'_>, object: &Object, pointer: &mut String) {
        let length = pointer.len();
        for (name, value) in object {
            let name: Cow<'_, str> = name.to_display();
            push_token(pointer, &name);
            if is_credential(&name) && holds_value(value) {
                // What is inside is told by this place.
                self.named.add(|| at.place(pointer));
            } else {
                self.value(at, value, pointer);
            }
            pointer.truncate(length);
        }
    }
}

/// The pointer of a form's member.
fn member(name: &str) -> String {
    let mut pointer = String::new();
    push_token(&mut pointer, name);
    pointer
}

/// Whether a value is more than nothing: a text that is not empty, a number, or something that holds one.
fn holds_value(value: &Value) -> bool {
    match value.plain() {
        Value::String(text) => !text.is_empty(),
        Value::Number(_) => true,
        Value::Array(items) => items.iter().any(holds_value),
        Value::Object(object) => object.iter().any(|(_, value)| holds_value(value)),
        _ => false,
    }
}

/// Whether a text of no telling type has the shape of a URL-encoded form.
fn is_form_shaped(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~%+*[]!$'(),:;@/".contains(&byte);
    let is_pair = |pair: &str| {
        pair.split_once('=')
            .is_some_and(|(name, value)| !name.is_empty() && name.bytes().all(plain) && value.bytes().all(plain))
    };
    !text.is_empty() && text.split('&').all(is_pair)
}

/// The first value of a header in a list of them.
fn header<'a>(headers: Option<&'a Value>, name: &str) -> Option<&'a str> {
    let named = |header: &&Value| {
        header.get("name").and_then(Value::as_str).is_some_and(|given| given.eq_ignore_ascii_case(name))
    };
    headers?.as_array()?.iter().find(named)?.get("value")?.as_str()
}
