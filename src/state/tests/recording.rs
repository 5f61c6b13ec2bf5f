//! A state derived from a hand-made capture, and reads against it.

use crate::capture::{Body, Capture, InspectOptions, RecordedTime, load_capture};
use crate::json::Value;
use crate::manifest::tests::recording::{capture, record};
use crate::manifest::{DEFAULT_BUILD_RULES, Manifest, Segment, decode_once, project_manifest};
use crate::state::observe::{Observed, is_read, observe, query_pairs};
use crate::state::types::Shape;
use crate::state::write_clock::write_clock_seconds;
use crate::state::{Derived, Line, Read, ReadAnswer, World, Write, WriteRefusal, Written, derive_state, evaluate_read};
use std::path::PathBuf;

/// One call: method and target, status, answer.
pub type Call = (&'static str, u16, &'static str);

/// A capture with all that is derived from it.
pub struct Made {
    pub capture: Capture,
    pub manifest: Manifest,
    pub observed: Observed,
    pub derived: Derived,
}

/// Derives a state. A method may be followed by a body: `POST{"limit":1} /things/search`.
pub fn made(calls: &[Call]) -> Made {
    let records = calls.iter().enumerate().map(|(ordinal, (call, status, body))| {
        let (method, sent, target) = parts(call);
        let mut record = record(ordinal, method, target, *status, body);
        if let (Some(sent), Some(request)) = (sent, &mut record.request) {
            request.body = Body::Text(sent.into());
        }
        record
    });
    of_capture(capture(records.collect()))
}

/// A call: method (with a body) and target, status, answer, and when it began and ended: milliseconds after the first.
pub type Timed = (&'static str, u16, &'static str, u64, u64);

/// Derives a state from calls that were made at certain times.
pub fn timed(calls: &[Timed]) -> Made {
    let records = calls.iter().enumerate().map(|(ordinal, (call, status, body, start, end))| {
        let (method, sent, target) = parts(call);
        let mut record = record(ordinal, method, target, *status, body);
        if let (Some(sent), Some(request)) = (sent, &mut record.request) {
            request.body = Body::Text(sent.into());
        }
        record.start = RecordedTime::parse(&format!("2026-03-04T10:00:{:02}.{:03}Z", start / 1000, start % 1000));
        record.duration_ms = Some(f64::from(u32::try_from(end - start).unwrap()));
        record
    });
    let mut made = of_capture(capture(records.collect()));
    made.derived.write_clock = write_clock_seconds(&made.capture, &made.derived.world, made.derived.types.len());
    made
}

/// Derives the state of a scenario of this project.
pub fn scenario(name: &str) -> Made {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name).join("capture.har");
    of_capture(load_capture(&path, &InspectOptions::default()).unwrap())
}

/// Derives the state of a capture.
pub fn of_capture(capture: Capture) -> Made {
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).unwrap();
    let observed = observe(&capture, &manifest);
    let derived = derive_state(&capture, &manifest);
    Made { capture, manifest, observed, derived }
}

fn parts(call: &str) -> (&str, Option<&str>, &str) {
    let (head, target) = call.rsplit_once(' ').unwrap();
    match head.find(['{', '[']) {
        Some(at) => (&head[..at], Some(&head[at..]), target),
        None => (head, None, target),
    }
}

/// A text of a call that a test makes up: [`Call`] wants one that stays.
pub fn kept(text: String) -> &'static str {
    text.leak()
}

/// A JSON value.
pub fn value(text: &str) -> Value {
    crate::json::parse(text.as_bytes()).unwrap()
}

impl Made {
    /// The tool that serves a method and path: of several the one with most literals.
    pub fn tool(&self, method: &str, path: &str) -> usize {
        (0..self.manifest.tools.len())
            .filter(|tool| self.manifest.tools[*tool].method == method)
            .filter(|tool| self.manifest.tools[*tool].template.matches(path).is_some())
            .max_by_key(|tool| {
                let segments = &self.manifest.tools[*tool].template.segments;
                segments.iter().filter(|segment| matches!(segment, Segment::Literal(_))).count()
            })
            .unwrap()
    }

    /// The answer to a call.
    pub fn read(&self, call: &str) -> ReadAnswer {
        self.read_in(&self.derived.world, call)
    }

    /// The answer to a call in a world.
    pub fn read_in(&self, world: &World, call: &str) -> ReadAnswer {
        let (method, sent, target) = parts(call);
        let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        let tool = self.tool(method, path);
        let raw = self.manifest.tools[tool].template.matches(path).unwrap();
        let parameters: Vec<String> = raw.iter().map(|raw| decode_once(raw).into_owned()).collect();
        let line = Line::new(&query_pairs(query), sent.map(value).as_ref());
        let read = Read { tool, parameters: &parameters, path, line: line.as_ref() };
        evaluate_read(&self.derived, world, read)
    }

    /// The body of a state answer, or the reason of a recorded one in angle brackets.
    pub fn answer(&self, call: &str) -> String {
        self.answer_in(&self.derived.world, call)
    }

    /// The same in a world.
    pub fn answer_in(&self, world: &World, call: &str) -> String {
        match self.read_in(world, call) {
            ReadAnswer::State { body, .. } => body.to_compact(),
            ReadAnswer::Absent { record, .. } => format!("<absent as in record {record}>"),
            ReadAnswer::Refused { record } => format!("<refused as in record {record}>"),
            ReadAnswer::Recording { reason } => format!("<{reason}>"),
        }
    }

    /// What a served write leaves of a world.
    pub fn after(&self, world: &World, line: &str, body: &str) -> World {
        self.write(world, line, body).unwrap().world.unwrap()
    }

    /// A write in a world; no text is no body.
    pub fn write(&self, world: &World, line: &str, body: &str) -> Result<Written, WriteRefusal> {
        let (method, path) = line.split_once(' ').unwrap();
        let tool = self.tool(method, path);
        let raw = self.manifest.tools[tool].template.matches(path).unwrap();
        let parameters: Vec<String> = raw.iter().map(|raw| decode_once(raw).into_owned()).collect();
        let body = (!body.is_empty()).then(|| value(body));
        let write = Write { parameters: &parameters, path, query: &[], body: body.as_ref() };
        self.derived.write(world, self.derived.plan(tool).unwrap(), &write, ("ev", "tool"))
    }

    /// What the answers of a GET are.
    pub fn shape(&self, path: &str) -> Shape {
        let tool = self.tool("GET", path);
        crate::state::entity::shape_of(&self.manifest.tools[tool], tool, &self.observed)
    }

    /// `collection template: identity; templates of the tools` of each type.
    pub fn types(&self) -> Vec<String> {
        let shapes: Vec<Shape> =
            self.manifest
                .tools
                .iter()
                .enumerate()
                .map(|(index, tool)| {
                    if is_read(tool) {
                        crate::state::entity::shape_of(tool, index, &self.observed)
                    } else {
                        Shape::None
                    }
                })
                .collect();
        let mut types: Vec<String> = crate::state::identity::find_types(&self.manifest, &shapes, &self.observed)
            .iter()
            .map(|kind| {
                let mut tools: Vec<String> =
                    kind.tools.iter().map(|tool| self.manifest.tools[*tool].template.spelling()).collect();
                tools.sort();
                let of = &kind.entity_type;
                format!("{}: {}; {}", of.collection_template, of.identity.spelling(), tools.join(" "))
            })
            .collect();
        types.sort();
        types
    }
}
