//! Generated captures: an invented application of any size, the same bytes on every run.

#![allow(dead_code)] // every bench uses a part

use std::fmt::Write;

/// Where the invented application lives.
pub const ORIGIN: &str = "http://stock.example";

/// One recorded answer: the request line and the answer's body.
pub struct Exchange {
    /// Path and query.
    pub line: String,
    /// The answer's text.
    pub body: String,
}

/// One recorded call with its answer, of any method.
pub struct Request {
    /// The method.
    pub method: &'static str,
    /// What it asked for, and what came back.
    pub exchange: Exchange,
    /// The JSON that it sent.
    pub sent: Option<String>,
    /// The answer's status.
    pub status: u16,
}

impl From<Exchange> for Request {
    fn from(exchange: Exchange) -> Self {
        Self { method: "GET", exchange, sent: None, status: 200 }
    }
}

/// A HAR of exchanges or requests, as a proxy writes it: compact, one entry a line.
pub fn har(exchanges: impl IntoIterator<Item = impl Into<Request>>) -> Vec<u8> {
    let mut text =
        String::from(r#"{"log":{"version":"1.2","creator":{"name":"generated","version":"1"},"pages":[],"entries":["#);
    for (index, exchange) in exchanges.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push('\n');
        entry(&mut text, index, &exchange.into());
    }
    text.push_str("\n]}}\n");
    text.into_bytes()
}

fn entry(text: &mut String, index: usize, request: &Request) {
    let Request { method, exchange, sent, status } = request;
    let (hours, minutes, seconds) = (index / 3600 % 24, index / 60 % 60, index % 60);
    let day = 1 + index / 86_400;
    let body = serde_json::to_string(&exchange.body).unwrap_or_default();
    let posted = sent.as_ref().map_or_else(String::new, |sent| {
        let sent = serde_json::to_string(sent).unwrap_or_default();
        format!(r#","postData":{{"mimeType":"application/json","text":{sent}}}"#)
    });
    let _ = write!(
        text,
        concat!(
            r#"{{"startedDateTime":"2026-01-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.125Z","time":{time}.{fraction:03},"#,
            r#""request":{{"method":"{method}","url":"{origin}{line}","httpVersion":"HTTP/1.1","cookies":[],"#,
            r#""headers":[{{"name":"Host","value":"stock.example"}},{{"name":"Accept","value":"application/json"}},"#,
            r#"{{"name":"User-Agent","value":"generator/1"}},{{"name":"Cookie","value":"session=abc"}}],"#,
            r#""queryString":[],"headersSize":-1,"bodySize":{sent_size}{posted}}},"#,
            r#""response":{{"status":{status},"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"#,
            r#""headers":[{{"name":"Content-Type","value":"application/json"}},{{"name":"Content-Length","value":"{size}"}}],"#,
            r#""content":{{"size":{size},"mimeType":"application/json","text":{body}}},"#,
            r#""redirectURL":"","headersSize":-1,"bodySize":{size}}},"cache":{{}},"#,
            r#""timings":{{"send":0.1,"wait":{time}.5,"receive":0.25}},"serverIPAddress":"127.0.0.1"}}"#
        ),
        day = day,
        method = method,
        status = status,
        posted = posted,
        sent_size = sent.as_ref().map_or(0, String::len),
        hours = hours,
        minutes = minutes,
        seconds = seconds,
        time = index % 40,
        fraction = index % 1000,
        origin = ORIGIN,
        line = exchange.line,
        size = exchange.body.len(),
        body = body,
    );
}

/// One item as the application shows it, about 200 bytes.
pub fn item(id: usize) -> String {
    format!(
        r#"{{"id":{id},"name":"Part {id}","sku":"P-{id:06}","price":{}.{:02},"stock":{},"shelf":"{}","tags":["a","b{}"],"updated_at":"2026-01-01T00:00:00Z","note":"kept dry, turned every year"}}"#,
        id % 90,
        id % 100,
        id % 17,
        shelf(id),
        id % 5
    )
}

/// Where an item lies.
pub fn shelf(id: usize) -> &'static str {
    ["north", "south", "east"][id % 3]
}

/// A list of some items, of `total` in all.
pub fn some(ids: &[usize], total: usize) -> String {
    let items: Vec<_> = ids.iter().copied().map(item).collect();
    format!(r#"{{"items":[{}],"total":{total}}}"#, items.join(","))
}

/// A list of `count` items from `first` on.
pub fn list(first: usize, count: usize) -> String {
    let items: Vec<_> = (first..first + count).map(item).collect();
    format!(r#"{{"items":[{}],"total":{}}}"#, items.join(","), first + count)
}

/// A capture of about `bytes` bytes: a list of ten items (2 KB) and two single items in turn, on several collections.
pub fn har_of_size(bytes: usize) -> Vec<u8> {
    let mut exchanges = Vec::new();
    let mut size = 0;
    let mut turn = 0;
    while size < bytes {
        let collection = ["parts", "orders", "suppliers", "shelves"][turn / 3 % 4];
        let exchange = match turn % 3 {
            0 => Exchange { line: format!("/api/{collection}?page={}&limit=10", turn / 3), body: list(turn, 10) },
            _ => Exchange { line: format!("/api/{collection}/{turn}"), body: item(turn) },
        };
        // What an entry takes beside its body, and the escapes of its quotes.
        size += exchange.body.len() * 115 / 100 + 930;
        exchanges.push(exchange);
        turn += 1;
    }
    har(exchanges)
}

/// A capture of two tools with `records` recordings each: single parts, and the part list under different query values.
pub fn har_of_tools(records: usize) -> Vec<u8> {
    let items = (0..records).map(|id| Exchange { line: format!("/api/parts/{}", id + 1), body: item(id + 1) });
    let pages = (0..records)
        .map(|page| Exchange { line: format!("/api/parts?page={page}&shelf=north&limit=1"), body: list(page, 1) });
    har(items.chain(pages))
}

/// A capture with one answer of about 2 KB at `/api/parts/1`.
pub fn har_of_one_answer() -> Vec<u8> {
    har([Exchange { line: "/api/parts/1".into(), body: list(1, 10) }])
}
