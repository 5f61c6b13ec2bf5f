//! Records from the Evidence of a browser scenario (`evidence.md` 7.4): one per network transaction, in request order.
//! Knows nothing of HAR and nothing of how a browser is driven.
//!
//! Timing: a `request` event may carry `observed_at`, and any event of its transaction `timing {started_at, duration_ms}`
//! as the browser reported it. Instants are ISO texts or milliseconds since the epoch; the browser's come first.

use super::line;
use super::reading::{NO_REQUEST_LINE, REDACTED_URL, known_method, of_bytes, without_request};
use super::redact::hex;
use super::{Answer, Body, CaptureError, Record, RecordedTime, Request};
use crate::evidence::Evidence;
use crate::json::{Number, Object, Value};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;

/// Reason of a record whose transaction is not one request and one response.
pub(super) const UNATTRIBUTED: &str = "unattributed";

/// What a scenario selected of each transaction's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScenarioContent {
    /// Bodies of requests.
    pub request_body: bool,
    /// Bodies of responses.
    pub response_body: bool,
    /// Values of headers.
    pub header_values: bool,
}

/// What the scenario of `capture_browser_scenario` Evidence selected; `None` for Evidence of another operation. Without
/// response bodies and header values no answer has a media type; without response bodies there is no state.
pub fn scenario_content(evidence: &Evidence) -> Option<ScenarioContent> {
    if evidence.operation != OPERATION {
        return None;
    }
    let from_result = evidence.normalized_result.get("scenario").and_then(|scenario| scenario.get("network_content"));
    let asked = || evidence.parameters.get("capture").and_then(|capture| capture.get("network"));
    let content = from_result.or_else(asked);
    let selected = |name| content.and_then(|it| it.get(name)).and_then(Value::as_bool).unwrap_or(false);
    Some(ScenarioContent {
        request_body: selected("request_body"),
        response_body: selected("response_body"),
        header_values: selected("header_values"),
    })
}

/// The operation of scenario Evidence.
pub(super) const OPERATION: &str = "capture_browser_scenario";

/// What the events say of one transaction.
#[derive(Default)]
struct Transaction<'a> {
    request: Option<&'a Object>,
    response: Option<&'a Object>,
    request_content: Option<&'a Object>,
    response_content: Option<(usize, &'a Object)>,
    request_content_at: usize,
    started: Option<RecordedTime>,
    duration_ms: Option<f64>,
    /// More than one request, response or content: which belongs to which is unknown.
    ambiguous: bool,
}

/// The records of browser-scenario Evidence.
///
/// # Errors
/// A result that is not of its shape, or a body whose text, length and digest do not agree, with the pointer.
pub(super) fn scenario_records(evidence: &Evidence) -> Result<Vec<Record>, CaptureError> {
    let malformed = |pointer: String, expected| CaptureError::Malformed {
        evidence_id: evidence.evidence_id.clone(),
        pointer: format!("/normalized_result{pointer}"),
        expected,
    };
    let items = evidence.normalized_result.get("events").and_then(|events| events.get("items"));
    let items =
        items.and_then(Value::as_array).ok_or_else(|| malformed("/events/items".into(), "the list of events"))?;
    let mut transactions: Vec<Transaction<'_>> = Vec::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let event = item.as_object().ok_or_else(|| malformed(format!("/events/items/{index}"), "an object"))?;
        let kind = event.get("kind").and_then(Value::as_str);
        let kind = kind.ok_or_else(|| malformed(format!("/events/items/{index}/kind"), "a text"))?;
        let id = event.get("transaction_id").and_then(Value::as_str);
        let known = id.and_then(|id| by_id.get(id)).copied();
        if kind == "request" {
            match (known, id) {
                (Some(at), _) => {
                    if let Some(transaction) = transactions.get_mut(at) {
                        transaction.ambiguous = true;
                    }
                }
                (None, id) => {
                    let ambiguous = id.is_none();
                    if let Some(id) = id {
                        by_id.insert(id, transactions.len());
                    }
                    transactions.push(Transaction { request: Some(event), ambiguous, ..Transaction::default() });
                }
            }
        }
        // A response whose request began before the browser was attached has no record.
        let at = if kind == "request" { known.or(transactions.len().checked_sub(1)) } else { known };
        if let Some(transaction) = at.and_then(|at| transactions.get_mut(at)) {
            transaction.take(kind, index, event);
        }
    }
    let content = scenario_content(evidence).unwrap_or_default();
    let read = |(ordinal, transaction): (usize, &Transaction<'_>)| {
        transaction.record(ordinal, content).map_err(|(pointer, expected)| malformed(pointer, expected))
    };
    transactions.iter().enumerate().map(read).collect()
}

/// A pointer below the result and what should be there.
type Fault = (String, &'static str);

impl<'a> Transaction<'a> {
    fn take(&mut self, kind: &str, index: usize, event: &'a Object) {
        match kind {
            "request" if self.started.is_none() => self.started = event.get("observed_at").and_then(instant),
            "response" => {
                self.ambiguous |= self.response.is_some();
                self.response = Some(event);
            }
            "network-content" => match event.get("phase").and_then(Value::as_str) {
                Some("request") => {
                    self.ambiguous |= self.request_content.is_some();
                    self.request_content = Some(event);
                    self.request_content_at = index;
                }
                Some("response") => {
                    self.ambiguous |= self.response_content.is_some();
                    self.response_content = Some((index, event));
                }
                _ => {}
            },
            _ => {}
        }
        let Some(timing) = event.get("timing") else { return };
        if let Some(started) = timing.get("started_at").and_then(instant) {
            self.started = Some(started);
        }
        let duration = timing.get("duration_ms").and_then(Value::as_number).map(Number::to_f64);
        if let Some(duration) = duration.filter(|millis| millis.is_finite() && *millis >= 0.0) {
            self.duration_ms = Some(duration);
        }
    }

    fn record(&self, ordinal: usize, content: ScenarioContent) -> Result<Record, Fault> {
        let bodies_unselected = !content.response_body;
        let timed = |record: Record| Record {
            start: self.started.clone(),
            duration_ms: self.duration_ms,
            bodies_unselected,
            ..record
        };
        if self.ambiguous {
            return Ok(timed(without_request(ordinal, UNATTRIBUTED)));
        }
        let request = match self.request()? {
            Ok(request) => request,
            Err(reason) => return Ok(timed(without_request(ordinal, reason))),
        };
        let mut record = timed(without_request(ordinal, NO_REQUEST_LINE));
        record.no_request_reason = None;
        record.request = Some(request);
        record.answer = self.answer()?;
        Ok(record)
    }

    /// The request, or the reason why there is none.
    fn request(&self) -> Result<Result<Request, &'static str>, Fault> {
        let Some(event) = self.request else { return Ok(Err(UNATTRIBUTED)) };
        let url = event.get("url");
        if url.and_then(|url| url.get("redacted")).and_then(Value::as_bool) == Some(true) {
            return Ok(Err(REDACTED_URL));
        }
        let text = url.and_then(|url| url.as_str().or_else(|| url.get("url").and_then(Value::as_str)));
        let method = event.get("method").and_then(Value::as_str).and_then(known_method);
        let (Some(method), Some(text)) = (method, text) else { return Ok(Err(NO_REQUEST_LINE)) };
        // The secrets' marker in a URL is no part of a request line.
        if text.contains("[REDACTED:") || text.contains("%5BREDACTED:") || text.contains("%5BREDACTED%3A") {
            return Ok(Err(REDACTED_URL));
        }
        let Ok(line::Line { origin: Some(origin), path, query }) = line::split(text) else {
            return Ok(Err(NO_REQUEST_LINE));
        };
        let (content_type, body) = match self.request_content {
            Some(content) => content_of(content, self.request_content_at)?,
            None => (None, Body::Unrecorded),
        };
        // An empty request body is none, as in a HAR.
        let body = if body.text().is_some_and(str::is_empty) { Body::Unrecorded } else { body };
        Ok(Ok(Request { method: method.to_owned(), origin, path, query, content_type, body }))
    }

    fn answer(&self) -> Result<Option<Answer>, Fault> {
        let Some(event) = self.response else { return Ok(None) };
        let status = event.get("status").and_then(Value::as_number).and_then(Number::as_i64);
        let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| (100..=999).contains(status));
        let Some(status) = status.filter(|status| *status != 101) else { return Ok(None) };
        let (content_type, body) = match self.response_content {
            Some((index, content)) => content_of(content, index)?,
            None => (None, Body::Unrecorded),
        };
        let location = self.response_content.and_then(|(_, content)| header(content, "location"));
        Ok(Some(Answer { status, content_type, location: location.map(str::to_owned), body }))
    }
}

/// An instant: an ISO text, or milliseconds since the epoch.
fn instant(value: &Value) -> Option<RecordedTime> {
    match value.as_str() {
        Some(text) => RecordedTime::parse(text),
        None => RecordedTime::from_millis(value.as_number()?.to_f64()),
    }
}

/// The first captured value of a header.
fn header<'a>(content: &'a Object, name: &str) -> Option<&'a str> {
    let items = content.get("headers")?.get("items")?.as_array()?;
    let named =
        |item: &&Value| item.get("name").and_then(Value::as_str).is_some_and(|it| it.eq_ignore_ascii_case(name));
    items.iter().find(named)?.get("value")?.as_str()
}

/// Media type and body of a content event; the media type is the body's, else the header's.
fn content_of(content: &Object, index: usize) -> Result<(Option<String>, Body), Fault> {
    let from_header = || header(content, "content-type");
    let Some(body) = content.get("body").and_then(Value::as_object) else {
        return Ok((from_header().map(str::to_owned), Body::Unrecorded));
    };
    let media_type = body.get("media_type").and_then(Value::as_str).filter(|text| !text.is_empty());
    let media_type = media_type.or_else(from_header).map(str::to_owned);
    if body.get("state").and_then(Value::as_str) != Some("captured") {
        return Ok((media_type, Body::Unrecorded));
    }
    let at = |member: &str| format!("/events/items/{index}/body/{member}");
    let text = body.get("content").and_then(Value::as_str);
    let bytes = text.and_then(|text| STANDARD.decode(text).ok());
    let bytes = bytes.ok_or_else(|| (at("content"), "canonical base64"))?;
    let length = body.get("bytes").and_then(Value::as_number).and_then(Number::as_i64);
    if length != i64::try_from(bytes.len()).ok() {
        return Err((at("bytes"), "the number of bytes that content has"));
    }
    if body.get("sha256").and_then(Value::as_str) != Some(hex(&Sha256::digest(&bytes)).as_str()) {
        return Err((at("sha256"), "the digest of the bytes that content has"));
    }
    let redacted = body.get("redacted").and_then(Value::as_bool) == Some(true);
    // Redaction had to empty it: what the application answered is unknown.
    let body = if redacted && bytes.is_empty() { Body::Unrecorded } else { of_bytes(bytes) };
    Ok((media_type, body))
}
