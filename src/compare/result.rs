//! The one result of a comparison (`decisions.md` 6). Every printer reads it; nothing here prints.

use crate::json::{Object, Value};

/// What kind of difference two answers show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// The statuses differ.
    Status,
    /// Two scalars of one type differ.
    Value,
    /// The application's answer holds something that the environment's lacks.
    Missing,
    /// The environment's answer holds something that the application's lacks.
    Extra,
    /// The JSON types differ.
    Type,
    /// Two texts that are not JSON differ, or a text stands for a JSON body.
    Text,
    /// Two byte bodies differ.
    Bytes,
    /// The environment refused the call.
    Refused,
    /// The environment serves no tool for the request.
    NoTool,
    /// The served tool's schema does not take the request's arguments.
    InvalidArguments,
}

impl DifferenceKind {
    /// Every kind, in printed order.
    pub const ALL: [Self; 10] = [
        Self::Status,
        Self::Value,
        Self::Missing,
        Self::Extra,
        Self::Type,
        Self::Text,
        Self::Bytes,
        Self::Refused,
        Self::NoTool,
        Self::InvalidArguments,
    ];

    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Value => "value",
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Type => "type",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Refused => "refused",
            Self::NoTool => "no-tool",
            Self::InvalidArguments => "invalid-arguments",
        }
    }
}

/// A value as a report shows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// The value itself.
    Whole(Value),
    /// The beginning of a longer value's text, with its length.
    Cut(String),
}

impl Shown {
    /// As JSON: a cut value is a text.
    pub fn to_value(&self) -> Value {
        match self {
            Shown::Whole(value) => value.clone(),
            Shown::Cut(text) => Value::from(text.as_str()),
        }
    }

    /// For people: the compact JSON, or its beginning.
    pub fn to_text(&self) -> String {
        match self {
            Shown::Whole(value) => value.to_compact(),
            Shown::Cut(text) => text.clone(),
        }
    }
}

impl<T: Into<Value>> From<T> for Shown {
    fn from(value: T) -> Self {
        Shown::Whole(value.into())
    }
}

/// One difference of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its kind.
    pub kind: DifferenceKind,
    /// Where in the body, as an RFC 6901 pointer; `None` when it is not in a body.
    pub pointer: Option<String>,
    /// The application's value, cut short; `None` where it has none.
    pub live: Option<Shown>,
    /// The environment's value, cut short; `None` where it has none.
    pub environment: Option<Shown>,
}

/// Where the environment's answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Its state.
    State,
    /// One of its recordings.
    Recording,
    /// It refused the call, or its schema did.
    Refused,
    /// It serves no such tool.
    NoTool,
}

impl Source {
    /// Every source, in printed order.
    pub const ALL: [Self; 4] = [Self::State, Self::Recording, Self::Refused, Self::NoTool];

    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Recording => "recording",
            Self::Refused => "refused",
            Self::NoTool => "no_tool",
        }
    }
}

/// How many values of each kind were normalised: they differed, and the difference is not the environment's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Normalised {
    /// Identifiers that stand for each other.
    pub ids: usize,
    /// Texts that differ only in such identifiers.
    pub embedded_ids: usize,
    /// Member names that are such identifiers.
    pub keyed_ids: usize,
    /// Members that a rule of the served state computes from others.
    pub derived: usize,
    /// Clocks of one format.
    pub clocks: usize,
    /// Generated UUIDs.
    pub uuids: usize,
    /// Generated tokens and text sequences.
    pub tokens: usize,
}

impl Normalised {
    /// The counts with their names, in printed order.
    pub fn named(&self) -> [(&'static str, usize); 7] {
        [
            ("ids", self.ids),
            ("embedded_ids", self.embedded_ids),
            ("keyed_ids", self.keyed_ids),
            ("derived", self.derived),
            ("clocks", self.clocks),
            ("uuids", self.uuids),
            ("tokens", self.tokens),
        ]
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: &Self) {
        self.ids += other.ids;
        self.embedded_ids += other.embedded_ids;
        self.keyed_ids += other.keyed_ids;
        self.derived += other.derived;
        self.clocks += other.clocks;
        self.uuids += other.uuids;
        self.tokens += other.tokens;
    }
}

/// Agreement over some steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Steps that were made and compared.
    pub compared: usize,
    /// Steps that agree.
    pub agreed: usize,
    /// Steps that agree when the order of array items is ignored.
    pub agreed_ignoring_order: usize,
}

impl Agreement {
    /// `agreed / compared`, 0 to 1; `None` when nothing was compared.
    pub fn ratio(&self) -> Option<f64> {
        ratio(self.agreed, self.compared)
    }

    /// The same, ignoring order.
    pub fn ratio_ignoring_order(&self) -> Option<f64> {
        ratio(self.agreed_ignoring_order, self.compared)
    }

    /// Counts one compared step.
    pub fn count(&mut self, verdict: Verdict) {
        self.compared += 1;
        self.agreed += usize::from(verdict.agrees);
        self.agreed_ignoring_order += usize::from(verdict.agrees_ignoring_order);
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: &Self) {
        self.compared += other.compared;
        self.agreed += other.agreed;
        self.agreed_ignoring_order += other.agreed_ignoring_order;
    }
}

/// `part / whole`, `None` when there is no whole.
pub fn ratio(part: usize, whole: usize) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)]
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Whether a compared step agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Statuses and normalised bodies are equal.
    pub agrees: bool,
    /// They are when the order of array items is ignored.
    pub agrees_ignoring_order: bool,
}

/// One request of a probe that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Ordinal of the record in its probe.
    pub ordinal: usize,
    /// The method.
    pub method: String,
    /// The live path and query, as recorded.
    pub path: String,
    /// Name of the tool that was called, when one fits.
    pub tool: Option<String>,
    /// Where the answer came from.
    pub source: Source,
    /// Why it is a recording or a refusal, when the environment says.
    pub reason: Option<String>,
    /// The recording that the answer rests on, when there is one.
    pub record_ordinal: Option<usize>,
    /// `None` when the application's answer was not recorded, so that there was nothing to compare with.
    pub verdict: Option<Verdict>,
    /// The differences, at most [`super::MAX_DIFFERENCES_PER_STEP`].
    pub differences: Vec<Difference>,
    /// What was normalised.
    pub normalised: Normalised,
    /// Whether the path holds an identifier that no answer taught, where the application answered and the environment did
    /// not know it: part of agreement, left out of precision.
    pub unlearned_id: bool,
    /// Whether the application's body was not recorded although its answer carries one.
    pub unobserved_body: bool,
    /// What pure replay answered, with `--baseline`.
    pub baseline: Option<Verdict>,
}

/// A record that was not made, or made and not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unobserved {
    /// Ordinal of the record.
    pub ordinal: usize,
    /// `no-request-line`, `redacted-url`, `unattributed`, `other-origin`, `no-answer`.
    pub reason: &'static str,
}

/// The comparison with one probe.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeResult {
    /// The probe's name.
    pub name: String,
    /// Its capture Evidence.
    pub evidence_id: String,
    /// The steps in the order they were made.
    pub steps: Vec<Step>,
    /// Agreement over them.
    pub agreement: Agreement,
    /// The same by pure replay, with `--baseline`.
    pub baseline: Option<Agreement>,
    /// What was not observed, by ordinal.
    pub unobserved: Vec<Unobserved>,
    /// Contradicting identifier pairs.
    pub id_conflicts: usize,
}

/// The comparison of the calls of one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The tool's name.
    pub tool: String,
    /// Calls that were made.
    pub steps: usize,
    /// Agreement over them.
    pub agreement: Agreement,
    /// The same by pure replay, with `--baseline`.
    pub baseline: Option<Agreement>,
}

/// Agreement of the answers from one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceCount {
    /// The source.
    pub source: Source,
    /// Compared steps answered from it.
    pub steps: usize,
    /// Those that agree.
    pub agreed: usize,
}

/// Totals over every probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Probes.
    pub probes: usize,
    /// Requests that were made.
    pub steps: usize,
    /// Agreement over them.
    pub agreement: Agreement,
    /// The same by pure replay, with `--baseline`.
    pub baseline: Option<Agreement>,
    /// Records listed as unobserved.
    pub unobserved: usize,
    /// Compared steps whose live body was not recorded.
    pub unobserved_bodies: usize,
    /// Contradicting identifier pairs.
    pub id_conflicts: usize,
    /// Steps whose path holds an identifier that no answer taught.
    pub unlearned_ids: usize,
    /// Those of them that the state answered.
    pub unlearned_ids_of_state: usize,
    /// Normalised values.
    pub normalised: Normalised,
    /// Agreement by source, in printed order.
    pub sources: Vec<SourceCount>,
}

impl Summary {
    /// How many of the answers given from the state agree, leaving out what no answer taught; `None` without any.
    pub fn precision(&self) -> Option<f64> {
        let state = self.sources.iter().find(|count| count.source == Source::State)?;
        ratio(state.agreed, state.steps.saturating_sub(self.unlearned_ids_of_state))
    }
}

/// The environment that was compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedEnvironment {
    /// Its capture Evidence.
    pub capture_evidence_id: String,
    /// Its manifest Evidence.
    pub manifest_evidence_id: String,
    /// Whether it serves from a state, as the serve command's stopped document says it.
    pub state: Object,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What was compared.
    pub environment: ComparedEnvironment,
    /// Totals.
    pub summary: Summary,
    /// By tool, in manifest order; only tools that were called.
    pub tools: Vec<ToolResult>,
    /// By probe, in the order given.
    pub probes: Vec<ProbeResult>,
}
