//! Writing a reply as JSON: straight into a buffer, members in the order of the reference, displays bounded. A reply that
//! repeats a recording copies the recording's printed form.

use super::display::bounded;
use super::{ReplayProvenance, Reply, ReplyBody, StateProvenance};
use crate::json::{Object, Text, Value, write_compact, write_string};

impl Reply {
    /// Appends the reply's compact JSON to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        match &self.printed.0 {
            Some(recording) => {
                out.extend_from_slice(&recording.before_match);
                write_match(&self.replay, out);
                out.extend_from_slice(&recording.after_match);
            }
            None => {
                write_before_match(self.status, self.content_type.as_deref(), &self.body, &self.replay, out);
                write_match(&self.replay, out);
                write_after_match(&self.body, &self.replay, out);
            }
        }
        match &self.state {
            None => {}
            Some(StateProvenance::State { view, target }) => {
                out.extend_from_slice(b",\"state\":{\"source\":\"state\",\"view\":");
                write_view(view, target, out);
            }
            Some(StateProvenance::Applied { view, target, reason, .. }) => {
                out.extend_from_slice(b",\"state\":{\"source\":\"recording\",\"reason\":");
                write_text(reason, out);
                out.extend_from_slice(b",\"view\":");
                write_view(view, target, out);
            }
            Some(StateProvenance::Recording { reason }) => {
                out.extend_from_slice(b",\"state\":{\"source\":\"recording\",\"reason\":");
                write_text(reason, out);
                out.push(b'}');
            }
        }
        out.push(b'}');
    }

    /// The reply as a document: what [`Reply::write`] prints.
    pub fn to_value(&self) -> Value {
        let mut reply = Object::new().with("status", self.status);
        let (content_type, content_type_cut) = self.content_type.as_deref().map(bounded).unzip();
        reply.push("content_type", content_type);
        if content_type_cut == Some(true) {
            reply.push("content_type_truncated", true);
        }
        reply.push("body", self.body.to_value());
        reply.push("replay", self.replay.to_value(&self.body));
        match &self.state {
            None => {}
            Some(StateProvenance::State { view, target }) => {
                let state = Object::new().with("source", "state").with("view", *view);
                reply.push("state", with_target(state, target));
            }
            Some(StateProvenance::Applied { view, target, reason, .. }) => {
                let state = Object::new().with("source", "recording").with("reason", *reason).with("view", *view);
                reply.push("state", with_target(state, target));
            }
            Some(StateProvenance::Recording { reason }) => {
                reply.push("state", Object::new().with("source", "recording").with("reason", *reason));
            }
        }
        Value::Object(reply)
    }
}

/// A view's name, the members that name its target, and the end of the object.
fn write_view(view: &str, target: &Object, out: &mut Vec<u8>) {
    write_text(view, out);
    for (name, value) in target {
        out.push(b',');
        write_string(name, out);
        out.push(b':');
        write_compact(value, out);
    }
    out.push(b'}');
}

fn with_target(mut state: Object, target: &Object) -> Object {
    for (name, value) in target {
        state.push(name.clone(), value.clone());
    }
    state
}

impl ReplyBody {
    /// The body as the reply's `body` member; JSON is shared, not copied.
    pub fn to_value(&self) -> Value {
        match self {
            ReplyBody::Unrecorded => Value::Null,
            ReplyBody::Json(value) => match value.plain() {
                Value::Array(_) | Value::Object(_) | Value::String(_) => Value::Shared(value.clone()),
                scalar => scalar.clone(),
            },
            ReplyBody::Text(text) | ReplyBody::Base64(text) => Value::from(text.as_ref()),
        }
    }

    fn encoding(&self) -> &'static str {
        match self {
            ReplyBody::Base64(_) => "base64",
            _ => "utf-8",
        }
    }

    fn is_recorded(&self) -> bool {
        !matches!(self, ReplyBody::Unrecorded)
    }
}

impl ReplayProvenance {
    fn to_value(&self, body: &ReplyBody) -> Value {
        let (path, path_cut) = bounded(&self.recorded_path);
        let (query, query_cut) = self.recorded_query.as_deref().map(bounded).unzip();
        let replay = Object::new()
            .with("record_ordinal", self.record_ordinal)
            .with("evidence_id", self.evidence_id.as_ref())
            .with("exact_match", self.exact_match)
            .with("body_match", self.body_match)
            .with("recorded_path", path)
            .with("recorded_query", query)
            .with("recorded_line_truncated", path_cut || query_cut == Some(true))
            .with("body_recorded", body.is_recorded())
            .with("body_encoding", body.encoding())
            .with("truncated", self.truncated);
        Value::Object(replay)
    }
}

/// Everything before `exact_match`.
pub(super) fn write_before_match(
    status: Option<u16>,
    content_type: Option<&str>,
    body: &ReplyBody,
    replay: &ReplayProvenance,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"status\":");
    match status {
        Some(status) => out.extend_from_slice(status.to_string().as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"content_type\":");
    let (content_type, cut) = content_type.map(bounded).unzip();
    write_optional(content_type, out);
    if cut == Some(true) {
        out.extend_from_slice(b",\"content_type_truncated\":true");
    }
    out.extend_from_slice(b",\"body\":");
    match body {
        ReplyBody::Unrecorded => out.extend_from_slice(b"null"),
        ReplyBody::Json(value) => write_compact(value, out),
        ReplyBody::Text(text) | ReplyBody::Base64(text) => write_text(text, out),
    }
    out.extend_from_slice(b",\"replay\":{\"record_ordinal\":");
    out.extend_from_slice(replay.record_ordinal.to_string().as_bytes());
    out.extend_from_slice(b",\"evidence_id\":");
    write_text(&replay.evidence_id, out);
}

/// `exact_match` and `body_match`: what differs from call to call of one recording.
fn write_match(replay: &ReplayProvenance, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"exact_match\":");
    write_bool(replay.exact_match, out);
    out.extend_from_slice(b",\"body_match\":");
    match replay.body_match {
        Some(matched) => write_bool(matched, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Everything after `body_match`, to the end of `replay`.
pub(super) fn write_after_match(body: &ReplyBody, replay: &ReplayProvenance, out: &mut Vec<u8>) {
    let (path, path_cut) = bounded(&replay.recorded_path);
    let (query, query_cut) = replay.recorded_query.as_deref().map(bounded).unzip();
    out.extend_from_slice(b",\"recorded_path\":");
    write_text(path, out);
    out.extend_from_slice(b",\"recorded_query\":");
    write_optional(query, out);
    out.extend_from_slice(b",\"recorded_line_truncated\":");
    write_bool(path_cut || query_cut == Some(true), out);
    out.extend_from_slice(b",\"body_recorded\":");
    write_bool(body.is_recorded(), out);
    out.extend_from_slice(b",\"body_encoding\":");
    write_text(body.encoding(), out);
    out.extend_from_slice(b",\"truncated\":");
    write_bool(replay.truncated, out);
    out.push(b'}');
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn write_optional(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => write_text(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_string(&Text::from(text), out);
}
