//! Recordings as HAR bytes, in the spelling of a recording proxy: start times with six digits, decoded `queryString`
//! beside the raw URL, `postData` where there was a body.

use super::behaviour::Unknowable;
use super::clock::har_time;
use super::http::{Payload, Request, Response};
use super::json::{Json, obj};

/// The origin every world is recorded at.
pub const ORIGIN: &str = "http://127.0.0.1:8137";

/// One recorded call.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Start in microseconds since the epoch.
    pub start: i64,
    /// Duration in microseconds.
    pub duration: i64,
    /// What was asked.
    pub request: Request,
    /// What was answered.
    pub response: Response,
    /// What of the answer no recording tells.
    pub unknowable: Option<Unknowable>,
}

fn header(name: &str, value: &str) -> Json {
    obj! { "name" => name, "value" => value }
}

fn millis(micros: i64) -> Json {
    Json::Num(format!("{}.{:03}", micros / 1000, micros % 1000))
}

fn post_data(payload: &Payload) -> (Json, &'static str) {
    match payload {
        Payload::Json(json) => (
            obj! { "mimeType" => "application/json", "text" => json.write(), "params" => Json::Arr(vec![]) },
            "application/json",
        ),
        Payload::Form(fields) => {
            let mime = "application/x-www-form-urlencoded";
            let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
            let params = fields.iter().map(|(name, value)| header(name, value)).collect();
            (obj! { "mimeType" => mime, "text" => text, "params" => Json::Arr(params) }, mime)
        }
    }
}

fn entry(entry: &Entry) -> Json {
    let Entry { start, duration, request, response, .. } = entry;
    let query = request.query.as_ref().map_or(String::new(), |query| format!("?{query}"));
    let mut request_headers = vec![header("Host", &ORIGIN["http://".len()..]), header("Accept", "application/json")];
    let mut asked = obj! {
        "method" => request.method.as_str(),
        "url" => format!("{ORIGIN}{}{query}", request.path),
        "httpVersion" => "HTTP/1.1",
        "cookies" => Json::Arr(vec![]),
    };
    let post = request.body.as_ref().map(post_data);
    if let Some((_, mime)) = &post {
        request_headers.push(header("Content-Type", mime));
    }
    asked.set("headers", Json::Arr(request_headers));
    asked.set("queryString", Json::Arr(request.pairs().iter().map(|(name, value)| header(name, value)).collect()));
    asked.set("headersSize", -1_i64);
    asked.set("bodySize", -1_i64);
    if let Some((post, _)) = post {
        asked.set("postData", post);
    }
    let mut content = obj! { "size" => response.body.len(), "mimeType" => response.content_type };
    if !response.body.is_empty() {
        content.set("text", response.body.as_str());
    }
    let mut headers = vec![header("Date", &har_time(*start))];
    if !response.content_type.is_empty() {
        headers.push(header("Content-Type", response.content_type));
    }
    obj! {
        "startedDateTime" => har_time(*start),
        "time" => millis(*duration),
        "request" => asked,
        "response" => obj! {
            "status" => i64::from(response.status),
            "statusText" => "",
            "httpVersion" => "HTTP/1.1",
            "cookies" => Json::Arr(vec![]),
            "headers" => Json::Arr(headers),
            "content" => content,
            "redirectURL" => "",
            "headersSize" => -1_i64,
            "bodySize" => response.body.len(),
        },
        "cache" => Json::Obj(vec![]),
        "timings" => obj! { "send" => 0_i64, "wait" => millis(*duration), "receive" => 0_i64 },
    }
}

/// The HAR document of these entries, in order of their starts, one entry a line.
pub fn har(entries: &[Entry]) -> Vec<u8> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by_key(|entry| entry.start);
    let lines: Vec<String> = sorted.into_iter().map(|held| entry(held).write()).collect();
    let head = r#"{"log":{"version":"1.2","creator":{"name":"worlds","version":"1"},"pages":[],"entries":["#;
    format!("{head}\n{}\n]}}}}\n", lines.join(",\n")).into_bytes()
}
