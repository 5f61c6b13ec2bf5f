//! Tests of the stage as a whole: real captures in place, bad input, producers' habits, sensitive values, scenarios, laws.

mod bad_input;
mod corpus;
mod laws;
mod producers;
mod recordings;
mod scenarios;
mod sensitive_values;

use super::*;
use crate::evidence::{ErrorDocument, Evidence};
use crate::json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder beside the project, when it is there; prints why a test is skipped otherwise.
fn beside(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: there is no folder {folder} beside the project");
    None
}

/// A digest for bytes that no file holds.
const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn inspect_with(har: impl Into<Vec<u8>>, options: &InspectOptions) -> Result<Evidence, CaptureError> {
    inspect_har_bytes(har.into(), SHA256, "/captures/a.har", options)
}

fn inspect(har: impl Into<Vec<u8>>) -> Evidence {
    inspect_with(har, &InspectOptions::default()).unwrap()
}

fn records(har: impl Into<Vec<u8>>) -> Vec<Record> {
    capture_from_evidence(Arc::new(inspect(har))).unwrap().records.to_vec()
}

/// A HAR of these entries.
fn har(entries: &[&str]) -> String {
    let entries = entries.join(",");
    format!(r#"{{"log":{{"version":"1.2","creator":{{"name":"t","version":"1"}},"pages":[],"entries":[{entries}]}}}}"#)
}

/// An entry without oddities; `request` and `response` are members that replace or add to the usual ones.
fn entry(method: &str, url: &str, response: &str) -> String {
    entry_with(
        &format!(
            r#""method":"{method}","url":"{url}","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":-1"#
        ),
        response,
    )
}

fn entry_with(request: &str, response: &str) -> String {
    format!(
        r#"{{"startedDateTime":"2026-01-02T03:04:05.678Z","time":12.5,"request":{{{request}}},"response":{{{response}}},"cache":{{}},"timings":{{"send":0,"wait":1,"receive":2}}}}"#
    )
}

/// The members of a response with a JSON body.
fn json_response(status: u16, text: &str) -> String {
    let text = Value::from(text).to_compact();
    format!(
        r#""status":{status},"statusText":"","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{{"size":-1,"mimeType":"application/json","text":{text}}},"redirectURL":"","headersSize":-1,"bodySize":-1"#
    )
}

/// The kinds a capture was forgiven.
fn kinds(evidence: &Evidence) -> Vec<String> {
    tolerated(&evidence.limitations).into_iter().map(|(kind, _)| kind).collect()
}

fn record_value(evidence: &Evidence, index: usize) -> &Value {
    &evidence.normalized_result.get("records").unwrap().as_array().unwrap()[index]
}

fn document(error: &CaptureError) -> String {
    ErrorDocument::from(error).to_value().to_compact()
}
