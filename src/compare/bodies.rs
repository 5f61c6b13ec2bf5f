//! Bodies as they compare: JSON by structure, text as text, bytes by their bytes. A representation never equals another by
//! its spelling; only bytes and a text of those same bytes are one.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::diff::{Found, Known, compare_json};
use super::normalise::{Embedding, Generated, same_with_ids};
use super::result::{Difference, DifferenceKind, Shown};
use super::shown::{shown, shown_text};
use crate::answer::{Reply, ReplyBody};
use crate::capture::{Answer, Body, Request};
use crate::json::{ParseOptions, Value, parse_document};
use std::sync::Arc;

/// One body.
#[derive(Clone, Debug)]
pub(crate) enum Content<'a> {
    /// None was kept.
    Unrecorded,
    /// JSON, with its text where there is one.
    Json(Cow<'a, Value>, Option<&'a str>),
    /// Text.
    Text(&'a str),
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
}

/// The application's body: JSON where its media type says so and it parses.
pub(crate) fn of_live(answer: &Answer) -> Content<'_> {
    match &answer.body {
        Body::Unrecorded => Content::Unrecorded,
        Body::Bytes(bytes) => Content::Bytes(Cow::Borrowed(bytes)),
        Body::Text(text) => of_text(text, answer.is_json_like()),
    }
}

/// The environment's body. A recording that stays text because its numbers would be altered is JSON here: both sides keep
/// every digit.
pub(crate) fn of_reply(reply: &Reply) -> Content<'_> {
    match &reply.body {
        ReplyBody::Unrecorded => Content::Unrecorded,
        ReplyBody::Json(value) => Content::Json(Cow::Borrowed(value), None),
        ReplyBody::Text(text) => of_text(text, !reply.replay.truncated && is_json_like(reply)),
        ReplyBody::Base64(text) => match STANDARD.decode(text.as_bytes()) {
            Ok(bytes) => Content::Bytes(Cow::Owned(bytes)),
            Err(_) => Content::Text(text),
        },
    }
}

fn is_json_like(reply: &Reply) -> bool {
    let body = match &reply.body {
        ReplyBody::Text(text) => Body::Text(Arc::clone(text)),
        _ => Body::Unrecorded,
    };
    Answer {
        status: reply.status.unwrap_or(200),
        content_type: reply.content_type.as_deref().map(str::to_owned),
        location: None,
        body,
    }
    .is_json_like()
}

fn of_text(text: &str, json: bool) -> Content<'_> {
    if json && let Some(value) = parse_json(text) {
        return Content::Json(Cow::Owned(value), Some(text));
    }
    Content::Text(text)
}

fn parse_json(text: &str) -> Option<Value> {
    let options = ParseOptions { skip_bom: true, ..ParseOptions::default() };
    parse_document(text.as_bytes(), options).ok().map(|parsed| parsed.value)
}

impl Content<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Content::Unrecorded => true,
            Content::Text(text) => text.is_empty(),
            Content::Bytes(bytes) => bytes.is_empty(),
            Content::Json(..) => false,
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Content::Bytes(bytes) => Some(bytes),
            Content::Text(text) | Content::Json(_, Some(text)) => Some(text.as_bytes()),
            Content::Unrecorded | Content::Json(_, None) => None,
        }
    }

    fn shown(&self) -> Option<Shown> {
        match self {
            Content::Unrecorded => None,
            Content::Json(value, _) => Some(shown(value)),
            Content::Text(text) => Some(shown_text(text)),
            Content::Bytes(bytes) => Some(Shown::Cut(format!("{} bytes", bytes.len()))),
        }
    }
}

/// Compares two bodies of which the application's was recorded.
pub(crate) fn compare_bodies(
    live: &Content<'_>,
    environment: &Content<'_>,
    known: Known<'_>,
    generated: &Generated,
) -> Found {
    let agreed = Found { agrees: true, agrees_ignoring_order: true, ..Found::default() };
    if live.is_empty() && environment.is_empty() {
        return agreed;
    }
    match (live, environment) {
        (Content::Json(ours, _), Content::Json(theirs, _)) => return compare_json(ours, theirs, known, generated),
        (Content::Text(ours), Content::Text(theirs)) if ours == theirs => return agreed,
        (Content::Text(ours), Content::Text(theirs))
            if same_with_ids(ours, theirs, Embedding { ids: known.ids, request: known.request }) =>
        {
            let mut found = agreed;
            found.normalised.embedded_ids += 1;
            return found;
        }
        (Content::Bytes(_), _) | (_, Content::Bytes(_))
            if live.bytes().is_some_and(|ours| environment.bytes() == Some(ours)) =>
        {
            return agreed;
        }
        _ => {}
    }
    let kind = match (live, environment) {
        (_, Content::Unrecorded) => DifferenceKind::Missing,
        (Content::Unrecorded, _) => DifferenceKind::Extra,
        (Content::Bytes(_), _) | (_, Content::Bytes(_)) => DifferenceKind::Bytes,
        _ => DifferenceKind::Text,
    };
    Found {
        differences: vec![Difference {
            kind,
            pointer: Some(String::new()),
            live: live.shown(),
            environment: environment.shown(),
        }],
        ..Found::default()
    }
}

/// Whether an answer to `method` with `status` never carries a body.
pub(crate) fn is_bodiless(method: &str, status: u16) -> bool {
    matches!(status, 204 | 205 | 304) || method == "HEAD"
}

/// The body argument of a live request: JSON, the fields of a form, or text; `None` when there is none.
pub(crate) fn of_request(request: &Request) -> Option<Value> {
    match &request.body {
        Body::Unrecorded => None,
        Body::Bytes(bytes) => Some(Value::from(STANDARD.encode(bytes))),
        Body::Text(text) if text.is_empty() => None,
        Body::Text(text) => Some(request_text(text, request.content_type.as_deref())),
    }
}

fn request_text(text: &str, content_type: Option<&str>) -> Value {
    let is_form = content_type
        .and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded"));
    if let Some(value) = parse_json(text)
        && (!is_form || value.as_object().is_some() || value.as_array().is_some())
    {
        return value;
    }
    if !is_form {
        return Value::from(text);
    }
    let mut fields = crate::json::Object::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        match fields.get_mut(&name) {
            None => fields.push(&*name, &*value),
            Some(Value::Array(values)) => values.push(Value::from(&*value)),
            Some(held) => {
                let first = std::mem::take(held);
                *held = Value::Array(vec![first, Value::from(&*value)]);
            }
        }
    }
    Value::Object(fields)
}
