//! Replies as bytes of a tool result. The reply is written once as JSON and once as that JSON escaped into a text, side
//! by side; a recording's body is kept in both forms, so that a replayed answer is spliced and not written again.

use super::limits::MAX_RENDERED_BYTES;
use crate::answer::{MAX_DISPLAY_BYTES, Refusal, Reply, ReplyBody, StateProvenance};
use crate::json::{Object, Sink, Text, Value, write_compact, write_string};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `_meta` of every tool result: what the answer says is target content.
const META: &[u8] = br#""_meta":{"provenance":{"untrusted_content":true,"source":"analysis_target"}}}"#;

/// Writes replies of one environment.
#[derive(Debug)]
pub struct Renderer {
    /// The capture's Evidence id, as JSON.
    evidence_id: Vec<u8>,
    /// Written bodies of recordings, by record ordinal.
    bodies: Box<[OnceLock<Body>]>,
    /// Bytes held in `bodies`.
    kept: AtomicUsize,
}

/// A body in both forms.
#[derive(Debug)]
struct Body {
    json: Vec<u8>,
    escaped: Vec<u8>,
}

impl Renderer {
    /// A renderer for the replies of a capture with `records` records.
    pub fn new(evidence_id: &str, records: usize) -> Self {
        let mut id = Vec::new();
        write_string(&evidence_id.into(), &mut id);
        Self { evidence_id: id, bodies: (0..records).map(|_| OnceLock::new()).collect(), kept: AtomicUsize::new(0) }
    }

    /// Writes the tool result of a reply: `content`, `structuredContent`, `isError`, `_meta`.
    pub fn write_reply(&self, reply: &Reply, out: &mut Vec<u8>) {
        let fresh;
        let body = match self.kept_body(reply) {
            Some(body) => body,
            None => {
                fresh = Body::of(&reply.body);
                &fresh
            }
        };
        let mut head = Vec::with_capacity(128);
        write_head(reply, &mut head);
        let mut tail = Vec::with_capacity(384);
        self.write_tail(reply, &mut tail);
        out.reserve(body.json.len() + body.escaped.len() + 2 * (head.len() + tail.len()) + 256);
        out.put(br#"{"content":[{"type":"text","text":""#);
        escape_json(&head, out);
        out.put(&body.escaped);
        escape_json(&tail, out);
        out.put(br#""}],"structuredContent":"#);
        out.put(&head);
        out.put(&body.json);
        out.put(&tail);
        out.put(br#","isError":false,"#);
        out.put(META);
    }

    /// The kept forms of a recording's body; `None` when the body is the state's, or there is no room for it.
    fn kept_body(&self, reply: &Reply) -> Option<&Body> {
        if matches!(reply.state, Some(StateProvenance::State { .. })) {
            return None;
        }
        let slot = self.bodies.get(reply.replay.record_ordinal)?;
        if slot.get().is_none() {
            if self.kept.load(Ordering::Relaxed) >= MAX_RENDERED_BYTES {
                return None;
            }
            let body = Body::of(&reply.body);
            let size = body.json.len() + body.escaped.len();
            if slot.set(body).is_ok() {
                self.kept.fetch_add(size, Ordering::Relaxed);
            }
        }
        slot.get()
    }

    fn write_tail(&self, reply: &Reply, out: &mut Vec<u8>) {
        let replay = &reply.replay;
        let (path, path_cut) = display(&replay.recorded_path);
        let (query, query_cut) = match replay.recorded_query.as_deref() {
            Some(query) => {
                let (query, cut) = display(query);
                (Some(query), cut)
            }
            None => (None, false),
        };
        out.put(br#","replay":{"record_ordinal":"#);
        out.put(replay.record_ordinal.to_string().as_bytes());
        out.put(br#","evidence_id":"#);
        out.put(&self.evidence_id);
        out.put(br#","exact_match":"#);
        write_bool(replay.exact_match, out);
        out.put(br#","body_match":"#);
        match replay.body_match {
            Some(matched) => write_bool(matched, out),
            None => out.put(b"null"),
        }
        out.put(br#","recorded_path":"#);
        write_str(path, out);
        out.put(br#","recorded_query":"#);
        match query {
            Some(query) => write_str(query, out),
            None => out.put(b"null"),
        }
        out.put(br#","recorded_line_truncated":"#);
        write_bool(path_cut || query_cut, out);
        let (recorded, encoding): (bool, &[u8]) = match reply.body {
            ReplyBody::Unrecorded => (false, b"null"),
            ReplyBody::Json(_) | ReplyBody::Text(_) => (true, br#""utf-8""#),
            ReplyBody::Base64(_) => (true, br#""base64""#),
        };
        out.put(br#","body_recorded":"#);
        write_bool(recorded, out);
        out.put(br#","body_encoding":"#);
        out.put(encoding);
        out.put(br#","truncated":"#);
        write_bool(replay.truncated, out);
        out.put(b"}");
        match &reply.state {
            None => {}
            Some(StateProvenance::State { view, target }) => {
                let mut state = Object::new().with("source", "state").with("view", *view);
                for (name, value) in target {
                    state.push(name.clone(), value.clone());
                }
                out.put(br#","state":"#);
                write_compact(&state.into(), out);
            }
            Some(StateProvenance::Recording { reason }) => {
                out.put(br#","state":{"source":"recording","reason":"#);
                write_str(reason, out);
                out.put(b"}");
            }
        }
        out.put(b"}");
    }
}

fn write_head(reply: &Reply, out: &mut Vec<u8>) {
    out.put(br#"{"status":"#);
    match reply.status {
        Some(status) => out.put(status.to_string().as_bytes()),
        None => out.put(b"null"),
    }
    out.put(br#","content_type":"#);
    match reply.content_type.as_deref() {
        Some(content_type) => {
            let (shown, cut) = display(content_type);
            write_str(shown, out);
            if cut {
                out.put(br#","content_type_truncated":true"#);
            }
        }
        None => out.put(b"null"),
    }
    out.put(br#","body":"#);
}

impl Body {
    fn of(body: &ReplyBody) -> Self {
        let mut json = Vec::new();
        match body {
            ReplyBody::Unrecorded => json.put(b"null"),
            ReplyBody::Json(value) => write_compact(value, &mut json),
            ReplyBody::Text(text) | ReplyBody::Base64(text) => write_str(text, &mut json),
        }
        let mut escaped = Vec::with_capacity(json.len() + json.len() / 8);
        let unpaired = escape_json(&json, &mut escaped);
        if unpaired && matches!(body, ReplyBody::Json(_)) {
            // Strict JSON readers (serde_json, pydantic) refuse a whole message for one unpaired surrogate. The body is
            // then its own text, in which the escape is only characters.
            let mut text = Vec::with_capacity(escaped.len() + 2);
            text.push(b'"');
            text.put(&escaped);
            text.push(b'"');
            let mut escaped = Vec::with_capacity(2 * text.len());
            escape_json(&text, &mut escaped);
            return Self { json: text, escaped };
        }
        Self { json, escaped }
    }
}

/// Writes a tool result that refuses the call; nothing was changed.
pub fn write_refusal(refusal: &Refusal, out: &mut Vec<u8>) {
    let mut object = Object::new()
        .with("code", refusal.code)
        .with("message", &refusal.message)
        .with("retryable", refusal.retryable)
        .with("applied", "no");
    if let Some(hint) = &refusal.hint {
        object.push("hint", hint);
    }
    let mut json = Vec::with_capacity(256);
    write_compact(&Value::from(object), &mut json);
    out.put(br#"{"content":[{"type":"text","text":""#);
    escape_json(&json, out);
    out.put(br#""}],"structuredContent":"#);
    out.put(&json);
    out.put(br#","isError":true,"#);
    out.put(META);
}

/// Escapes compact JSON into the inside of a JSON text. Only quotes and backslashes need it: a compact document has no
/// raw control character. Returns whether the document holds an escaped unpaired surrogate (the writer escapes no other).
fn escape_json(json: &[u8], out: &mut Vec<u8>) -> bool {
    let mut unpaired = false;
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        let (plain, special) = rest.split_at(at);
        out.put(plain);
        match special {
            [b'\\', next, tail @ ..] => {
                // An escape of the document is taken whole, so that its second character is not taken for another one.
                if *next == b'u' && matches!(tail, [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', ..]) {
                    unpaired = true;
                }
                out.put(b"\\\\");
                match next {
                    b'"' => out.put(b"\\\""),
                    b'\\' => out.put(b"\\\\"),
                    other => out.push(*other),
                }
                rest = tail;
            }
            [quote, tail @ ..] => {
                out.push(b'\\');
                out.push(*quote);
                rest = tail;
            }
            [] => rest = special,
        }
    }
    out.put(rest);
    unpaired
}

/// The part of a captured text that a reply shows, and whether it was cut.
fn display(text: &str) -> (&str, bool) {
    if text.len() <= MAX_DISPLAY_BYTES {
        return (text, false);
    }
    let mut end = MAX_DISPLAY_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (text.get(..end).unwrap_or_default(), true)
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.put(if value { b"true" } else { b"false" });
}

fn write_str(text: &str, out: &mut Vec<u8>) {
    // Most texts need no escape and are written without being copied into a `Text` first.
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        out.push(b'"');
        out.put(text.as_bytes());
        out.push(b'"');
    } else {
        write_string(&Text::from(text), out);
    }
}
