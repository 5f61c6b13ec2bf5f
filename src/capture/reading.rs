//! Records from the result of a HAR inspection: what every later stage reads, whether the Evidence was made now or read
//! from a file. Knows nothing of scenarios.

use super::entry::{self, Status};
use super::line::{self, Line};
use super::{Answer, Body, CaptureError, Record, RecordedTime, Request};
use crate::evidence::Evidence;
use crate::json::{Number, Object, Text, Value};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::Arc;

/// Reason of a record without a usable request line.
pub(super) const NO_REQUEST_LINE: &str = "no-request-line";
/// Reason of a record whose URL was removed.
pub(super) const REDACTED_URL: &str = "redacted-url";

/// The methods whose spelling is fixed.
const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/// A recorded method, the standard ones in their spelling; `None` when it is empty or opens a tunnel.
pub(super) fn known_method(method: &str) -> Option<&str> {
    let method = method.trim();
    let method = METHODS.iter().find(|known| known.eq_ignore_ascii_case(method)).map_or(method, |known| known);
    (!method.is_empty() && method != "CONNECT").then_some(method)
}

/// The records of HAR capture Evidence.
///
/// # Errors
/// A result that is not of its shape, with the pointer.
pub(super) fn har_records(evidence: &Evidence) -> Result<Vec<Record>, CaptureError> {
    let malformed = |pointer: String, expected| CaptureError::Malformed {
        evidence_id: evidence.evidence_id.clone(),
        pointer: format!("/normalized_result{pointer}"),
        expected,
    };
    let records = evidence.normalized_result.get("records").and_then(Value::as_array);
    let records = records.ok_or_else(|| malformed("/records".into(), "the list of records"))?;
    let read = |(index, record): (usize, &Value)| {
        let record = record.as_object().ok_or_else(|| malformed(format!("/records/{index}"), "an object"))?;
        let ordinal = record.get("ordinal").and_then(Value::as_number).and_then(Number::as_i64);
        let ordinal = ordinal
            .and_then(|ordinal| usize::try_from(ordinal).ok())
            .ok_or_else(|| malformed(format!("/records/{index}/ordinal"), "a whole number, not negative"))?;
        let noted = Noted { record };
        match record.get("reported").map(Value::plain) {
            Some(Value::Object(entry)) => Ok(har_record(ordinal, entry, &noted)),
            Some(Value::Null) => Ok(without_request(ordinal, NO_REQUEST_LINE)),
            _ => Err(malformed(format!("/records/{index}/reported"), "an object or null")),
        }
    };
    records.iter().enumerate().map(read).collect()
}

/// A record of which nothing can be told.
pub(super) fn without_request(ordinal: usize, reason: &'static str) -> Record {
    Record {
        ordinal,
        start: None,
        duration_ms: None,
        request: None,
        no_request_reason: Some(reason),
        answer: None,
        bodies_unselected: false,
    }
}

/// The notes beside a reported entry.
struct Noted<'a> {
    record: &'a Object,
}

impl Noted<'_> {
    fn list(&self, name: &str) -> &[Value] {
        self.record.get(name).and_then(Value::as_array).unwrap_or_default()
    }

    fn at<'b>(items: &'b [Value], pointer: &str) -> Option<&'b Value> {
        items.iter().find(|item| item.get("pointer").and_then(Value::as_str) == Some(pointer))
    }

    /// The number at `pointer`, also when it is one that JavaScript does not keep and `reported` leaves out.
    fn number(&self, pointer: &str) -> Option<f64> {
        let literal = Self::at(self.list("numeric_literals"), pointer)?.get("literal")?.as_str()?;
        literal.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The bytes of a base64 body: `None` when there are no such bytes, `Some(None)` when they were removed.
    fn bytes(&self, pointer: &str) -> Option<Option<Vec<u8>>> {
        let field = Self::at(self.list("binary_fields"), pointer)?;
        let content = field.get("content_base64").and_then(Value::as_str);
        Some(content.and_then(|content| STANDARD.decode(content).ok()))
    }

    /// Whether something at `pointer` was removed because the caller named it.
    fn removed(&self, pointer: &str) -> bool {
        Self::at(self.list("redactions"), pointer).is_some_and(|redaction| {
            redaction.get("reason").and_then(Value::as_str) == Some("explicit-sensitive-value")
        })
    }
}

fn har_record(ordinal: usize, entry: &Object, noted: &Noted<'_>) -> Record {
    let start = entry.get("startedDateTime").and_then(Value::as_str).and_then(RecordedTime::parse);
    let duration = match entry.get("time").and_then(Value::as_number) {
        Some(number) => Some(number.to_f64()),
        None => noted.number("/time"),
    };
    let duration_ms = duration.filter(|millis| *millis >= 0.0);
    let (request, no_request_reason) = match har_request(entry, noted) {
        Ok(request) => (Some(request), None),
        Err(reason) => (None, Some(reason)),
    };
    let answer = if request.is_some() { har_answer(entry, noted) } else { None };
    Record { ordinal, start, duration_ms, request, no_request_reason, answer, bodies_unselected: false }
}

fn har_request(entry: &Object, noted: &Noted<'_>) -> Result<Request, &'static str> {
    if entry::is_web_socket(entry) {
        return Err(NO_REQUEST_LINE);
    }
    let request = entry.get("request").and_then(Value::as_object).ok_or(NO_REQUEST_LINE)?;
    let method = request.get("method").and_then(Value::as_str).and_then(known_method).ok_or(NO_REQUEST_LINE)?;
    if noted.removed("/request/url") {
        return Err(REDACTED_URL);
    }
    let url = request.get("url").and_then(Value::as_str).ok_or(NO_REQUEST_LINE)?;
    let line = line::split(url).map_err(|_| NO_REQUEST_LINE)?;
    let Line { origin, path, query } = line;
    let origin = match origin {
        Some(origin) => origin,
        None => host_origin(request).ok_or(NO_REQUEST_LINE)?,
    };
    let post_data = request.get("postData").and_then(Value::as_object);
    let content_type = post_data.and_then(entry::mime_type).or_else(|| entry::header(request, "content-type"));
    let content_type = content_type.map(str::to_owned);
    let body = post_data.map_or(Body::Unrecorded, |post_data| request_body(post_data, content_type.as_deref(), noted));
    Ok(Request { method: method.to_owned(), origin, path, query, content_type, body })
}

/// The origin of a URL that is only a path: its Host header, over TLS when the port says so.
fn host_origin(request: &Object) -> Option<String> {
    let host = entry::header(request, "host").or_else(|| entry::header(request, ":authority"))?;
    let scheme = entry::header(request, ":scheme").filter(|scheme| matches!(*scheme, "http" | "https"));
    let scheme = scheme.unwrap_or(if host.ends_with(":443") { "https" } else { "http" });
    line::origin_of(scheme, host)
}

/// A request's body. An empty one is none: the wire does not tell them apart.
fn request_body(post_data: &Object, content_type: Option<&str>, noted: &Noted<'_>) -> Body {
    const POINTER: &str = "/request/postData/text";
    let body = match noted.bytes(POINTER) {
        Some(bytes) => bytes.map_or(Body::Unrecorded, of_bytes),
        None => post_data.get("text").map_or(Body::Unrecorded, of_text),
    };
    match body {
        Body::Text(text) if text.is_empty() => form_of_params(post_data, content_type),
        Body::Unrecorded if !noted.removed(POINTER) => form_of_params(post_data, content_type),
        body => body,
    }
}

/// A form put together from its parameters. Other types cannot be put together: their bytes hold more than names and
/// values.
fn form_of_params(post_data: &Object, content_type: Option<&str>) -> Body {
    let params = post_data.get("params").and_then(Value::as_array).unwrap_or_default();
    if params.is_empty() || !content_type.is_none_or(entry::is_form) {
        return Body::Unrecorded;
    }
    let mut form = form_urlencoded::Serializer::new(String::new());
    for param in params {
        if let Some(name) = param.get("name").and_then(Value::as_str) {
            let value = param.get("value").map(entry::texts).and_then(|texts| texts.first().copied());
            form.append_pair(name, value.unwrap_or_default());
        }
    }
    Body::Text(form.finish().into())
}

fn har_answer(entry: &Object, noted: &Noted<'_>) -> Option<Answer> {
    let response = entry.get("response").and_then(Value::as_object)?;
    let Status::Answered(status) = entry::status(response) else { return None };
    let content = response.get("content").and_then(Value::as_object);
    let content_type = content.and_then(entry::mime_type).or_else(|| entry::header(response, "content-type"));
    let redirect = || response.get("redirectURL").and_then(Value::as_str).filter(|url| !url.is_empty());
    let location = entry::header(response, "location").or_else(redirect);
    let body = content.map_or(Body::Unrecorded, |content| answer_body(content, noted));
    Some(Answer { status, content_type: content_type.map(str::to_owned), location: location.map(str::to_owned), body })
}

fn answer_body(content: &Object, noted: &Noted<'_>) -> Body {
    if let Some(bytes) = noted.bytes("/response/content/text") {
        return bytes.map_or(Body::Unrecorded, of_bytes);
    }
    let body = content.get("text").map_or(Body::Unrecorded, of_text);
    // An empty text of a body that had a size is one that was not kept.
    let size = content.get("size").and_then(Value::as_number).map_or(0.0, Number::to_f64);
    match &body {
        Body::Text(text) if text.is_empty() && size > 0.0 => Body::Unrecorded,
        _ => body,
    }
}

/// The body of a recorded text. One with unpaired surrogates is no UTF-8 and is kept as its bytes.
fn of_text(text: &Value) -> Body {
    match text.as_text() {
        // Held once: by the Evidence and here.
        Some(Text::Shared(text)) => Body::Text(Arc::clone(text)),
        Some(text) => match text.as_str() {
            Some(text) => Body::Text(text.into()),
            None => Body::Bytes(text.as_bytes().into()),
        },
        None => Body::Unrecorded,
    }
}

/// The body of recorded bytes: text when they are UTF-8.
pub(super) fn of_bytes(bytes: Vec<u8>) -> Body {
    match String::from_utf8(bytes) {
        Ok(text) => Body::Text(text.into()),
        Err(error) => Body::Bytes(error.into_bytes().into()),
    }
}
