//! Recordings made in code, and what comparing them found.

use crate::answer::{Engine, EngineOptions};
use crate::capture::{Capture, CaptureInput, InspectOptions, capture_from_evidence, inspect_har_bytes};
use crate::compare::{Comparison, Probe, Step, compare};
use crate::json::{Object, Value, parse};
use crate::manifest::{DEFAULT_BUILD_RULES, project_manifest};
use std::sync::Arc;

/// One entry of a recording.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub method: &'static str,
    pub url: String,
    pub body: Option<String>,
    pub status: i64,
    pub answer: Option<String>,
    pub mime: &'static str,
    pub base64: bool,
    pub start: Option<String>,
}

const ORIGIN: &str = "http://app.test";

/// A call and its JSON answer.
pub(super) fn call(method: &'static str, path: &str, status: i64, answer: &str) -> Entry {
    let url = if path.starts_with("http") { path.to_owned() } else { format!("{ORIGIN}{path}") };
    let answer = (!answer.is_empty()).then(|| answer.to_owned());
    Entry { method, url, body: None, status, answer, mime: "application/json", base64: false, start: None }
}

pub(super) fn get(path: &str, answer: &str) -> Entry {
    call("GET", path, 200, answer)
}

pub(super) fn post(path: &str, body: &str, answer: &str) -> Entry {
    call("POST", path, 201, answer).sending(body)
}

impl Entry {
    pub(super) fn sending(mut self, body: &str) -> Self {
        self.body = Some(body.to_owned());
        self
    }

    pub(super) fn of_type(mut self, mime: &'static str) -> Self {
        self.mime = mime;
        self
    }

    pub(super) fn in_base64(mut self) -> Self {
        self.base64 = true;
        self
    }

    pub(super) fn at(mut self, start: &str) -> Self {
        self.start = Some(start.to_owned());
        self
    }

    fn to_value(&self, index: usize) -> Value {
        let mut request = Object::new()
            .with("method", self.method)
            .with("url", self.url.as_str())
            .with("httpVersion", "HTTP/1.1")
            .with("headers", Vec::<Value>::new())
            .with("queryString", Vec::<Value>::new())
            .with("cookies", Vec::<Value>::new())
            .with("headersSize", -1_i64)
            .with("bodySize", -1_i64);
        if let Some(body) = &self.body {
            request.push("postData", Object::new().with("mimeType", "application/json").with("text", body.as_str()));
        }
        let mut content = Object::new().with("size", 0_i64).with("mimeType", self.mime);
        if let Some(answer) = &self.answer {
            content.push("text", answer.as_str());
            if self.base64 {
                content.push("encoding", "base64");
            }
        }
        let response = Object::new()
            .with("status", self.status)
            .with("statusText", "")
            .with("httpVersion", "HTTP/1.1")
            .with("headers", Vec::<Value>::new())
            .with("cookies", Vec::<Value>::new())
            .with("content", content)
            .with("redirectURL", "")
            .with("headersSize", -1_i64)
            .with("bodySize", -1_i64);
        let start = match self.start.as_deref() {
            Some("none") => None,
            Some(start) => Some(start.to_owned()),
            None => Some(format!("2024-01-01T00:{:02}:{:02}.000Z", index / 60 % 60, index % 60)),
        };
        let mut entry = Object::new();
        if let Some(start) = start {
            entry.push("startedDateTime", start);
        }
        Value::Object(
            entry
                .with("time", 1_i64)
                .with("request", request)
                .with("response", response)
                .with("cache", Object::new())
                .with("timings", Object::new().with("send", 0_i64).with("wait", 1_i64).with("receive", 0_i64)),
        )
    }
}

/// A capture of the entries, in order.
pub(super) fn capture(entries: &[Entry]) -> Capture {
    let entries: Value = entries.iter().enumerate().map(|(index, entry)| entry.to_value(index)).collect();
    let log = Object::new()
        .with("version", "1.2")
        .with("creator", Object::new().with("name", "test").with("version", "1"))
        .with("entries", entries);
    let document = Value::Object(Object::new().with("log", log));
    let evidence =
        inspect_har_bytes(document.to_compact().into_bytes(), &"0".repeat(64), "app.har", &InspectOptions::default())
            .unwrap();
    let mut capture = capture_from_evidence(Arc::new(evidence)).unwrap();
    capture.input = CaptureInput::Har;
    capture
}

/// The environment of a recording, in replay.
pub(super) fn engine(entries: &[Entry]) -> Engine {
    engine_by(entries, true)
}

/// The environment of a recording, from its state.
pub(super) fn served(entries: &[Entry]) -> Engine {
    engine_by(entries, false)
}

fn engine_by(entries: &[Entry], replay_only: bool) -> Engine {
    let capture = capture(entries);
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).unwrap();
    Engine::new(capture, manifest, &EngineOptions { replay_only, name: None }).unwrap()
}

pub(super) fn probe(entries: &[Entry]) -> Probe {
    Probe::new("probe", capture(entries)).unwrap()
}

/// The comparison of one recording as the environment with another as the probe.
pub(super) fn compared(recorded: &[Entry], live: &[Entry]) -> Comparison {
    compare(&engine(recorded), None, &[probe(live)], &|_| {}).unwrap()
}

/// The steps of the only probe.
pub(super) fn steps(comparison: &Comparison) -> &[Step] {
    &comparison.probes[0].steps
}

/// Whether each step agrees.
pub(super) fn agrees(comparison: &Comparison) -> Vec<Option<bool>> {
    steps(comparison).iter().map(|step| step.verdict.map(|verdict| verdict.agrees)).collect()
}

/// The differences of a step as `kind pointer live environment`.
pub(super) fn differences(step: &Step) -> Vec<String> {
    let shown = |value: &Option<crate::compare::Shown>| {
        value.as_ref().map_or_else(|| "-".to_owned(), crate::compare::Shown::to_text)
    };
    step.differences
        .iter()
        .map(|difference| {
            format!(
                "{} {} {} {}",
                difference.kind.word(),
                difference.pointer.as_deref().unwrap_or("-"),
                shown(&difference.live),
                shown(&difference.environment)
            )
        })
        .collect()
}

/// JSON from text.
pub(super) fn json(text: &str) -> Value {
    parse(text.as_bytes()).unwrap()
}
