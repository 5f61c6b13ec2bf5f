//! Captures and manifests made by hand, one tool each.

use crate::answer::{Answered, Call, Engine, EngineOptions, Reply, check_arguments};
use crate::capture::{Answer, Body, Capture, CaptureInput, Record, Request};
use crate::evidence::{Authority, Confidence, Evidence, Provider};
use crate::json::{Object, Value, parse};
use crate::manifest::{
    BodyShape, Manifest, PathParameter, QueryParameter, Segment, SegmentFormat, Template, TemplateRule, Tool,
};
use std::sync::Arc;

/// Capture Evidence without content: only its id matters here.
pub fn evidence(operation: &str, result: Value) -> Arc<Evidence> {
    let evidence = Evidence {
        evidence_id: String::new(),
        subject: None,
        provider: Provider { id: "test".into(), name: "Test".into(), version: None },
        analysis_profile: None,
        predicate_type: "rea.analysis".into(),
        operation: operation.into(),
        parameters: Object::new(),
        raw_result: Value::Null,
        normalized_result: result,
        confidence: Confidence::Observed,
        authority: Authority::HistoricalReference,
        environment: None,
        limitations: Vec::new(),
        locations: Vec::new(),
        evidence_links: Vec::new(),
    };
    Arc::new(evidence.seal())
}

/// A record of a request line (`/path?query`) answered 200 with the JSON text `{}`.
pub fn record(method: &str, line: &str) -> Record {
    let (path, query) = match line.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (line, None),
    };
    Record {
        ordinal: 0,
        start: None,
        duration_ms: None,
        request: Some(Request {
            method: method.into(),
            origin: "http://app.test".into(),
            path: path.into(),
            query,
            content_type: None,
            body: Body::Unrecorded,
        }),
        no_request_reason: None,
        answer: Some(answer(200, "application/json", "{}")),
        bodies_unselected: false,
    }
}

pub fn answer(status: u16, content_type: &str, text: &str) -> Answer {
    Answer { status, content_type: Some(content_type.into()), location: None, body: Body::Text(text.into()) }
}

impl Record {
    pub(super) fn answered(mut self, status: u16, content_type: &str, text: &str) -> Self {
        self.answer = Some(answer(status, content_type, text));
        self
    }

    pub(super) fn answered_with(mut self, body: Body) -> Self {
        if let Some(answer) = &mut self.answer {
            answer.body = body;
        }
        self
    }

    pub(super) fn unanswered(mut self) -> Self {
        self.answer = None;
        self
    }

    pub(super) fn sent(mut self, content_type: &str, text: &str) -> Self {
        if let Some(request) = &mut self.request {
            request.content_type = Some(content_type.into());
            request.body = Body::Text(text.into());
        }
        self
    }
}

/// A template from its spelling; `{x}` is a sibling-variance parameter unless `x` is `numeric`.
pub fn template(spelling: &str) -> Template {
    let segments = spelling.trim_start_matches('/').split('/').map(|segment| match segment {
        "{numeric}" => Segment::Format(SegmentFormat::Numeric),
        _ if segment.starts_with('{') => Segment::Rule(TemplateRule::SiblingVariance),
        literal => Segment::Literal(literal.into()),
    });
    Template { segments: segments.collect() }
}

/// The tool of a template over all records, with the query names and the body shape given.
pub fn tool(method: &str, spelling: &str, query: &[&str], body: Option<BodyShape>, records: usize) -> Tool {
    let template = template(spelling);
    let parameters = template.segments.iter().enumerate().filter_map(|(segment, kind)| {
        let parameter = |name: String| PathParameter { segment, argument: name.clone(), name, observed: Vec::new() };
        (!matches!(kind, Segment::Literal(_))).then(|| parameter(format!("p{segment}")))
    });
    let query = query.iter().map(|name| QueryParameter {
        name: (*name).into(),
        argument: (*name).into(),
        observed: Vec::new(),
        repeated: false,
    });
    Tool {
        name: "the_tool".into(),
        method: method.into(),
        parameters: parameters.collect(),
        template,
        query: query.collect(),
        body,
        body_argument: "body".into(),
        statuses: vec![200],
        records: (0..records).collect(),
    }
}

/// The capture of records, numbered in order.
pub fn capture(records: Vec<Record>) -> Capture {
    let numbered = records.into_iter().enumerate().map(|(ordinal, record)| Record { ordinal, ..record });
    let evidence = evidence("inspect_web_network_capture", Value::Null);
    Capture { evidence, records: numbered.collect(), input: CaptureInput::Evidence, drops_format: false }
}

/// The manifest of tools over a capture.
pub fn manifest(capture: &Capture, tools: Vec<Tool>) -> Manifest {
    let parent = Object::new().with("parent_evidence_id", capture.evidence.evidence_id.as_str());
    Manifest {
        evidence: evidence("inspect_analysis_view", parent.into()),
        name: "app".into(),
        origin: "http://app.test".into(),
        template_rules: Vec::new(),
        tools,
        excluded_groups: Vec::new(),
        unknowns: Vec::new(),
        view_digest: String::new(),
    }
}

/// The engine of one tool over records.
pub fn engine(tool: Tool, records: Vec<Record>) -> Engine {
    let capture = capture(records);
    let manifest = manifest(&capture, vec![tool]);
    Engine::new(capture, manifest, &EngineOptions { replay_only: true, name: None }).unwrap()
}

/// A call from JSON arguments.
pub fn call(engine: &Engine, arguments: &str) -> Call {
    let arguments = parse(arguments.as_bytes()).unwrap();
    check_arguments(&engine.catalog.tools[0], &engine.manifest.tools[0], Some(&arguments)).unwrap()
}

pub fn replayed(engine: &Engine, call: &Call) -> Reply {
    let Answered { reply, world } = engine.answer(&engine.initial_world(), call);
    assert!(world.is_none(), "replay changes nothing");
    reply.unwrap()
}

/// The reply to JSON arguments.
pub fn reply(engine: &Engine, arguments: &str) -> Reply {
    replayed(engine, &call(engine, arguments))
}

/// The printed reply, checked to be what the value form says.
pub fn printed(reply: &Reply) -> Value {
    let mut out = Vec::new();
    reply.write(&mut out);
    let value = parse(&out).unwrap();
    assert_eq!(value, reply.to_value());
    value
}
