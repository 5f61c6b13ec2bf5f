//! Requests and responses as a world sees them: no sockets, no headers beyond what a recording needs.

use super::json::Json;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// `application/json`
    Json(Json),
    /// `application/x-www-form-urlencoded`, names may repeat
    Form(Vec<(String, String)>),
}

/// A request line and its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Upper-case method.
    pub method: String,
    /// Raw path.
    pub path: String,
    /// Raw query without `?`.
    pub query: Option<String>,
    /// The body.
    pub body: Option<Payload>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Status.
    pub status: u16,
    /// Media type of the body.
    pub content_type: &'static str,
    /// Body text; empty for none.
    pub body: String,
}

impl Request {
    /// A request without query and body.
    pub fn new(method: &str, path: &str) -> Self {
        Request { method: method.to_string(), path: path.to_string(), query: None, body: None }
    }

    /// A GET.
    pub fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    /// The same with a query of these pairs.
    pub fn with_query(mut self, pairs: &[(&str, &str)]) -> Self {
        if !pairs.is_empty() {
            let spelled: Vec<String> =
                pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
            self.query = Some(spelled.join("&"));
        }
        self
    }

    /// The same with a JSON body.
    pub fn with_json(mut self, body: Json) -> Self {
        self.body = Some(Payload::Json(body));
        self
    }

    /// The same with a form.
    pub fn with_form(mut self, fields: Vec<(String, String)>) -> Self {
        self.body = Some(Payload::Form(fields));
        self
    }

    /// The decoded segments of the path.
    pub fn segments(&self) -> Vec<String> {
        self.path.trim_matches('/').split('/').map(decode).collect()
    }

    /// The decoded query pairs, in order.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let raw = self.query.as_deref().unwrap_or("");
        form_urlencoded::parse(raw.as_bytes()).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    /// The value of a query parameter.
    pub fn parameter(&self, name: &str) -> Option<String> {
        self.pairs().into_iter().find(|(held, _)| held == name).map(|(_, value)| value)
    }

    /// The JSON body.
    pub fn json(&self) -> Option<&Json> {
        match &self.body {
            Some(Payload::Json(json)) => Some(json),
            _ => None,
        }
    }
}

impl Response {
    /// A JSON answer.
    pub fn json(status: u16, body: &Json) -> Self {
        Response { status, content_type: "application/json", body: body.write() }
    }

    /// A text answer.
    pub fn text(status: u16, content_type: &'static str, body: &str) -> Self {
        Response { status, content_type, body: body.to_string() }
    }

    /// An answer without a body.
    pub fn empty(status: u16) -> Self {
        Response { status, content_type: "", body: String::new() }
    }

    /// Whether the status is 2xx.
    pub fn succeeded(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as JSON.
    pub fn value(&self) -> Option<Json> {
        Json::parse(&self.body)
    }
}

/// Percent-encodes one segment or query part.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// Percent-decodes once.
pub fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
