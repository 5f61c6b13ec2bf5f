//! Coverage: how many reads answer from the state, why the others do not, which writes are served, and what to record so
//! that more are. The same summary in the view, in a build's report, and to whoever asks the library.

use super::derived::Derived;
use super::observe::{is_read, query_pairs};
use super::types::View;
use super::write_plan::WriteState;
use super::write_reason::WriteReason;
use crate::capture::{Body, Capture, Record, is_success};
use crate::json::{self, Object, Value};
use crate::manifest::{Manifest, Segment, Tool};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a write does to the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Adds one entity.
    Create,
    /// Changes one entity.
    Update,
    /// Removes one entity.
    Delete,
    /// Changes a document.
    DocumentWrite,
}

impl Effect {
    /// The printed word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::DocumentWrite => "document-write",
        }
    }
}

/// A write that is not served.
#[derive(Clone, Debug, PartialEq)]
pub struct Withheld {
    /// Index of the tool in the manifest.
    pub tool: usize,
    /// What the method and the place of the tool say it does.
    pub effect: Effect,
    /// Why it is withheld.
    pub reason: WriteReason,
    /// The recorded call that a plan would take its answer from: the first that succeeded.
    pub exemplar_ordinal: Option<usize>,
    /// The record that disagrees.
    pub contradicted_by: Option<usize>,
}

/// The read views and write plans of a state, summarised.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Read tools that answer from the state.
    pub state: usize,
    /// Read tools that answer from recordings only.
    pub recorded: usize,
    /// How many of them for each reason.
    pub recorded_reasons: BTreeMap<&'static str, usize>,
    /// Served writes: names and effects, in manifest order.
    pub served: Vec<(String, Effect)>,
    /// Withheld writes with their tools' names, in manifest order.
    pub withheld: Vec<(String, Withheld)>,
}

impl Coverage {
    /// `{reads: {state, recorded, recorded_reasons}, writes: {served, withheld}}`.
    pub fn to_object(&self) -> Object {
        let reasons: Object =
            self.recorded_reasons.iter().map(|(reason, count)| ((*reason).into(), (*count).into())).collect();
        let served = self
            .served
            .iter()
            .map(|(tool, effect)| Value::from(Object::new().with("tool", tool.as_str()).with("effect", effect.word())));
        let withheld = self.withheld.iter().map(|(tool, withheld)| {
            Value::from(
                Object::new()
                    .with("tool", tool.as_str())
                    .with("effect", withheld.effect.word())
                    .with("reason", withheld.reason.word())
                    .with("hint", withheld.reason.hint())
                    .with("exemplar_ordinal", withheld.exemplar_ordinal)
                    .with("contradicted_by", withheld.contradicted_by),
            )
        });
        let reads =
            Object::new().with("state", self.state).with("recorded", self.recorded).with("recorded_reasons", reasons);
        let writes =
            Object::new().with("served", served.collect::<Value>()).with("withheld", withheld.collect::<Value>());
        Object::new().with("reads", reads).with("writes", writes)
    }
}

/// The coverage of a derived state.
pub fn coverage_of(derived: &Derived, capture: &Capture, manifest: &Manifest) -> Coverage {
    let mut coverage = Coverage::default();
    let places = Places::new(derived, manifest);
    let records: HashMap<usize, &Record> = capture.records.iter().map(|record| (record.ordinal, record)).collect();
    for (index, tool) in manifest.tools.iter().enumerate() {
        if is_read(tool) {
            match derived.views.get(index) {
                Some(
                    View::Item(_) | View::List(_) | View::Count(_) | View::Part(_) | View::Document(_) | View::Tree,
                ) => coverage.state += 1,
                Some(View::Recorded { reason }) => coverage.count_recorded(reason),
                Some(View::Write) | None => coverage.count_recorded("no-view"),
            }
        } else if derived.only_reads(index, tool) {
            coverage.count_recorded("query-body");
        } else {
            if let Some(WriteState::Served(plan)) = derived.writes.get(index).and_then(Option::as_ref) {
                coverage.served.push((tool.name.clone(), plan.effect()));
                continue;
            }
            let calls: Vec<&Record> = tool.records.iter().filter_map(|ordinal| records.get(ordinal).copied()).collect();
            coverage.withheld.push((tool.name.clone(), withheld(index, tool, &calls, &places)));
        }
    }
    coverage
}

impl Coverage {
    fn count_recorded(&mut self, reason: &'static str) {
        self.recorded += 1;
        *self.recorded_reasons.entry(reason).or_default() += 1;
    }
}

fn withheld(index: usize, tool: &Tool, calls: &[&Record], places: &Places<'_>) -> Withheld {
    let succeeded: Vec<&Record> = calls
        .iter()
        .copied()
        .filter(|record| record.answer.as_ref().is_some_and(|answer| is_success(answer.status)))
        .collect();
    let reason = match succeeded.as_slice() {
        [] => WriteReason::NoSuccess,
        succeeded if succeeded.iter().all(|record| repeats_query(record)) => WriteReason::QueryRepeated,
        succeeded if succeeded.iter().all(|record| body_is_unread(record, tool)) => WriteReason::BodyUnread,
        _ => match places.derived.writes.get(index).and_then(Option::as_ref) {
            Some(WriteState::Withheld { effect, reason, exemplar_ordinal, contradicted_by, .. }) => {
                return Withheld {
                    tool: index,
                    effect: *effect,
                    reason: *reason,
                    exemplar_ordinal: *exemplar_ordinal,
                    contradicted_by: *contradicted_by,
                };
            }
            _ => WriteReason::NoType,
        },
    };
    Withheld {
        tool: index,
        effect: places.effect(tool),
        reason,
        exemplar_ordinal: succeeded.first().map(|record| record.ordinal),
        contradicted_by: None,
    }
}

fn repeats_query(record: &Record) -> bool {
    let query = record.request.as_ref().and_then(|request| request.query.as_deref());
    let mut names = BTreeSet::new();
    query_pairs(query).into_iter().any(|(name, _)| !names.insert(name))
}

/// Whether what the call sent cannot be read as the members of an object: a body that is none, or one that the capture
/// left out of a call that would have one.
fn body_is_unread(record: &Record, tool: &Tool) -> bool {
    let Some(request) = &record.request else { return true };
    match &request.body {
        Body::Bytes(_) => true,
        Body::Unrecorded => record.bodies_unselected && matches!(tool.method.as_str(), "POST" | "PUT" | "PATCH"),
        Body::Text(text) if text.is_empty() => false,
        Body::Text(text) => match request.body_kind() {
            crate::capture::BodyKind::Form => false,
            _ => json::parse(text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes())
                .map_or(true, |body| body.as_object().is_none()),
        },
    }
}

/// Where the state's entities and documents are, to say what a write at a place does.
struct Places<'a> {
    collections: BTreeSet<String>,
    documents: BTreeSet<String>,
    derived: &'a Derived,
}

impl<'a> Places<'a> {
    fn new(derived: &'a Derived, manifest: &Manifest) -> Self {
        let documents = manifest
            .tools
            .iter()
            .zip(&derived.views)
            .filter(|(_, view)| matches!(view, View::Document(_)))
            .map(|(tool, _)| trimmed(&tool.template.spelling()).to_owned());
        let collections = derived.types.iter().map(|kind| kind.collection_template.clone());
        Self { collections: collections.collect(), documents: documents.collect(), derived }
    }

    fn effect(&self, tool: &Tool) -> Effect {
        let spelling = tool.template.spelling();
        let path = trimmed(&spelling);
        let in_collection = self.collections.contains(path);
        let under_entity = self.derived.types.iter().any(|kind| {
            let home = &kind.template.segments;
            let segments = &tool.template.segments;
            segments.len() > home.len()
                && segments.starts_with(home)
                && !matches!(segments[home.len()], Segment::Literal(_))
        });
        match tool.method.as_str() {
            "DELETE" => Effect::Delete,
            "PUT" | "PATCH" if self.documents.contains(path) => Effect::DocumentWrite,
            "PUT" | "PATCH" => Effect::Update,
            _ if in_collection => Effect::Create,
            _ if self.documents.contains(path) => Effect::DocumentWrite,
            _ if under_entity => Effect::Update,
            _ => Effect::Create,
        }
    }
}

fn trimmed(path: &str) -> &str {
    path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(path)
}
