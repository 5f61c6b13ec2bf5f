//! One environment answering one probe: what is learned on the way, and each step's outcome.

use std::borrow::Cow;
use std::collections::HashMap;

use super::bodies::{compare_bodies, is_bodiless, of_live, of_reply, of_request};
use super::diff::{Found, Known};
use super::ids::{IdTable, Lesson, Place, Translated, is_distinctive, learn, place, translate};
use super::matching::{ToolIndex, arguments};
use super::normalise::Generated;
use super::result::{Difference, DifferenceKind, Normalised, Shown, Source, Verdict};
use super::rules::{ServedRules, StateRules};
use super::shown::shown_text;
use crate::answer::{Engine, Refusal, Reply, StateProvenance, World, check_arguments};
use crate::capture::{Answer, Body, Record, Request, is_success};
use crate::json::{Object, Value};
use crate::manifest::{SegmentFormat, Tool};

/// What a session needs to know of its environment, made once.
#[derive(Debug)]
pub(crate) struct Prepared<'e> {
    pub(crate) engine: &'e Engine,
    tools: ToolIndex<'e>,
    /// Index in the served catalog by manifest tool.
    served: HashMap<usize, usize>,
    /// Index in the capture by record ordinal.
    records: HashMap<usize, usize>,
}

impl<'e> Prepared<'e> {
    pub(crate) fn new(engine: &'e Engine) -> Self {
        let served = engine.catalog.tools.iter().enumerate().map(|(index, tool)| (tool.tool, index)).collect();
        let records =
            engine.capture.records.iter().enumerate().map(|(index, record)| (record.ordinal, index)).collect();
        Self { engine, tools: ToolIndex::new(&engine.manifest), served, records }
    }
}

/// What became of one request.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Manifest index of the tool whose template fits.
    pub(crate) tool: Option<usize>,
    pub(crate) source: Source,
    pub(crate) reason: Option<String>,
    pub(crate) record_ordinal: Option<usize>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) differences: Vec<Difference>,
    pub(crate) normalised: Normalised,
    pub(crate) unlearned_id: bool,
    pub(crate) unobserved_body: bool,
}

/// The environment from its reset on.
#[derive(Debug)]
pub(crate) struct Session<'e> {
    prepared: &'e Prepared<'e>,
    world: World,
    ids: IdTable,
}

impl<'e> Session<'e> {
    /// Resets the environment.
    pub(crate) fn new(prepared: &'e Prepared<'e>) -> Self {
        Self { prepared, world: prepared.engine.initial_world(), ids: IdTable::default() }
    }

    /// Contradicting identifier pairs met so far.
    pub(crate) fn id_conflicts(&self) -> usize {
        self.ids.conflicts()
    }

    /// Makes one request, learns from its answer and compares it.
    pub(crate) fn step(&mut self, record: &Record, request: &Request) -> Outcome {
        let answer = record.answer.as_ref();
        let prepared = self.prepared;
        let manifest = &prepared.engine.manifest;
        let Some((index, segments)) = prepared.tools.find(&request.method, &request.path) else {
            return unserved(None, "no-template", answer);
        };
        let Some(served) = prepared.served.get(&index).map(|at| &prepared.engine.catalog.tools[*at]) else {
            return unserved(Some(index), "not-served", answer);
        };
        let tool = &manifest.tools[index];
        let place = place(&tool.template, &segments);
        let body = of_request(request);
        let asked = translate(&self.ids, &place, &segments, request.query.as_deref(), body.as_ref());
        let checked = arguments(tool, &asked)
            .and_then(|values| check_arguments(served, tool, Some(&values)).map_err(|error| error.message));
        let mut call = match checked {
            Ok(call) => call,
            Err(message) => return invalid(index, &message, answer),
        };
        // The schema has seen the arguments; the answer is chosen by the request as the probe made it.
        call.query = asked.query.clone();
        call.raw_query = asked.raw_query.clone();
        let answered = prepared.engine.answer(&self.world, &call);
        if let Some(world) = answered.world {
            self.world = world;
        }
        match answered.reply {
            Err(refusal) => refused(index, &refusal, answer),
            Ok(reply) => self.compare(index, request, answer, &place, &asked, &reply),
        }
    }

    fn compare(
        &mut self,
        index: usize,
        request: &Request,
        answer: Option<&Answer>,
        place: &Place,
        asked: &Translated,
        reply: &Reply,
    ) -> Outcome {
        let tool = &self.prepared.engine.manifest.tools[index];
        let (source, reason) = source_of(reply);
        let mut outcome = Outcome {
            tool: Some(index),
            source,
            reason,
            record_ordinal: Some(reply.replay.record_ordinal),
            verdict: None,
            differences: Vec::new(),
            normalised: Normalised::default(),
            unlearned_id: false,
            unobserved_body: false,
        };
        let Some(answer) = answer else { return outcome };
        outcome.unlearned_id = self.holds_unlearned_id(place)
            && is_success(answer.status)
            && reply.status.is_some_and(|status| matches!(status, 400 | 404 | 410));

        let rules: &dyn ServedRules = &StateRules(self.prepared.engine);
        let (live, environment) = (of_live(answer), of_reply(reply));
        let same_status = reply.status == Some(answer.status);
        if same_status
            && (view_of(reply).is_some() || self.is_own_recording(tool, asked, reply))
            && let (super::bodies::Content::Json(live, _), super::bodies::Content::Json(environment, _)) =
                (&live, &environment)
        {
            let has_items = self.prepared.tools.has_items_under(tool);
            let creates = request.method == "POST" && (has_items || view_of(reply) == Some("create"));
            let known = without_recorded(environment, reply);
            let lesson = Lesson {
                live,
                environment: &known,
                place,
                environment_parameters: &asked.parameters,
                single: place.is_item || creates || matches!(request.method.as_str(), "PUT" | "PATCH" | "DELETE"),
                bare_identity: creates && is_success(answer.status),
                from_state: view_of(reply).is_some(),
                rules,
            };
            learn(&mut self.ids, &lesson);
        }

        let mut found = Found { agrees: true, agrees_ignoring_order: true, ..Found::default() };
        if answer.body.is_recorded() {
            let known =
                Known { ids: &self.ids, collection: &place.collection, request: &asked.replaced, tool: index, rules };
            // A refusal may have members that each makes anew, as an answer of a view does.
            let by_state = view_of(reply).is_some();
            let generated = if by_state { Generated::new(&reply.generated) } else { Generated::default() };
            if !is_bodiless(&request.method, answer.status) || !same_status {
                found = compare_bodies(&live, &environment, known, &generated);
            }
        } else {
            outcome.unobserved_body = !is_bodiless(&request.method, answer.status);
        }
        if !same_status {
            found.agrees = false;
            found.agrees_ignoring_order = false;
            found.differences.insert(
                0,
                Difference {
                    kind: DifferenceKind::Status,
                    pointer: None,
                    live: Some(answer.status.into()),
                    environment: reply.status.map(Shown::from),
                },
            );
            found.differences.truncate(super::MAX_DIFFERENCES_PER_STEP);
        }
        outcome.verdict = Some(Verdict { agrees: found.agrees, agrees_ignoring_order: found.agrees_ignoring_order });
        outcome.differences = found.differences;
        outcome.normalised = found.normalised;
        outcome
    }

    /// Whether the path holds an identifier that no earlier answer taught.
    fn holds_unlearned_id(&self, place: &Place) -> bool {
        place.parameters.iter().any(|(collection, live)| {
            (SegmentFormat::of(live).is_some() || is_distinctive(live)) && !self.ids.knows(collection, live)
        })
    }

    /// Whether a recording is one of this very call: its request line and its body. Another call's recording replayed in
    /// its place teaches nothing, nor does one whose body the probe left out.
    fn is_own_recording(&self, tool: &Tool, asked: &Translated, reply: &Reply) -> bool {
        let record = self.prepared.records.get(&reply.replay.record_ordinal);
        let Some(recorded) = record.and_then(|index| self.prepared.engine.capture.records[*index].request.as_ref())
        else {
            return false;
        };
        let same_path = tool.template.matches(&recorded.path).is_some_and(|segments| {
            segments.len() == asked.path.len()
                && segments
                    .iter()
                    .zip(&asked.parameters)
                    .all(|(raw, parameter)| crate::manifest::decode_once(raw) == parameter.as_str())
        });
        let recorded_query: Vec<(String, String)> =
            form_urlencoded::parse(recorded.query.as_deref().unwrap_or_default().as_bytes()).into_owned().collect();
        let same_body = match (&recorded.body, &asked.body) {
            (Body::Unrecorded, None) => true,
            (Body::Text(text), None) => text.is_empty(),
            (Body::Unrecorded, Some(_)) => false,
            _ => reply.replay.body_match == Some(true),
        };
        same_path && recorded_query == asked.query && same_body
    }
}

/// What an answer teaches: not the members that it has from the recording of another call.
fn without_recorded<'v>(body: &'v Value, reply: &Reply) -> Cow<'v, Value> {
    match &reply.state {
        Some(StateProvenance::Applied { recorded, .. }) if !recorded.is_empty() => {
            Cow::Owned(without(body, recorded, ""))
        }
        _ => Cow::Borrowed(body),
    }
}

/// A body with `null` at places. A body is as deep as the parser lets it be.
fn without(body: &Value, places: &[String], at: &str) -> Value {
    if places.iter().any(|place| place == at) {
        return Value::Null;
    }
    match body.plain() {
        Value::Object(object) => {
            let mut kept = Object::new();
            for (name, inner) in object {
                let place = format!("{at}/{}", name.as_str().unwrap_or_default());
                kept.push(name.clone(), without(inner, places, &place));
            }
            kept.into()
        }
        Value::Array(items) => {
            let kept = items.iter().enumerate().map(|(index, inner)| without(inner, places, &format!("{at}/{index}")));
            kept.collect::<Vec<_>>().into()
        }
        _ => body.clone(),
    }
}

fn view_of(reply: &Reply) -> Option<&'static str> {
    match &reply.state {
        Some(StateProvenance::State { view, .. } | StateProvenance::Applied { view, .. }) => Some(view),
        _ => None,
    }
}

fn source_of(reply: &Reply) -> (Source, Option<String>) {
    match &reply.state {
        Some(StateProvenance::State { .. }) => (Source::State, None),
        Some(StateProvenance::Recording { reason } | StateProvenance::Applied { reason, .. }) => {
            (Source::Recording, Some((*reason).to_owned()))
        }
        None => (Source::Recording, None),
    }
}

fn failed(
    tool: Option<usize>,
    source: Source,
    reason: &str,
    kind: DifferenceKind,
    environment: Option<Shown>,
    answer: Option<&Answer>,
) -> Outcome {
    Outcome {
        tool,
        source,
        reason: Some(reason.to_owned()),
        record_ordinal: None,
        verdict: answer.map(|_| Verdict { agrees: false, agrees_ignoring_order: false }),
        differences: answer
            .map(|answer| Difference { kind, pointer: None, live: Some(answer.status.into()), environment })
            .into_iter()
            .collect(),
        normalised: Normalised::default(),
        unlearned_id: false,
        unobserved_body: false,
    }
}

fn unserved(tool: Option<usize>, reason: &str, answer: Option<&Answer>) -> Outcome {
    failed(tool, Source::NoTool, reason, DifferenceKind::NoTool, None, answer)
}

fn invalid(tool: usize, message: &str, answer: Option<&Answer>) -> Outcome {
    let shown = Some(shown_text(message));
    failed(Some(tool), Source::Refused, "invalid_arguments", DifferenceKind::InvalidArguments, shown, answer)
}

fn refused(tool: usize, refusal: &Refusal, answer: Option<&Answer>) -> Outcome {
    let shown = Object::new().with("code", refusal.code).with("message", shown_text(&refusal.message).to_value());
    failed(
        Some(tool),
        Source::Refused,
        refusal.code,
        DifferenceKind::Refused,
        Some(Shown::Whole(Value::Object(shown))),
        answer,
    )
}
