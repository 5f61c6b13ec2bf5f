//! The record: one observed transaction, as everything after the capture stage reads it.

use super::RecordedTime;
use super::entry;
use std::sync::Arc;

/// One transaction. Fields that the capture does not hold are `None`, never a default.
#[derive(Clone, Debug)]
pub struct Record {
    /// Zero-based position in the capture; survives selection.
    pub ordinal: usize,
    /// Recorded start, when it is readable.
    pub start: Option<RecordedTime>,
    /// Milliseconds from start to end, when recorded and not negative.
    pub duration_ms: Option<f64>,
    /// The request, or `None` when no usable request line was recorded (redacted URL, unreadable entry, CONNECT, `data:`
    /// and extension URLs, web sockets).
    pub request: Option<Request>,
    /// Why there is no request, for reports: `no-request-line` or `redacted-url`, `unattributed`.
    pub no_request_reason: Option<&'static str>,
    /// The answer, or `None` when there was none (status 0, −1 or text, no response).
    pub answer: Option<Answer>,
    /// Whether the record came from a browser that selected no bodies of that side: then an absent body means nothing.
    pub bodies_unselected: bool,
}

/// The request side.
#[derive(Clone, Debug)]
pub struct Request {
    /// Method as recorded (upper case for the standard ones).
    pub method: String,
    /// `scheme://host[:port]`, lower case, default port removed.
    pub origin: String,
    /// Raw path as recorded, starting with `/`; not decoded; no query, no fragment; without the format that every path
    /// of the interface ends in.
    pub path: String,
    /// Raw query as recorded without `?`; `Some("")` for an explicit empty query.
    pub query: Option<String>,
    /// Media type of the body as recorded, with its parameters.
    pub content_type: Option<String>,
    /// The body.
    pub body: Body,
}

/// The answer side.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status, 100–999.
    pub status: u16,
    /// Media type as recorded (`content.mimeType`, else the `Content-Type` header), with its parameters.
    pub content_type: Option<String>,
    /// Value of the `Location` header, when recorded.
    pub location: Option<String>,
    /// The body.
    pub body: Body,
}

/// A recorded body. Cloning is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// The capture kept no body.
    Unrecorded,
    /// Text (producer-decoded, or bytes that are UTF-8). A leading byte-order mark is kept.
    Text(Arc<str>),
    /// Bytes that are not UTF-8.
    Bytes(Arc<[u8]>),
}

impl Body {
    /// The text, when the body is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Body::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the capture kept a body.
    pub fn is_recorded(&self) -> bool {
        !matches!(self, Body::Unrecorded)
    }
}

/// What a body can be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// JSON by its media type, or by its shape when it has none, one naming nothing readable, or a form's.
    Json,
    /// A URL-encoded form.
    Form,
    /// Anything else, and no body.
    Other,
}

impl Request {
    /// What the body is to be read as. A body that is an object or array and labelled as a form is JSON.
    pub fn body_kind(&self) -> BodyKind {
        self.body.text().map_or(BodyKind::Other, |text| body_kind(self.content_type.as_deref(), text))
    }
}

/// What a body text of a media type is to be read as: by the type, and by its shape when there is none or one that names
/// nothing. An object or array that is labelled as a form is JSON.
pub fn body_kind(content_type: Option<&str>, text: &str) -> BodyKind {
    let shaped = entry::json_outside(text) == (true, true);
    match content_type {
        Some(media_type) if entry::is_json(media_type) => BodyKind::Json,
        Some(media_type) if entry::is_form(media_type) && !shaped => BodyKind::Form,
        Some(media_type) if entry::is_form(media_type) || names_nothing(media_type) => {
            if shaped {
                BodyKind::Json
            } else {
                BodyKind::Other
            }
        }
        None if shaped => BodyKind::Json,
        _ => BodyKind::Other,
    }
}

impl Answer {
    /// Whether the answer is JSON-like: `application/json`, `application/*+json`, `text/plain` or `text/markdown` by
    /// media type. (`+json` with any top-level type is taken too; JSON under another type is recognised where the text is
    /// an object or array and the type is missing or names nothing readable, such as `application/octet-stream`.)
    pub fn is_json_like(&self) -> bool {
        let shaped = || self.body.text().is_some_and(|text| entry::json_outside(text) == (true, true));
        match self.content_type.as_deref() {
            None => shaped(),
            Some(media_type) => {
                entry::is_json(media_type)
                    || matches!(entry::essence(media_type).as_str(), "text/plain" | "text/markdown")
                    || (names_nothing(media_type) && shaped())
            }
        }
    }
}

/// Whether a recorded status says that the application did what was asked: 200 to 299.
pub fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// Whether a media type says nothing about how to read the body.
pub fn names_nothing(media_type: &str) -> bool {
    matches!(
        entry::essence(media_type).as_str(),
        "" | "application/octet-stream"
            | "binary/octet-stream"
            | "application/unknown"
            | "x-unknown"
            | "unknown"
            | "unknown/unknown"
            | "*/*"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(Some("application/json; charset=utf-8"), "x", true)]
    #[case(Some("application/problem+json"), "", true)]
    #[case(Some("text/plain"), "x", true)]
    #[case(Some("text/html"), "{}", false)]
    #[case(Some("application/octet-stream"), "{\"a\":1}", true)]
    #[case(Some("application/octet-stream"), "x", false)]
    #[case(Some("x-unknown"), " [1] ", true)]
    #[case(None, "[]", true)]
    #[case(None, "<p>", false)]
    fn json_like_answers(#[case] content_type: Option<&str>, #[case] text: &str, #[case] expected: bool) {
        let content_type = content_type.map(str::to_owned);
        let answer = Answer { status: 200, content_type, location: None, body: Body::Text(text.into()) };
        assert_eq!(answer.is_json_like(), expected);
    }

    #[rstest]
    #[case(Some("application/x-www-form-urlencoded"), "a=b", BodyKind::Form)]
    #[case(Some("application/x-www-form-urlencoded"), "{\"a\":1}", BodyKind::Json)]
    #[case(Some("application/json"), "{", BodyKind::Json)]
    #[case(Some("text/plain"), "{}", BodyKind::Other)]
    #[case(None, "{}", BodyKind::Json)]
    fn request_bodies(#[case] content_type: Option<&str>, #[case] text: &str, #[case] expected: BodyKind) {
        let request = Request {
            method: "POST".into(),
            origin: "http://h".into(),
            path: "/".into(),
            query: None,
            content_type: content_type.map(str::to_owned),
            body: Body::Text(text.into()),
        };
        assert_eq!(request.body_kind(), expected);
    }
}
