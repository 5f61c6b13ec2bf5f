//! What is odd about one HAR entry, found before anything is removed from it. Changes nothing; what each kind means for
//! the record is said in `tolerance.rs` and done where records are read.

use super::RecordedTime;
use super::entry::{self, Status};
use super::line::{self, NotALine};
use super::tolerance::{Oddities, Tolerance as T};
use crate::json::{Object, Value};

/// Notes every oddity of an entry that is an object. (Base64 bodies are noted where they are decoded.)
pub(super) fn find(entry: &Object, odd: &mut Oddities) {
    start_and_duration(entry, odd);
    if !is_object(entry.get("cache")) {
        odd.note(T::MissingCache, "/cache");
    }
    if !is_object(entry.get("timings")) {
        odd.note(T::MissingTimings, "/timings");
    }
    if let Some(address) = entry.get("serverIPAddress")
        && address.as_str().is_none_or(|text| text.parse::<std::net::IpAddr>().is_err())
    {
        odd.note(T::ServerAddress, "/serverIPAddress");
    }
    if entry::is_web_socket(entry) {
        odd.note(T::WebSocket, "/response");
    }
    match entry.get("request").and_then(Value::as_object) {
        None => odd.note(T::MissingRequest, "/request"),
        Some(request) => find_in_request(request, entry::is_web_socket(entry), odd),
    }
    match entry.get("response").and_then(Value::as_object) {
        None => odd.note(T::MissingResponse, "/response"),
        Some(response) => find_in_response(response, odd),
    }
}

fn is_object(value: Option<&Value>) -> bool {
    value.is_some_and(|value| value.as_object().is_some())
}

fn start_and_duration(entry: &Object, odd: &mut Oddities) {
    match entry.get("startedDateTime").and_then(Value::as_str) {
        Some(text) if RecordedTime::parse(text).is_some() => {
            // A zone is `Z` or a sign after the time of day.
            let zone = text.get(11..).is_some_and(|time| time.contains(['Z', 'z', '+', '-']));
            if !zone {
                odd.note(T::TimeWithoutZone, "/startedDateTime");
            }
        }
        _ => odd.note(T::StartTime, "/startedDateTime"),
    }
    let duration = entry.get("time").and_then(Value::as_number).map(crate::json::Number::to_f64);
    if !duration.is_some_and(|millis| millis >= 0.0) {
        odd.note(T::Duration, "/time");
    }
}

fn find_in_request(request: &Object, web_socket: bool, odd: &mut Oddities) {
    find_in_side(request, "/request", odd);
    match request.get("method").and_then(Value::as_str) {
        Some(method) if method.eq_ignore_ascii_case("CONNECT") => odd.note(T::Connect, "/request/method"),
        Some(method) if !method.trim().is_empty() => {}
        _ => odd.note(T::Method, "/request/method"),
    }
    match request.get("url").and_then(Value::as_str) {
        Some(url) => find_in_url(request, url, web_socket, odd),
        None => odd.note(T::MissingUrl, "/request/url"),
    }
    if request.get("queryString").and_then(Value::as_array).is_none() {
        odd.note(T::MissingQueryString, "/request/queryString");
    }
    if let Some(post_data) = request.get("postData") {
        match post_data.as_object() {
            Some(post_data) => find_in_post_data(post_data, odd),
            None => odd.note(T::PostDataShape, "/request/postData"),
        }
    }
}

fn find_in_url(request: &Object, url: &str, web_socket: bool, odd: &mut Oddities) {
    let kind = match line::split(url) {
        Ok(line) if line.origin.is_none() => {
            if entry::header(request, "host").is_some() {
                T::PathOnlyUrl
            } else {
                T::OriginlessUrl
            }
        }
        Ok(_) => {
            if has_unescaped(url) {
                odd.note(T::UrlCharacters, "/request/url");
            }
            return;
        }
        Err(NotALine::Empty) => T::MissingUrl,
        Err(NotALine::Scheme) if web_socket => return,
        Err(NotALine::Scheme) => T::NotHttpUrl,
        // The authority of a tunnel.
        Err(NotALine::Relative | NotALine::NoHost)
            if request.get("method").and_then(Value::as_str).is_some_and(|it| it.eq_ignore_ascii_case("CONNECT")) =>
        {
            return;
        }
        Err(NotALine::Relative | NotALine::NoHost) => T::OriginlessUrl,
    };
    odd.note(kind, "/request/url");
}

/// Whether the part of a URL after its authority holds characters that RFC 3986 wants escaped, or a stray percent sign.
fn has_unescaped(url: &str) -> bool {
    let after = url.find("//").and_then(|at| url.get(at + 2..)).unwrap_or(url);
    let tail = after.find(['/', '?', '#']).and_then(|at| after.get(at..)).unwrap_or_default().as_bytes();
    tail.iter().enumerate().any(|(at, byte)| match byte {
        b'%' => !tail.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
        b'[' | b']' | b'|' | b'{' | b'}' | b'"' | b'<' | b'>' | b'^' | b'`' | b'\\' => true,
        other => *other <= b' ' || *other >= 0x7f,
    })
}

fn find_in_post_data(post_data: &Object, odd: &mut Oddities) {
    find_mime_type(post_data, "/request/postData", odd);
    let text = post_data.get("text").and_then(Value::as_text);
    let params = post_data.get("params").and_then(Value::as_array).is_some_and(|params| !params.is_empty());
    match text {
        None if params => odd.note(T::ParamsOnly, "/request/postData/params"),
        Some(text) if params && text.as_bytes().is_empty() => odd.note(T::ParamsOnly, "/request/postData/params"),
        Some(_) if params => odd.note(T::ParamsAndText, "/request/postData/params"),
        None => odd.note(T::PostDataShape, "/request/postData"),
        Some(_) => {}
    }
    if let Some(text) = text.and_then(|text| text.as_str()) {
        find_in_body(text, entry::mime_type(post_data), post_data, "/request/postData", odd);
        if entry::mime_type(post_data).is_some_and(entry::is_form) && entry::json_outside(text) == (true, true) {
            odd.note(T::JsonAsForm, "/request/postData/text");
        }
    }
}

fn find_in_response(response: &Object, odd: &mut Oddities) {
    find_in_side(response, "/response", odd);
    match entry::status(response) {
        Status::Answered(_) => {}
        Status::Unanswered => odd.note(T::NoAnswer, "/response/status"),
        Status::OutOfRange => odd.note(T::StatusRange, "/response/status"),
    }
    if response.get("statusText").and_then(Value::as_text).is_none() {
        odd.note(T::StatusText, "/response/statusText");
    }
    if response.get("redirectURL").and_then(Value::as_text).is_none() {
        odd.note(T::RedirectUrl, "/response/redirectURL");
    }
    let Some(content) = response.get("content").and_then(Value::as_object) else {
        odd.note(T::MissingContent, "/response/content");
        return;
    };
    find_mime_type(content, "/response/content", odd);
    find_size(content, "size", "/response/content", odd);
    match content.get("text") {
        Some(text) if text.as_text().is_none() => odd.note(T::ContentShape, "/response/content/text"),
        Some(text) => find_in_content(content, text, odd),
        None if size_of(content) > 0.0 => odd.note(T::AbsentBody, "/response/content"),
        None => {}
    }
}

fn find_in_content(content: &Object, text: &Value, odd: &mut Oddities) {
    let length = text.as_text().map_or(0, |text| text.as_bytes().len());
    let size = size_of(content);
    // mitmproxy writes the length on the wire as the size, and the decoded length less it as `compression`; other
    // producers' size is the decoded length and their `compression` is what was saved.
    let compression = content.get("compression").and_then(Value::as_number).map_or(0.0, crate::json::Number::to_f64);
    let expected = size.min(size + compression);
    // Some producers give the length of the base64 text.
    let base64 = content.get("encoding").and_then(Value::as_str) == Some("base64");
    let decoded = if base64 && size != as_f64(length) { length / 4 * 3 } else { length };
    if length == 0 && size > 0.0 {
        odd.note(T::AbsentBody, "/response/content");
    } else if expected > as_f64(decoded) {
        odd.note(T::CutBody, "/response/content/text");
    }
    if let Some(text) = text.as_str() {
        find_in_body(text, entry::mime_type(content), content, "/response/content", odd);
    }
}

/// A body's encoding word, and whether a body labelled JSON ends where JSON does.
fn find_in_body(text: &str, media_type: Option<&str>, holder: &Object, pointer: &str, odd: &mut Oddities) {
    let encoding = holder.get("encoding");
    if let Some(encoding) = encoding
        && !matches!(encoding.as_str(), Some("base64" | ""))
    {
        odd.note(T::BodyEncoding, format!("{pointer}/encoding"));
    }
    let plain = encoding.and_then(Value::as_str) != Some("base64");
    if plain && media_type.is_some_and(entry::is_json) && entry::json_is_cut(text) {
        odd.note(T::CutJson, format!("{pointer}/text"));
    }
}

/// What requests and responses have in common.
fn find_in_side(side: &Object, pointer: &str, odd: &mut Oddities) {
    match side.get("headers").and_then(Value::as_array) {
        None => odd.note(T::MissingHeaders, format!("{pointer}/headers")),
        Some(headers) => {
            for (index, header) in headers.iter().enumerate() {
                let text = |member: &str| header.get(member).and_then(Value::as_text);
                let (Some(name), Some(value)) = (text("name"), text("value")) else {
                    odd.note(T::HeaderShape, format!("{pointer}/headers/{index}"));
                    continue;
                };
                let set_cookie = name.as_str().is_some_and(|name| name.trim().eq_ignore_ascii_case("set-cookie"));
                if set_cookie && value.as_bytes().contains(&b'\n') {
                    odd.note(T::JoinedSetCookie, format!("{pointer}/headers/{index}/value"));
                }
            }
        }
    }
    if side.get("cookies").and_then(Value::as_array).is_none() {
        odd.note(T::MissingCookies, format!("{pointer}/cookies"));
    }
    if side.get("httpVersion").and_then(Value::as_text).is_none() {
        odd.note(T::HttpVersion, format!("{pointer}/httpVersion"));
    }
    find_size(side, "headersSize", pointer, odd);
    find_size(side, "bodySize", pointer, odd);
}

fn find_size(holder: &Object, name: &str, pointer: &str, odd: &mut Oddities) {
    let integer = holder.get(name).and_then(Value::as_number).is_some_and(|number| number.to_f64().fract() == 0.0);
    if !integer {
        odd.note(T::Sizes, format!("{pointer}/{name}"));
    }
}

fn find_mime_type(holder: &Object, pointer: &str, odd: &mut Oddities) {
    if holder.get("mimeType").and_then(Value::as_text).is_none() {
        odd.note(T::MimeTypeShape, format!("{pointer}/mimeType"));
    }
}

/// `content.size`; 0 when it is not a number.
fn size_of(content: &Object) -> f64 {
    content.get("size").and_then(Value::as_number).map_or(0.0, crate::json::Number::to_f64)
}

/// A length as a double; lengths are far below 2^53.
#[allow(clippy::cast_precision_loss)]
fn as_f64(length: usize) -> f64 {
    length as f64
}
