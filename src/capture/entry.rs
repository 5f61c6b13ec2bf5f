//! How the members of a HAR entry are read, whatever a producer made of them. Reads only; both the search for oddities
//! and the reading of records stand on it, so that they agree.

use crate::json::{Object, Value};

/// What a recorded status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// An answer.
    Answered(u16),
    /// 0, negative, a text, nothing: there was no answer.
    Unanswered,
    /// A number that no status can be.
    OutOfRange,
}

/// The status of a response.
pub(super) fn status(response: &Object) -> Status {
    let Some(number) = response.get("status").and_then(Value::as_number) else {
        return Status::Unanswered;
    };
    let value = number.to_f64();
    if value <= 0.0 {
        return Status::Unanswered;
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    if value.fract() == 0.0 && (100.0..=999.0).contains(&value) {
        return Status::Answered(value as u16);
    }
    Status::OutOfRange
}

/// A text, or the texts of an array: how header values and media types are recorded.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    match value.plain() {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

/// The first value of the header called `name` (any case) of a request or response.
pub(super) fn header<'a>(side: &'a Object, name: &str) -> Option<&'a str> {
    let headers = side.get("headers")?;
    if let Some(members) = headers.as_object() {
        let (_, value) =
            members.iter().find(|(key, _)| key.as_str().is_some_and(|key| key.eq_ignore_ascii_case(name)))?;
        return texts(value).into_iter().next();
    }
    headers.as_array()?.iter().find_map(|header| {
        let named = header.get("name").and_then(Value::as_str)?;
        if !named.trim().eq_ignore_ascii_case(name) {
            return None;
        }
        texts(header.get("value")?).into_iter().next()
    })
}

/// A media type as recorded in `mimeType`: `None` when missing, empty or not readable.
pub(super) fn mime_type(holder: &Object) -> Option<&str> {
    texts(holder.get("mimeType")?).into_iter().map(str::trim).find(|text| !text.is_empty())
}

/// Whether the entry is about a web socket: switched protocols, recorded messages, or a socket's URL.
pub(super) fn is_web_socket(entry: &Object) -> bool {
    let switched =
        || matches!(entry.get("response").and_then(Value::as_object).map(status), Some(Status::Answered(101)));
    let socket_url = || {
        let url = entry.get("request").and_then(|request| request.get("url")).and_then(Value::as_str);
        url.is_some_and(|url| {
            let scheme = url.split_once(':').map(|(scheme, _)| scheme).unwrap_or_default();
            scheme.eq_ignore_ascii_case("ws") || scheme.eq_ignore_ascii_case("wss")
        })
    };
    // Some producers write an empty list, or null, for every request.
    let messages =
        entry.get("_webSocketMessages").and_then(Value::as_array).is_some_and(|messages| !messages.is_empty());
    messages || switched() || socket_url()
}

/// The type and subtype of a media type, lower case, without parameters.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a media type names a URL-encoded form.
pub(super) fn is_form(media_type: &str) -> bool {
    essence(media_type) == "application/x-www-form-urlencoded"
}

/// Whether a media type names JSON.
pub(super) fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}

/// Whether a text has the outside of a JSON object or array: how it starts, and whether it ends so too.
pub(super) fn json_outside(text: &str) -> (bool, bool) {
    let text = text.trim_start().trim_start_matches('\u{feff}').trim();
    match (text.bytes().next(), text.bytes().next_back()) {
        (Some(b'{'), Some(end)) => (true, text.len() > 1 && end == b'}'),
        (Some(b'['), Some(end)) => (true, text.len() > 1 && end == b']'),
        _ => (false, false),
    }
}

/// Whether a text that starts like a JSON object or array ends before its brackets are closed. Cheaper than reading it:
/// only texts and brackets are told apart.
pub(super) fn json_is_cut(text: &str) -> bool {
    if !json_outside(text).0 {
        return false;
    }
    let (mut depth, mut in_text) = (0usize, false);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                let _escaped = bytes.next();
            }
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    in_text || depth > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(200u32.into(), Status::Answered(200))]
    #[case(0u32.into(), Status::Unanswered)]
    #[case((-1i32).into(), Status::Unanswered)]
    #[case("200".into(), Status::Unanswered)]
    #[case(Value::Null, Status::Unanswered)]
    #[case(1u32.into(), Status::OutOfRange)]
    #[case(1000u32.into(), Status::OutOfRange)]
    fn statuses(#[case] value: Value, #[case] expected: Status) {
        assert_eq!(status(&Object::new().with("status", value)), expected);
    }

    #[test]
    fn headers_are_found_in_every_shape() {
        let named = |value: Value| Object::new().with("name", "Content-Type").with("value", value);
        let list = |value: Value| Object::new().with("headers", vec![Value::Null, named(value).into()]);
        assert_eq!(header(&list("a/b".into()), "content-type"), Some("a/b"));
        assert_eq!(header(&list(vec![Value::from("a/b")].into()), "content-type"), Some("a/b"));
        assert_eq!(header(&list(Value::Null), "content-type"), None);
        let map = Object::new().with("headers", Object::new().with("CONTENT-TYPE", "a/b"));
        assert_eq!(header(&map, "content-type"), Some("a/b"));
        assert_eq!(header(&Object::new(), "content-type"), None);
    }

    #[rstest]
    #[case("{\"a\":1}", (true, true))]
    #[case(" \u{feff}[1]\n", (true, true))]
    #[case("{\"a\":", (true, false))]
    #[case("{", (true, false))]
    #[case("a=b", (false, false))]
    #[case("", (false, false))]
    fn outsides(#[case] text: &str, #[case] expected: (bool, bool)) {
        assert_eq!(json_outside(text), expected);
    }

    #[rstest]
    #[case("{\"a\":[1,{\"b\":\"]}\\\"\"}]}", false)]
    #[case("{\"a\":{}", true)]
    #[case("[\"a", true)]
    #[case("[\"a\\\"]", true)]
    #[case("{", true)]
    #[case("text {", false)]
    #[case("", false)]
    fn cut_json(#[case] text: &str, #[case] cut: bool) {
        assert_eq!(json_is_cut(text), cut);
    }
}
