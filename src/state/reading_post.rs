//! POST tools that the capture shows only reading although their path does not say so: a lookup that answers what a GET
//! had answered, a tunnel whose bodies name read operations, the renewal of a session. They stay served, from recordings.

use super::observe::{is_read, names_query};
use crate::capture::{Capture, Record, is_success};
use crate::json::{self, Value};
use crate::manifest::{Manifest, Segment, Tool};
use std::collections::{BTreeSet, HashMap, HashSet};

/// First words of operations that read.
const READ_WORDS: [&str; 12] =
    ["get", "list", "read", "find", "search", "query", "count", "fetch", "describe", "show", "lookup", "introspect"];
/// Words of a last path segment that keep a session alive.
const RENEWAL_WORDS: [&str; 5] = ["refresh", "renew", "renewal", "keepalive", "heartbeat"];
/// Bytes: the shortest answer that can be told from a mere acknowledgement (`{"ok":true}`).
const MIN_ANSWER_BYTES: usize = 32;

/// The tools, by index in the manifest.
pub fn reading_posts(capture: &Capture, manifest: &Manifest) -> BTreeSet<usize> {
    let candidates: Vec<usize> = manifest
        .tools
        .iter()
        .enumerate()
        .filter(|(_, tool)| tool.method == "POST" && !is_read(tool) && !names_query(tool))
        .map(|(index, _)| index)
        .collect();
    if candidates.is_empty() {
        return BTreeSet::new();
    }
    let records: HashMap<usize, &Record> = capture.records.iter().map(|record| (record.ordinal, record)).collect();
    let others: HashSet<String> =
        manifest.tools.iter().filter(|tool| tool.method != "POST").map(|tool| tool.template.spelling()).collect();
    let mut shown: HashMap<&str, usize> = HashMap::new();
    for tool in manifest.tools.iter().filter(|tool| tool.method == "GET") {
        for record in tool.records.iter().filter_map(|ordinal| records.get(ordinal)) {
            if let Some(text) = succeeded(record).filter(|text| text.len() >= MIN_ANSWER_BYTES) {
                let first = shown.entry(text).or_insert(record.ordinal);
                *first = record.ordinal.min(*first);
            }
        }
    }
    candidates
        .into_iter()
        .filter(|index| {
            let Some(tool) = manifest.tools.get(*index) else { return false };
            let calls: Vec<&Record> = tool
                .records
                .iter()
                .filter_map(|ordinal| records.get(ordinal).copied())
                .filter(|record| succeeded(record).is_some())
                .collect();
            let answers_as_a_get = |record: &&Record| {
                succeeded(record).and_then(|text| shown.get(text)).is_some_and(|first| *first < record.ordinal)
            };
            // A POST where an item or a list is read, too, may change it even when its recorded calls did not.
            let own_place = !others.contains(&tool.template.spelling());
            !calls.is_empty()
                && (renews(tool)
                    || calls.iter().all(|record| names_read(record))
                    || own_place && calls.iter().all(answers_as_a_get))
        })
        .collect()
}

/// The text of a successful answer.
fn succeeded(record: &Record) -> Option<&str> {
    let answer = record.answer.as_ref().filter(|answer| is_success(answer.status))?;
    Some(answer.body.text().unwrap_or_default())
}

fn renews(tool: &Tool) -> bool {
    let last = tool.template.segments.iter().rev().find_map(|segment| match segment {
        Segment::Literal(text) if !text.is_empty() => {
            Some(text.to_ascii_lowercase().replace("keep-alive", "keepalive"))
        }
        _ => None,
    });
    last.is_some_and(|last| {
        last.split(|part: char| !part.is_ascii_alphanumeric()).any(|word| RENEWAL_WORDS.contains(&word))
    })
}

/// Whether the body of a call names an operation that reads: a GraphQL query, a JSON-RPC method or an array of them.
fn names_read(record: &Record) -> bool {
    let text = record.request.as_ref().and_then(|request| request.body.text()).unwrap_or_default();
    match json::parse(text.as_bytes()) {
        Ok(body) => match body.as_array() {
            Some(batch) => !batch.is_empty() && batch.iter().all(is_read_operation),
            None => is_read_operation(&body),
        },
        Err(_) => false,
    }
}

fn is_read_operation(body: &Value) -> bool {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    if let Some(query) = text("query") {
        let query = query.trim_start();
        return query.starts_with('{')
            || query.strip_prefix("query").is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()));
    }
    let rpc = text("jsonrpc").is_some() || body.get("params").is_some() && body.get("id").is_some();
    rpc && text("method").is_some_and(|method| {
        let name = method.rsplit(['.', '/', ':']).next().unwrap_or_default();
        let end = name.find(|next: char| !next.is_ascii_lowercase()).unwrap_or(name.len());
        READ_WORDS.contains(&&name[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"query":"{ users { id } }"}"#, true)]
    #[case(r#"{"query":"query All($n: Int) { users { id } }","operationName":"All"}"#, true)]
    #[case(r#"{"query":"mutation { drop }"}"#, false)]
    #[case(r#"{"query":"queryful"}"#, false)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":"user.get","params":{}}"#, true)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":"getUser","params":{}}"#, true)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":"getterize","params":{}}"#, false)]
    #[case(r#"{"jsonrpc":"2.0","id":1,"method":"user.update","params":{}}"#, false)]
    #[case(r#"{"method":"get"}"#, false)]
    fn operations(#[case] body: &str, #[case] reads: bool) {
        assert_eq!(is_read_operation(&json::parse(body.as_bytes()).unwrap()), reads);
    }
}
