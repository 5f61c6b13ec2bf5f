//! The fidelity table: every application's environment against recordings of the live application.

use rea::answer::{Engine, EngineOptions, load_pair};
use rea::capture::{Capture, InspectOptions, Record};
use rea::compare::{Comparison, DifferenceKind, Probe, Shown, Source, Step, compare, ratio};
use rea::json::{Value, parse};
use rea::state::{Derived, is_read};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The probes of every application.
pub const PROBES: [&str; 2] = ["reads", "crud"];

/// The name that stands for an application's own capture where a probe is named.
pub const OWN_CAPTURE: &str = "capture";

/// The name that stands for the beginning of an application's own capture, up to its first write that was taken.
pub const OWN_BEGINNING: &str = "capture-beginning";

/// What `<probe>.expect.json` says of a probe.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// Steps in the probe.
    pub steps: usize,
    /// Ordinals of answers that nobody could foretell.
    pub unknowable: BTreeSet<usize>,
    /// Ordinals of answers that depend on a side effect elsewhere.
    pub effects: BTreeSet<usize>,
}

/// One application: its comparison, with pure replay beside it.
#[derive(Debug)]
pub struct Application {
    /// Its name, as the folders are called.
    pub name: String,
    /// Whether the environment serves from a state.
    pub serves_state: bool,
    /// The comparison; `baseline` is pure replay.
    pub comparison: Comparison,
    /// What the probes' expectations say, in the order of [`PROBES`].
    pub expectations: Vec<Expectation>,
}

/// Agreed and compared steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Agreed.
    pub agreed: usize,
    /// Compared.
    pub of: usize,
}

impl Count {
    fn add(&mut self, agrees: bool) {
        self.of += 1;
        self.agreed += usize::from(agrees);
    }

    /// Adds another count.
    pub fn join(&mut self, other: Self) {
        self.agreed += other.agreed;
        self.of += other.of;
    }

    /// `87.5 % (35/40)`, or a dash when nothing was compared.
    pub fn shown(&self) -> String {
        match ratio(self.agreed, self.of) {
            Some(share) => format!("{:.1} % ({}/{})", share * 100.0, self.agreed, self.of),
            None => "–".to_owned(),
        }
    }

    fn document(self) -> Value {
        let share = ratio(self.agreed, self.of).and_then(rea::json::Number::from_f64).map(Value::Number);
        let object = rea::json::Object::new().with("agreed", self.agreed).with("compared", self.of);
        Value::Object(object.with("agreement", share))
    }
}

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The application.
    pub name: String,
    /// Steps that were made.
    pub steps: usize,
    /// By pure replay.
    pub replay: Count,
    /// By the environment as it is served.
    pub served: Count,
    /// The answers given from the state, without those no answer taught the id of.
    pub precision: Count,
    /// Without the unknowable steps.
    pub knowable: Count,
    /// The steps whose answer depends on an effect elsewhere.
    pub effects: Count,
    /// Kinds of disagreement, the most frequent first.
    pub kinds: Vec<(String, usize)>,
}

/// Compares one application's environment with its probes.
///
/// # Errors
/// What could not be read or compared, in words.
pub fn run(root: &Path, name: &str, probes: &[&str]) -> Result<Application, String> {
    let say = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let options = InspectOptions::default();
    let capture = root.join("scenarios").join(name).join("capture.har");
    let (capture, manifest) = load_pair(&capture, None, &options).map_err(|error| say(&error))?;
    let replay_only = EngineOptions { replay_only: true, name: Some(name.to_owned()) };
    let served = EngineOptions { replay_only: false, name: Some(name.to_owned()) };
    let baseline = Engine::new(capture.clone(), manifest.clone(), &replay_only).map_err(|error| say(&error))?;
    let engine = Engine::new(capture, manifest, &served).map_err(|error| say(&error))?;
    let mut loaded = Vec::new();
    let mut expectations = Vec::new();
    for probe in probes {
        let own = match *probe {
            OWN_CAPTURE => Some(engine.capture.clone()),
            OWN_BEGINNING => Some(beginning(&engine)),
            _ => None,
        };
        if let Some(own) = own {
            loaded.push(Probe::new(*probe, own).map_err(|error| say(&error))?);
            expectations.push(Expectation::default());
            continue;
        }
        let folder = root.join("probes").join(name);
        loaded.push(Probe::load(&folder.join(format!("{probe}.har")), &options).map_err(|error| say(&error))?);
        expectations.push(expectation(&folder.join(format!("{probe}.expect.json")))?);
    }
    let comparison = compare(&engine, Some(&baseline), &loaded, &|_| {}).map_err(|error| say(&error))?;
    let serves_state = comparison.environment.state.get("served").and_then(Value::as_bool) == Some(true);
    Ok(Application { name: name.to_owned(), serves_state, comparison, expectations })
}

/// An environment's own capture without its first 2xx answer to a tool that does more than read, and what was asked later.
fn beginning(engine: &Engine) -> Capture {
    let writes: BTreeSet<usize> = engine
        .manifest
        .tools
        .iter()
        .enumerate()
        .filter(|(index, tool)| {
            let reads = |derived: &Derived| derived.only_reads(*index, tool) && derived.plan(*index).is_none();
            !engine.derived.as_ref().map_or(is_read(tool), reads)
        })
        .flat_map(|(_, tool)| tool.records.iter().copied())
        .collect();
    let asked = |record: &Record| (record.start.clone(), record.ordinal);
    let taken = |record: &Record| record.answer.as_ref().is_some_and(|answer| (200..300).contains(&answer.status));
    let records = &engine.capture.records;
    let first = records.iter().filter(|record| writes.contains(&record.ordinal) && taken(record)).map(asked).min();
    let before = |record: &&Record| first.as_ref().is_none_or(|first| asked(record) < *first);
    Capture { records: records.iter().filter(before).cloned().collect(), ..engine.capture.clone() }
}

/// The applications that have a capture and probes, by name.
pub fn applications(root: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(root.join("probes")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| root.join("scenarios").join(name).join("capture.har").is_file())
        .collect();
    names.sort();
    names
}

fn expectation(path: &Path) -> Result<Expectation, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let document = parse(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    let number = |value: &Value| value.as_number()?.as_i64().and_then(|number| usize::try_from(number).ok());
    let ordinals = |member: &str| {
        let entries = document.get(member).and_then(Value::as_array).unwrap_or_default();
        entries.iter().filter_map(|entry| number(entry.get("ordinal")?)).collect()
    };
    Ok(Expectation {
        steps: document.get("steps").and_then(number).unwrap_or_default(),
        unknowable: ordinals("unknowable"),
        effects: ordinals("effects"),
    })
}

impl Application {
    /// Steps with what is expected of them.
    pub fn steps(&self) -> impl Iterator<Item = (&str, &Step, &Expectation)> {
        self.comparison.probes.iter().zip(&self.expectations).flat_map(|(probe, expectation)| {
            probe.steps.iter().map(move |step| (probe.name.as_str(), step, expectation))
        })
    }

    /// The application's row.
    pub fn row(&self) -> Row {
        let mut row = Row {
            name: self.name.clone(),
            steps: self.comparison.summary.steps,
            replay: Count::default(),
            served: Count::default(),
            precision: Count::default(),
            knowable: Count::default(),
            effects: Count::default(),
            kinds: Vec::new(),
        };
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for (_, step, expectation) in self.steps() {
            let Some(verdict) = step.verdict else { continue };
            row.served.add(verdict.agrees);
            if let Some(replay) = step.baseline {
                row.replay.add(replay.agrees);
            }
            if step.source == Source::State && !step.unlearned_id {
                row.precision.add(verdict.agrees);
            }
            if !expectation.unknowable.contains(&step.ordinal) {
                row.knowable.add(verdict.agrees);
            }
            if expectation.effects.contains(&step.ordinal) {
                row.effects.add(verdict.agrees);
            }
            if !verdict.agrees {
                *kinds.entry(kind_of(step)).or_default() += 1;
            }
        }
        let mut kinds: Vec<(String, usize)> = kinds.into_iter().collect();
        kinds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        row.kinds = kinds;
        row
    }
}

/// What a disagreement is called in the table: its source and its first difference; `order` where only order differs.
pub fn kind_of(step: &Step) -> String {
    let only_order = step.verdict.is_some_and(|verdict| verdict.agrees_ignoring_order);
    let first = step.differences.first().map(|difference| difference.kind);
    let kind = match first {
        _ if step.unlearned_id => "unlearned id",
        _ if only_order => "order",
        Some(kind) => kind.word(),
        None => DifferenceKind::Value.word(),
    };
    match step.source {
        Source::State => format!("state {kind}"),
        Source::Recording => format!("recording {kind}"),
        Source::Refused | Source::NoTool => kind.to_owned(),
    }
}

/// The table as Markdown, with a row of totals.
pub fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "| application | steps | by replay | by state | precision of state answers | without unknowable | effects | most \
         frequent disagreements |\n|---|---:|---:|---:|---:|---:|---:|---|\n",
    );
    let mut total = Row {
        name: "**all**".to_owned(),
        steps: 0,
        replay: Count::default(),
        served: Count::default(),
        precision: Count::default(),
        knowable: Count::default(),
        effects: Count::default(),
        kinds: Vec::new(),
    };
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        total.steps += row.steps;
        total.replay.join(row.replay);
        total.served.join(row.served);
        total.precision.join(row.precision);
        total.knowable.join(row.knowable);
        total.effects.join(row.effects);
        for (kind, count) in &row.kinds {
            *kinds.entry(kind.clone()).or_default() += count;
        }
        out.push_str(&line(row));
    }
    let mut kinds: Vec<(String, usize)> = kinds.into_iter().collect();
    kinds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    total.kinds = kinds;
    out.push_str(&line(&total));
    out
}

fn line(row: &Row) -> String {
    let kinds: Vec<String> = row.kinds.iter().take(3).map(|(kind, count)| format!("{kind} {count}")).collect();
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
        row.name,
        row.steps,
        row.replay.shown(),
        row.served.shown(),
        row.precision.shown(),
        row.knowable.shown(),
        row.effects.shown(),
        if kinds.is_empty() { "–".to_owned() } else { kinds.join(", ") }
    )
}

/// The receipt: the rows as one document.
pub fn receipt(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        let kinds: Value = row
            .kinds
            .iter()
            .map(|(kind, count)| {
                Value::Object(rea::json::Object::new().with("kind", kind.as_str()).with("steps", *count))
            })
            .collect();
        Value::Object(
            rea::json::Object::new()
                .with("application", row.name.as_str())
                .with("steps", row.steps)
                .with("replay", row.replay.document())
                .with("served", row.served.document())
                .with("precision", row.precision.document())
                .with("without_unknowable", row.knowable.document())
                .with("effects", row.effects.document())
                .with("disagreements", kinds),
        )
    });
    Value::Object(rea::json::Object::new().with("lane", "fidelity").with("applications", rows.collect::<Value>()))
}

/// Each step that disagrees (or every step), for people: what was asked, where the answer came from, what differs.
pub fn steps_text(application: &Application, all: bool) -> String {
    let mut out = String::new();
    for (probe, step, expectation) in application.steps() {
        let Some(verdict) = step.verdict else { continue };
        if verdict.agrees && !all {
            continue;
        }
        let mut marks = Vec::new();
        if expectation.unknowable.contains(&step.ordinal) {
            marks.push("unknowable");
        }
        if expectation.effects.contains(&step.ordinal) {
            marks.push("effect");
        }
        if step.unlearned_id {
            marks.push("unlearned id");
        }
        if !verdict.agrees && verdict.agrees_ignoring_order {
            marks.push("only order");
        }
        if step.baseline.is_some_and(|replay| replay.agrees) && !verdict.agrees {
            marks.push("replay agrees");
        }
        let reason = step.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let marks = if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join(", ")) };
        out.push_str(&format!(
            "{} {probe}#{} {} {}\n    {} {}{reason}{marks}\n",
            if verdict.agrees { "ok " } else { "NOT" },
            step.ordinal,
            step.method,
            step.path,
            step.tool.as_deref().unwrap_or("no tool"),
            step.source.word(),
        ));
        let shown = |value: &Option<Shown>| value.as_ref().map_or_else(|| "–".to_owned(), Shown::to_text);
        for difference in &step.differences {
            out.push_str(&format!(
                "    {:<8} {}\n        live        {}\n        environment {}\n",
                difference.kind.word(),
                difference.pointer.as_deref().unwrap_or(""),
                shown(&difference.live),
                shown(&difference.environment)
            ));
        }
    }
    out
}

/// Why steps of an application's own capture disagree with its replay.
#[derive(Clone, Debug, Default)]
pub struct OwnCapture {
    /// Steps that were compared.
    pub compared: usize,
    /// Steps that agree.
    pub agreed: usize,
    /// Disagreements whose line was recorded with another answer too: replay keeps one answer for a line.
    pub one_answer_per_line: usize,
    /// Disagreements where the call left out what the answering record was asked with (a query, a body): replay chooses by
    /// what a call supplies, and says nothing about what it omits.
    pub omitted: usize,
    /// Disagreements answered by the very record that was asked again: a fault of normalisation.
    pub own_record: Vec<usize>,
    /// Disagreements answered by another line's record: a fault of mapping or selection.
    pub other_line: Vec<usize>,
}

/// Compares an application's environment with its own capture, by pure replay.
///
/// # Errors
/// What could not be read or compared, in words.
pub fn own_capture(root: &Path, name: &str) -> Result<OwnCapture, String> {
    let say = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let options = InspectOptions::default();
    let path = root.join("scenarios").join(name).join("capture.har");
    let (capture, manifest) = load_pair(&path, None, &options).map_err(|error| say(&error))?;
    let probe = Probe::new("capture", capture.clone()).map_err(|error| say(&error))?;
    let replay_only = EngineOptions { replay_only: true, name: Some(name.to_owned()) };
    let engine = Engine::new(capture.clone(), manifest, &replay_only).map_err(|error| say(&error))?;
    let comparison = compare(&engine, None, &[probe], &|_| {}).map_err(|error| say(&error))?;
    let line = |ordinal: usize| {
        let record = capture.records.iter().find(|record| record.ordinal == ordinal)?;
        record.request.as_ref().map(|request| (&request.method, &request.path, &request.query, &request.body))
    };
    let mut own = OwnCapture::default();
    for step in comparison.probes.iter().flat_map(|probe| &probe.steps) {
        let Some(verdict) = step.verdict else { continue };
        own.compared += 1;
        own.agreed += usize::from(verdict.agrees);
        if verdict.agrees {
            continue;
        }
        match step.record_ordinal {
            Some(answered) if answered == step.ordinal => own.own_record.push(step.ordinal),
            Some(answered) if line(answered) == line(step.ordinal) => own.one_answer_per_line += 1,
            Some(answered) if omits(&capture, step.ordinal, answered) => own.omitted += 1,
            _ => own.other_line.push(step.ordinal),
        }
    }
    Ok(own)
}

/// Whether one record's call is another's without its query or its body.
fn omits(capture: &Capture, asked: usize, answered: usize) -> bool {
    let request = |ordinal: usize| {
        let record = capture.records.iter().find(|record| record.ordinal == ordinal);
        record.and_then(|record| record.request.as_ref())
    };
    let (Some(asked), Some(answered)) = (request(asked), request(answered)) else { return false };
    let same_query = asked.query == answered.query;
    let same_body = asked.body == answered.body;
    asked.path == answered.path
        && (same_query || asked.query.is_none())
        && (same_body || !asked.body.is_recorded())
        && !(same_query && same_body)
}

/// Where the receipt is written.
pub fn receipt_path(root: &Path) -> PathBuf {
    root.join("target").join("ci").join("fidelity.json")
}
