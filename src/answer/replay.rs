//! Recordings as replies: JSON-like parsing with safe numbers, cuts, base64. A recording is made at its first use, printed
//! once, and kept.

use super::display::prefix;
use super::limits::MAX_REPLY_BODY_BYTES;
use super::print::{write_after_match, write_before_match};
use super::select::Selected;
use super::{Printed, ReplayProvenance, Reply, ReplyBody};
use crate::capture::{Answer, Body, Record};
use crate::json::{Value, parse};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::sync::{Arc, OnceLock};

/// One record as it is answered.
#[derive(Debug)]
pub struct Recording {
    /// The recorded status.
    pub status: Option<u16>,
    /// The full recorded media type.
    pub content_type: Option<Arc<str>>,
    /// The recorded body, as replies carry it.
    pub body: ReplyBody,
    provenance: ReplayProvenance,
    /// The reply's JSON up to `exact_match`.
    pub(super) before_match: Box<[u8]>,
    /// The reply's JSON after `body_match`, to the end of `replay`.
    pub(super) after_match: Box<[u8]>,
}

impl Recording {
    fn new(record: &Record, evidence_id: Arc<str>) -> Self {
        let (body, truncated) = record.answer.as_ref().map_or((ReplyBody::Unrecorded, false), reply_body);
        let request = record.request.as_ref();
        let provenance = ReplayProvenance {
            record_ordinal: record.ordinal,
            evidence_id,
            exact_match: false,
            body_match: None,
            recorded_path: request.map_or("", |request| &request.path).into(),
            recorded_query: request.and_then(|request| request.query.as_ref()).map(|query| format!("?{query}").into()),
            truncated,
        };
        let status = record.answer.as_ref().map(|answer| answer.status);
        let content_type = record.answer.as_ref().and_then(|answer| answer.content_type.as_deref()).map(Arc::from);
        let (mut before_match, mut after_match) = (Vec::new(), Vec::new());
        write_before_match(status, content_type.as_deref(), &body, &provenance, &mut before_match);
        write_after_match(&body, &provenance, &mut after_match);
        Self {
            status,
            content_type,
            body,
            provenance,
            before_match: before_match.into(),
            after_match: after_match.into(),
        }
    }

    /// The body when replay answers it as JSON.
    pub fn json(&self) -> Option<&Arc<Value>> {
        match &self.body {
            ReplyBody::Json(value) => Some(value),
            _ => None,
        }
    }

    /// The provenance of an answer that rests on this recording.
    pub fn provenance(&self, exact_match: bool, body_match: Option<bool>) -> ReplayProvenance {
        ReplayProvenance { exact_match, body_match, ..self.provenance.clone() }
    }

    /// The reply that repeats this recording.
    pub fn reply(self: &Arc<Self>, exact_match: bool, body_match: Option<bool>) -> Reply {
        Reply {
            status: self.status,
            content_type: self.content_type.clone(),
            body: self.body.clone(),
            replay: self.provenance(exact_match, body_match),
            state: None,
            generated: Vec::new(),
            printed: Printed(Some(Arc::clone(self))),
        }
    }
}

/// The recordings of a capture, by position in its records.
#[derive(Debug)]
pub(super) struct Recordings {
    evidence_id: Arc<str>,
    made: Vec<OnceLock<Arc<Recording>>>,
}

impl Recordings {
    pub(super) fn new(evidence_id: &str, records: usize) -> Self {
        Self { evidence_id: evidence_id.into(), made: (0..records).map(|_| OnceLock::new()).collect() }
    }

    /// The recording at a position; made when it is first asked for.
    pub(super) fn get(&self, records: &[Record], position: usize) -> Option<&Arc<Recording>> {
        let (slot, record) = (self.made.get(position)?, records.get(position)?);
        Some(slot.get_or_init(|| Arc::new(Recording::new(record, Arc::clone(&self.evidence_id)))))
    }

    /// The reply of a selection.
    pub(super) fn reply(&self, records: &[Record], selected: Selected) -> Option<Reply> {
        let recording = self.get(records, selected.position)?;
        Some(recording.reply(selected.exact_match, selected.body_match))
    }
}

/// The body as a reply carries it, and whether it was cut.
fn reply_body(answer: &Answer) -> (ReplyBody, bool) {
    match &answer.body {
        Body::Unrecorded => (ReplyBody::Unrecorded, false),
        Body::Text(text) if text.len() > MAX_REPLY_BODY_BYTES => {
            (ReplyBody::Text(prefix(text, MAX_REPLY_BODY_BYTES).into()), true)
        }
        Body::Text(text) => match answer.is_json_like().then(|| safe_json(text)).flatten() {
            Some(value) => (ReplyBody::Json(Arc::new(value)), false),
            None => (ReplyBody::Text(Arc::clone(text)), false),
        },
        Body::Bytes(bytes) => {
            let cut = bytes.len() > MAX_REPLY_BODY_BYTES;
            // Three bytes are one group of four base64 characters; a cut ends after a whole group.
            let kept = if cut { MAX_REPLY_BODY_BYTES - MAX_REPLY_BODY_BYTES % 3 } else { bytes.len() };
            (ReplyBody::Base64(STANDARD.encode(&bytes[..kept]).into()), cut)
        }
    }
}

/// The document, when the text is JSON and no number in it would lose information as a JavaScript number.
fn safe_json(text: &str) -> Option<Value> {
    parse(text.as_bytes()).ok().filter(has_safe_numbers)
}

fn has_safe_numbers(value: &Value) -> bool {
    match value.plain() {
        Value::Number(number) => number.is_safe(),
        Value::Array(items) => items.iter().all(has_safe_numbers),
        Value::Object(object) => object.iter().all(|(_, value)| has_safe_numbers(value)),
        _ => true,
    }
}
