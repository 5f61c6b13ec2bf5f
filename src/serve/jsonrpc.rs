//! JSON-RPC 2.0: a request body as messages, and replies as bytes. Both `/mcp` and `/agentenv` read and answer here.
//!
//! An id is echoed exactly as it was spelled, or not at all: a number that JavaScript would alter, or that is no whole
//! number, is an invalid request with a null id.

use super::limits::{MAX_BATCH_MESSAGES, MAX_ECHO_BYTES, MAX_REQUEST_DEPTH};
use crate::json::{
    Number, Object, ParseOptions, Pointer, Sink, SyntaxError, Text, Value, parse_document, write_compact, write_string,
};

/// The body is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// A message that is not a JSON-RPC request.
pub const INVALID_REQUEST: i32 = -32600;
/// The method is not served.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The method does not take these parameters.
pub const INVALID_PARAMS: i32 = -32602;
/// What the server could not do: a body over the limit, too many sessions.
pub const SERVER_ERROR: i32 = -32000;
/// No session has this id.
pub const SESSION_NOT_FOUND: i32 = -32001;

/// The id of a request, kept as it was spelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// `null`
    Null,
    /// A whole number that JavaScript keeps.
    Number(Number),
    /// A text.
    Text(Text),
}

impl Id {
    /// The id of a message's `id` member; `None` when it may not be echoed.
    fn of(value: Value) -> Option<Self> {
        match value {
            Value::Null => Some(Id::Null),
            Value::String(text) => Some(Id::Text(text)),
            Value::Number(number) => {
                let double = number.to_f64();
                let whole = double.fract() == 0.0 && double.abs() <= 9_007_199_254_740_991.0;
                (whole && number.is_safe()).then_some(Id::Number(number))
            }
            _ => None,
        }
    }

    fn write(&self, sink: &mut impl Sink) {
        match self {
            Id::Null => sink.put(b"null"),
            Id::Number(number) => sink.put(number.as_str().as_bytes()),
            Id::Text(text) => write_string(text, sink),
        }
    }
}

/// One message of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Wants a reply.
    Request {
        /// Echoed in the reply.
        id: Id,
        /// The method.
        method: String,
        /// An object or an array.
        params: Option<Value>,
    },
    /// Wants none.
    Notification {
        /// The method.
        method: String,
        /// An object or an array.
        params: Option<Value>,
    },
    /// A reply to a request that this server never makes.
    Response,
    /// Not a JSON-RPC message.
    Invalid {
        /// The id to answer with: the message's, where it has one that may be echoed.
        id: Id,
        /// What is wrong, for people.
        problem: &'static str,
    },
}

/// What a body holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// One message.
    One(Message),
    /// A batch of 1 to [`MAX_BATCH_MESSAGES`] messages.
    Batch(Vec<Message>),
}

/// An error reply's `error` member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    /// The code.
    pub code: i32,
    /// For people.
    pub message: String,
    /// Facts.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The body is not JSON; the message has the position.
    pub fn parse(error: &SyntaxError) -> Self {
        Self::new(PARSE_ERROR, format!("the body is not JSON: {error}"))
    }

    /// The method is not served.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("method not found: {}", echo(method)))
    }
}

/// A caller's own text as errors repeat it: cut at a character, marked when cut.
pub fn echo(text: &str) -> String {
    if text.len() <= MAX_ECHO_BYTES {
        return text.to_owned();
    }
    let mut end = MAX_ECHO_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}… (cut)", text.get(..end).unwrap_or_default())
}

/// Reads a request body.
///
/// # Errors
/// The body is not JSON ([`PARSE_ERROR`]), or it is an empty batch or one over [`MAX_BATCH_MESSAGES`]
/// ([`INVALID_REQUEST`]).
pub fn read(body: &[u8]) -> Result<Payload, RpcError> {
    read_noting_repeats(body).map(|(payload, _)| payload)
}

/// As [`read`], with the pointers of names that an object of the body holds twice; the value kept is the last one's.
///
/// # Errors
/// As [`read`].
pub fn read_noting_repeats(body: &[u8]) -> Result<(Payload, Vec<Pointer>), RpcError> {
    let options = ParseOptions { max_depth: MAX_REQUEST_DEPTH, skip_bom: true };
    let mut parsed = parse_document(body, options).map_err(|error| RpcError::parse(&error))?;
    let repeated = parsed.duplicates.into_iter().map(|duplicate| duplicate.pointer).collect();
    let payload = match std::mem::take(parsed.value.plain_mut()) {
        Value::Array(messages) if messages.is_empty() => {
            Err(RpcError::new(INVALID_REQUEST, "invalid request: the batch is empty"))
        }
        Value::Array(messages) if messages.len() > MAX_BATCH_MESSAGES => Err(RpcError::new(
            INVALID_REQUEST,
            format!("invalid request: a batch of {} messages, at most {MAX_BATCH_MESSAGES} are taken", messages.len()),
        )),
        Value::Array(messages) => Ok(Payload::Batch(messages.into_iter().map(message).collect())),
        one => Ok(Payload::One(message(one))),
    };
    payload.map(|payload| (payload, repeated))
}

fn message(mut value: Value) -> Message {
    let Value::Object(object) = std::mem::take(value.plain_mut()) else {
        return Message::Invalid { id: Id::Null, problem: "the message is not an object" };
    };
    let (mut id, mut method, mut params, mut version, mut answers) = (None, None, None, None, false);
    for (name, value) in object {
        match name.as_str() {
            Some("id") => id = Some(value),
            Some("method") => method = Some(value),
            Some("params") => params = Some(value),
            Some("jsonrpc") => version = Some(value),
            Some("result" | "error") => answers = true,
            _ => {}
        }
    }
    let id = match id.map(Id::of) {
        None => None,
        Some(Some(id)) => Some(id),
        Some(None) => {
            return Message::Invalid {
                id: Id::Null,
                problem: "the id is neither a text, null, nor a whole number within ±(2^53−1)",
            };
        }
    };
    let invalid = |problem| Message::Invalid { id: id.clone().unwrap_or(Id::Null), problem };
    if version.as_ref().and_then(Value::as_str) != Some("2.0") {
        return invalid("the member jsonrpc is not \"2.0\"");
    }
    let method = match method.as_ref().map(Value::as_str) {
        Some(Some(method)) => method.to_owned(),
        None if answers => return Message::Response,
        _ => return invalid("there is no method, or it is not a text"),
    };
    if !matches!(params.as_ref().map(Value::plain), None | Some(Value::Object(_) | Value::Array(_))) {
        return invalid("params are neither an object nor an array");
    }
    match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    }
}

/// The reply of an [`Message::Invalid`].
pub fn write_invalid(out: &mut Vec<u8>, id: &Id, problem: &str) {
    write_error(out, id, &RpcError::new(INVALID_REQUEST, format!("invalid request: {problem}")));
}

/// Begins a success reply; the result's bytes follow, then [`end_result`].
pub fn begin_result(out: &mut impl Sink, id: &Id) {
    out.put(b"{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(out);
    out.put(b",\"result\":");
}

/// Ends a success reply.
pub fn end_result(out: &mut impl Sink) {
    out.put(b"}");
}

/// A whole error reply.
pub fn write_error(out: &mut impl Sink, id: &Id, error: &RpcError) {
    out.put(b"{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(out);
    out.put(b",\"error\":");
    let mut object = Object::new().with("code", error.code).with("message", &error.message);
    if let Some(data) = &error.data {
        object.push("data", data.clone());
    }
    write_compact(&object.into(), out);
    out.put(b"}");
}

/// A whole error reply as a body.
pub fn error_body(id: &Id, error: &RpcError) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    write_error(&mut out, id, error);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn one(body: &str) -> Message {
        match read(body.as_bytes()) {
            Ok(Payload::One(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[rstest]
    #[case("1", "1")]
    #[case("-7", "-7")]
    #[case("0", "0")]
    #[case("1.0", "1.0")]
    #[case("9007199254740991", "9007199254740991")]
    #[case("\"a\\u0000b\"", "\"a\\u0000b\"")]
    #[case("\"\\ud800\"", "\"\\ud800\"")]
    #[case("null", "null")]
    fn an_id_is_echoed_as_it_was_spelled(#[case] id: &str, #[case] echoed: &str) {
        let Message::Request { id, .. } = one(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"))
        else {
            panic!("not a request");
        };
        let mut out = Vec::new();
        begin_result(&mut out, &id);
        out.put(b"{}");
        end_result(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("{{\"jsonrpc\":\"2.0\",\"id\":{echoed},\"result\":{{}}}}"));
    }

    #[rstest]
    #[case("9007199254740992")]
    #[case("-9007199254740993")]
    #[case("1e400")]
    #[case("1e30")]
    #[case("1.5")]
    #[case("0.1")]
    #[case("true")]
    #[case("[]")]
    #[case("{}")]
    fn an_id_that_cannot_be_echoed_is_an_invalid_request_with_a_null_id(#[case] id: &str) {
        let message = one(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"));
        assert!(matches!(message, Message::Invalid { id: Id::Null, .. }), "{message:?}");
    }

    #[rstest]
    #[case(r#"{"id":1,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":5}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":5}"#)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#)]
    fn what_is_no_request_keeps_its_id(#[case] body: &str) {
        let message = one(body);
        let Message::Invalid { id: Id::Number(id), .. } = message else { panic!("{message:?}") };
        assert_eq!(id.as_str(), "1");
    }

    #[rstest]
    #[case("5")]
    #[case("null")]
    #[case("\"ping\"")]
    fn what_is_no_object_is_an_invalid_request(#[case] body: &str) {
        assert!(matches!(one(body), Message::Invalid { id: Id::Null, .. }));
    }

    #[test]
    fn a_message_without_id_is_a_notification_and_one_with_a_result_a_response() {
        assert!(matches!(one(r#"{"jsonrpc":"2.0","method":"x"}"#), Message::Notification { .. }));
        assert_eq!(one(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Message::Response);
    }

    #[rstest]
    #[case("", PARSE_ERROR)]
    #[case("{", PARSE_ERROR)]
    #[case("{} x", PARSE_ERROR)]
    #[case("[]", INVALID_REQUEST)]
    fn a_body_that_holds_no_message_is_refused(#[case] body: &str, #[case] code: i32) {
        assert_eq!(read(body.as_bytes()).unwrap_err().code, code);
    }

    #[test]
    fn a_batch_has_at_most_a_hundred_messages() {
        let batch = |count: usize| format!("[{}]", vec![r#"{"jsonrpc":"2.0","method":"x"}"#; count].join(","));
        assert!(matches!(read(batch(100).as_bytes()), Ok(Payload::Batch(messages)) if messages.len() == 100));
        let refused = read(batch(101).as_bytes()).unwrap_err();
        assert_eq!(refused.code, INVALID_REQUEST);
        assert!(refused.message.contains("101"), "{}", refused.message);
    }

    #[test]
    fn an_error_repeats_only_the_beginning_of_a_long_text() {
        let long = "é".repeat(MAX_ECHO_BYTES);
        let echoed = echo(&long);
        assert!(echoed.len() < MAX_ECHO_BYTES + 16 && echoed.ends_with("(cut)"), "{echoed}");
        assert_eq!(echo("ping"), "ping");
    }
}
