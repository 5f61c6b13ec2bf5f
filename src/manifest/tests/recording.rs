//! Hand-made captures for tests.

use crate::capture::{Answer, Body, Capture, CaptureInput, Record, Request};
use crate::evidence::{Authority, Confidence, Evidence, Provider};
use crate::json::{Object, Value};
use crate::manifest::{Manifest, TemplateRule, project_manifest};

/// One line of a hand-made capture: method, target (path and query), status, answer body (empty for none).
pub type Line = (&'static str, &'static str, u16, &'static str);

/// The origin of hand-made captures.
pub const ORIGIN: &str = "https://app.example.test";

pub fn record(ordinal: usize, method: &str, target: &str, status: u16, body: &str) -> Record {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (target, None),
    };
    Record {
        ordinal,
        start: None,
        duration_ms: None,
        request: Some(Request {
            method: method.to_owned(),
            origin: ORIGIN.to_owned(),
            path: path.to_owned(),
            query,
            content_type: None,
            body: Body::Unrecorded,
        }),
        no_request_reason: None,
        answer: Some(Answer {
            status,
            content_type: (!body.is_empty()).then(|| "application/json".to_owned()),
            location: None,
            body: if body.is_empty() { Body::Unrecorded } else { Body::Text(body.into()) },
        }),
        bodies_unselected: false,
    }
}

/// A capture of the given records under a made-up Evidence.
pub fn capture(records: Vec<Record>) -> Capture {
    let evidence = Evidence {
        evidence_id: String::new(),
        subject: None,
        provider: Provider { id: "test".into(), name: "Test".into(), version: None },
        analysis_profile: None,
        predicate_type: "rea.analysis".into(),
        operation: "inspect_web_network_capture".into(),
        parameters: Object::new().with("sensitive_value_count", 0u64),
        raw_result: Value::Null,
        normalized_result: Object::new()
            .with("artifact", Object::new().with("path", "").with("sha256", Value::Null))
            .with("total_records", records.len())
            .into(),
        confidence: Confidence::Observed,
        authority: Authority::HistoricalReference,
        environment: None,
        limitations: Vec::new(),
        locations: Vec::new(),
        evidence_links: Vec::new(),
    }
    .seal();
    Capture { evidence: evidence.into(), records: records.into(), input: CaptureInput::Evidence, drops_format: false }
}

/// The manifest of a hand-made capture.
pub fn project(lines: &[Line], rules: &[TemplateRule]) -> Manifest {
    let records =
        lines.iter().enumerate().map(|(ordinal, (m, target, status, body))| record(ordinal, m, target, *status, body));
    project_manifest(&capture(records.collect()), rules).unwrap()
}

/// `METHOD template` of all tools, sorted.
pub fn spellings(manifest: &Manifest) -> Vec<String> {
    let mut out: Vec<String> =
        manifest.tools.iter().map(|tool| format!("{} {}", tool.method, tool.template.spelling())).collect();
    out.sort();
    out
}

/// The names of all tools, sorted.
pub fn names(manifest: &Manifest) -> Vec<&str> {
    let mut out: Vec<&str> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
    out.sort_unstable();
    out
}
