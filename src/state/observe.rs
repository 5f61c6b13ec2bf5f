//! Observe: the cited records of a manifest as facts. Each is one call of one tool with its parsed answer; nothing is
//! concluded here.

use super::limits::MAX_DERIVATION_BYTES;
use super::line::Line;
use super::per_response::{MadeAnew, settle};
use super::write_apply::Write;
use crate::capture::{Body, BodyKind, Capture, Record, is_success};
use crate::json::{self, Object, Value};
use crate::manifest::{Manifest, Segment, Tool, decode_once, split_path};
use std::collections::HashMap;
use std::sync::Arc;

/// One observed call.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Index of the record in the capture.
    pub record: usize,
    /// Its ordinal.
    pub ordinal: usize,
    /// The tool.
    pub tool: usize,
    /// Decoded path parameters, in template order.
    pub parameters: Vec<String>,
    /// The recorded path without one trailing slash.
    pub path: String,
    /// The line; `None` when its body is not an object.
    pub line: Option<Line>,
    /// The status.
    pub status: u16,
    /// The parsed JSON answer.
    pub body: Option<Arc<Value>>,
    /// Place in the timeline: smaller is earlier.
    pub time: usize,
    /// What a tool that is no read was sent: JSON, or a form's fields (repeated ones as an array).
    pub sent: Option<Arc<Value>>,
    /// Query pairs, decoded, in the recorded order; kept for tools that are no reads.
    pub query: Vec<(String, String)>,
    /// Milliseconds since the epoch: start and end; `None` when no start was recorded.
    pub span: Option<(f64, f64)>,
}

impl Seen {
    /// Whether this is a write that the application took: a tool that is no read, answered with 2xx.
    pub fn wrote(&self, manifest: &Manifest) -> bool {
        is_success(self.status) && !is_read(&manifest.tools[self.tool])
    }
}

impl Seen {
    /// The call as a write.
    pub(super) fn as_write(&self) -> Write<'_> {
        Write { parameters: &self.parameters, path: &self.path, query: &self.query, body: self.sent.as_deref() }
    }
}

/// All observed calls, in timeline order, and where each tool's are.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Calls in timeline order.
    pub seen: Vec<Seen>,
    /// Indices into `seen` for each tool, in timeline order.
    pub by_tool: Vec<Vec<usize>>,
    /// Members that each 2xx answer of a tool makes anew, by tool; the answers here carry one value there.
    pub per_response: Vec<Vec<MadeAnew>>,
    /// Index into `seen` of the first call of each record that is one.
    by_record: HashMap<usize, usize>,
}

impl Observed {
    /// The call that a record is, by the record's index in the capture.
    pub fn of_record(&self, record: usize) -> Option<&Seen> {
        self.seen.get(*self.by_record.get(&record)?)
    }

    /// The calls of a tool.
    pub fn of_tool(&self, tool: usize) -> impl Iterator<Item = &Seen> {
        self.by_tool.get(tool).into_iter().flatten().map(|index| &self.seen[*index])
    }
}

/// Whether a tool reads: a safe method, or a POST whose path says that it asks (`/search`, `/filter`, `/count`).
pub fn is_read(tool: &Tool) -> bool {
    match tool.method.as_str() {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" => true,
        "POST" => is_query_post(tool),
        _ => false,
    }
}

/// Words that say a POST asks instead of changing.
const QUERY_WORDS: [&str; 9] = ["search", "query", "filter", "count", "paginate", "lookup", "find", "list", "history"];

/// Whether a POST's last literal segment is a word for asking, alone or as the first or last of hyphenated words
/// (`get-latest-versions`, `run-search`).
pub fn is_query_post(tool: &Tool) -> bool {
    let last = tool.template.segments.iter().rev().find_map(|segment| match segment {
        crate::manifest::Segment::Literal(text) if !text.is_empty() => Some(text.to_ascii_lowercase()),
        _ => None,
    });
    let Some(last) = last else { return false };
    asks(&last)
}

/// Whether a path segment is a word for asking, alone or as the first or last of joined words.
pub fn asks(segment: &str) -> bool {
    let lower = segment.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(['-', '_', '.']).collect();
    let asks = |word: &&str| QUERY_WORDS.contains(word);
    words.first().is_some_and(|word| asks(word) || *word == "get") || words.last().is_some_and(asks)
}

/// Words of a path segment that say a POST asks a question that is too long for a query.
const SEGMENT_WORDS: [&str; 7] = ["search", "query", "filter", "lookup", "find", "count", "paginate"];

/// Whether the tool is a POST with a literal path segment such as `search` or `query` (`_search`, `ds-query`) anywhere:
/// it is served as a read, though only the narrower [`is_query_post`] is derived as one.
pub fn names_query(tool: &Tool) -> bool {
    tool.method == "POST"
        && tool.template.segments.iter().any(|segment| match segment {
            crate::manifest::Segment::Literal(text) => {
                let text = text.to_ascii_lowercase();
                text.split(|character: char| !character.is_ascii_alphanumeric())
                    .any(|part| SEGMENT_WORDS.contains(&part))
            }
            _ => false,
        })
}

/// Reads the cited records of the manifest. Bodies past the derivation budget stay unparsed.
pub fn observe(capture: &Capture, manifest: &Manifest) -> Observed {
    let by_ordinal: HashMap<usize, usize> =
        capture.records.iter().enumerate().map(|(index, record)| (record.ordinal, index)).collect();
    let times = timeline(&capture.records);
    let mut budget = MAX_DERIVATION_BYTES;
    let mut seen = Vec::new();
    for (tool_index, tool) in manifest.tools.iter().enumerate() {
        for ordinal in &tool.records {
            let Some(&index) = by_ordinal.get(ordinal) else { continue };
            let record = &capture.records[index];
            if let Some(call) = see(record, index, tool, tool_index, times[index], &mut budget) {
                seen.push(call);
            }
        }
    }
    seen.sort_by_key(|call| call.time);
    let mut by_tool = vec![Vec::new(); manifest.tools.len()];
    let mut by_record = HashMap::new();
    for (index, call) in seen.iter().enumerate() {
        by_tool[call.tool].push(index);
        by_record.entry(call.record).or_insert(index);
    }
    let changes: Vec<usize> = seen.iter().filter(|call| call.wrote(manifest)).map(|call| call.time).collect();
    let per_response = settle(&mut seen, &by_tool, &changes);
    Observed { seen, by_tool, per_response, by_record }
}

fn see(record: &Record, index: usize, tool: &Tool, tool_index: usize, time: usize, budget: &mut usize) -> Option<Seen> {
    let request = record.request.as_ref()?;
    let answer = record.answer.as_ref()?;
    let segments = split_path(&request.path);
    let parameters = tool
        .parameters
        .iter()
        .map(|parameter| segments.get(parameter.segment).map(|raw| decode_once(raw).into_owned()))
        .collect::<Option<Vec<_>>>()?;
    let query = query_pairs(request.query.as_deref());
    let sent = match &request.body {
        Body::Text(text) if !text.is_empty() => Some(parse_body(text)),
        Body::Bytes(_) => Some(None),
        _ => None,
    };
    let line = match &sent {
        None => Line::new(&query, None),
        Some(Some(body)) => Line::new(&query, Some(body)),
        Some(None) => None,
    };
    let writes = !is_read(tool);
    let sent = match (writes, request.body_kind(), request.body.text()) {
        (true, BodyKind::Form, Some(text)) => Some(form_fields(text)),
        (true, _, _) => sent.flatten().map(|body| as_member(tool, &body).unwrap_or(body)),
        _ => None,
    };
    let span = record.start.as_ref().map(|start| {
        let start = start.to_millis();
        (start, start + record.duration_ms.unwrap_or(0.0).max(0.0))
    });
    let body = match &answer.body {
        Body::Text(text) if text.len() <= *budget => {
            *budget -= text.len();
            parse_body(text).map(Arc::new)
        }
        _ => None,
    };
    Some(Seen {
        record: index,
        ordinal: record.ordinal,
        tool: tool_index,
        parameters,
        path: trim_slash(&request.path).to_owned(),
        line,
        status: answer.status,
        body,
        time,
        sent: sent.map(Arc::new),
        query: if writes { query } else { Vec::new() },
        span,
    })
}

/// The fields of a form as an object; a repeated field is an array of its values.
pub fn form_fields(text: &str) -> Value {
    let mut fields = Object::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        match fields.get_mut(&name) {
            None => {
                fields.set(name.as_ref(), value.as_ref());
            }
            Some(Value::Array(items)) => items.push(Value::from(value.as_ref())),
            Some(held) => *held = Value::Array(vec![held.clone(), Value::from(value.as_ref())]),
        }
    }
    Value::Object(fields)
}

/// A list that is put at a member of an entity (`PUT /things/{id}/tags`) as an object with that member.
pub fn as_member(tool: &Tool, body: &Value) -> Option<Value> {
    let segments = super::derive::trimmed(tool);
    match segments {
        [.., owner, Segment::Literal(name)] if !matches!(owner, Segment::Literal(_)) && tool.method == "PUT" => {
            body.as_array().map(|_| Value::Object(Object::new().with(name.as_str(), body.clone())))
        }
        _ => None,
    }
}

fn parse_body(text: &str) -> Option<Value> {
    json::parse(text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes()).ok()
}

/// Query pairs, decoded as a form decodes them, in order.
pub fn query_pairs(query: Option<&str>) -> Vec<(String, String)> {
    query
        .map(|query| {
            form_urlencoded::parse(query.as_bytes())
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect()
        })
        .unwrap_or_default()
}

/// A path without one trailing slash: a single trailing slash names the same collection.
pub fn trim_slash(path: &str) -> &str {
    match path.strip_suffix('/') {
        Some(rest) if !rest.is_empty() => rest,
        _ => path,
    }
}

/// Each record's place in the timeline: by exact start, equal starts by ordinal; record order when any start is missing.
fn timeline(records: &[Record]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    if records.iter().all(|record| record.start.is_some()) {
        order.sort_by(|a, b| (&records[*a].start, records[*a].ordinal).cmp(&(&records[*b].start, records[*b].ordinal)));
    } else {
        order.sort_by_key(|index| records[*index].ordinal);
    }
    let mut places = vec![0; records.len()];
    for (place, index) in order.into_iter().enumerate() {
        places[index] = place;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::RecordedTime;
    use crate::manifest::tests::recording::{project, record};
    use rstest::rstest;

    #[rstest]
    #[case(None, &[])]
    #[case(Some(""), &[])]
    #[case(Some("a=1&b"), &[("a", "1"), ("b", "")])]
    #[case(Some("b=2&a=x+y%2Bz&b=1"), &[("b", "2"), ("a", "x y+z"), ("b", "1")])]
    #[case(Some("f%5Ba%5D=%C3%A9&&c=d=e"), &[("f[a]", "é"), ("c", "d=e")])]
    fn queries(#[case] query: Option<&str>, #[case] expected: &[(&str, &str)]) {
        let pairs = query_pairs(query);
        assert_eq!(pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect::<Vec<_>>(), expected);
    }

    #[rstest]
    #[case("/a/", "/a")]
    #[case("/a", "/a")]
    #[case("/a//", "/a/")]
    #[case("/", "/")]
    #[case("", "")]
    fn trailing_slashes(#[case] path: &str, #[case] expected: &str) {
        assert_eq!(trim_slash(path), expected);
    }

    #[rstest]
    #[case("GET", "/tasks", true)]
    #[case("HEAD", "/tasks", true)]
    #[case("POST", "/tasks", false)]
    #[case("POST", "/tasks/search", true)]
    #[case("POST", "/tasks/run-search", true)]
    #[case("POST", "/tasks/get-latest-versions", true)]
    #[case("POST", "/tasks/filter/", true)]
    #[case("POST", "/searches", false)]
    #[case("POST", "/tasks/12", false)]
    #[case("PUT", "/tasks/search", false)]
    #[case("DELETE", "/tasks/search", false)]
    fn reads(#[case] method: &'static str, #[case] path: &'static str, #[case] expected: bool) {
        let manifest = project(&[(method, path, 200, r#"{"a":1}"#)], &[]);
        assert_eq!(is_read(&manifest.tools[0]), expected);
    }

    /// Places of records in the timeline, by their starts (minutes).
    #[rstest]
    #[case::by_start(&[Some(3), Some(1), Some(2)], &[2, 0, 1])]
    #[case::equal_starts_by_ordinal(&[Some(1), Some(1), Some(0)], &[1, 2, 0])]
    #[case::one_start_is_missing(&[Some(3), None, Some(1)], &[0, 1, 2])]
    #[case::none(&[], &[])]
    fn timelines(#[case] starts: &[Option<u8>], #[case] expected: &[usize]) {
        let records: Vec<Record> = starts
            .iter()
            .enumerate()
            .map(|(ordinal, start)| {
                let time = start.and_then(|minute| RecordedTime::parse(&format!("2024-01-01T00:{minute:02}:00Z")));
                assert_eq!(time.is_some(), start.is_some());
                Record { start: time, ..record(ordinal, "GET", "/x", 200, "") }
            })
            .collect();
        assert_eq!(timeline(&records), expected);
    }
}
