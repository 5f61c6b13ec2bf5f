//! The twenty calls of a scenario's transcript, chosen from its manifest alone: the same manifest gives the same calls.

use rea::answer::Engine;
use rea::json::{Object, Value, parse};
use rea::manifest::{Tool, split_path};

/// A segment and a value that no recording holds.
pub const UNRECORDED: &str = "never-recorded";

/// A call of the transcript.
pub struct PlannedCall {
    /// What it shows: `exact`, `ambiguous`, `unmatched`, `bad-arguments`.
    pub kind: &'static str,
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

impl PlannedCall {
    pub fn new(kind: &'static str, tool: &str, arguments: impl Into<Value>) -> Self {
        Self { kind, tool: tool.to_owned(), arguments: arguments.into() }
    }
}

/// Eight exact calls, four ambiguous, four unmatched and four with bad arguments, in this order.
pub fn twenty_calls(engine: &Engine) -> Vec<PlannedCall> {
    let served: Vec<&Tool> =
        engine.catalog.tools.iter().filter_map(|tool| engine.manifest.tools.get(tool.tool)).collect();
    let mut calls = Vec::with_capacity(20);
    for (index, tool) in spread(&served, 8, |_| true).into_iter().enumerate() {
        // A tool that comes again shows an earlier recording.
        let place = tool.records.len().checked_sub(1 + index % tool.records.len().max(1));
        let ordinal = place.and_then(|place| tool.records.get(place));
        let arguments = ordinal.map_or_else(Object::new, |ordinal| recorded(engine, tool, *ordinal));
        calls.push(PlannedCall::new("exact", &tool.name, arguments));
    }
    for tool in spread(&served, 3, |tool| tool.records.len() > 1 && !tool.query.is_empty()) {
        // Only what a call needs: several recordings fit equally well.
        calls.push(PlannedCall::new("ambiguous", &tool.name, needed(engine, tool)));
    }
    for tool in spread(&served, 1, |tool| tool.body.is_some()) {
        let arguments = needed(engine, tool).with(tool.body_argument.as_str(), Object::new().with(UNRECORDED, true));
        calls.push(PlannedCall::new("ambiguous", &tool.name, arguments));
    }
    for (index, tool) in
        spread(&served, 4, |tool| !(tool.parameters.is_empty() && tool.query.is_empty())).iter().enumerate()
    {
        calls.push(PlannedCall::new("unmatched", &tool.name, unmatched(engine, tool, index)));
    }
    calls.extend(bad_arguments(engine, &served));
    calls
}

/// `count` of the tools that fit, at even distances over all of them and in their order; tools repeat when few fit, and
/// all tools fit when none does.
pub fn spread<'a>(tools: &[&'a Tool], count: usize, fits: impl Fn(&Tool) -> bool) -> Vec<&'a Tool> {
    let fitting: Vec<&Tool> = tools.iter().copied().filter(|tool| fits(tool)).collect();
    let chosen = if fitting.is_empty() { tools } else { &fitting };
    (0..count).filter_map(|index| chosen.get(index * chosen.len() / count).copied()).collect()
}

/// The arguments of one recorded request: its path segments, its query and its body.
pub fn recorded(engine: &Engine, tool: &Tool, ordinal: usize) -> Object {
    let mut arguments = Object::new();
    let record = engine.capture.records.iter().find(|record| record.ordinal == ordinal);
    let Some(request) = record.and_then(|record| record.request.as_ref()) else { return arguments };
    let segments = split_path(&request.path);
    for parameter in &tool.parameters {
        arguments.push(parameter.argument.as_str(), segments.get(parameter.segment).copied().unwrap_or_default());
    }
    let pairs: Vec<_> = form_urlencoded::parse(request.query.as_deref().unwrap_or_default().as_bytes()).collect();
    for parameter in &tool.query {
        let mut values: Vec<Value> = pairs
            .iter()
            .filter(|(name, _)| *name == parameter.name)
            .map(|(_, value)| Value::from(value.as_ref()))
            .collect();
        match values.len() {
            0 => {}
            1 => arguments.push(parameter.argument.as_str(), values.remove(0)),
            _ => arguments.push(parameter.argument.as_str(), values),
        }
    }
    let body = request.body.text().and_then(|text| parse(text.as_bytes()).ok());
    if let (Some(_), Some(body)) = (&tool.body, body.filter(|body| body.as_object().is_some())) {
        arguments.push(tool.body_argument.as_str(), body);
    }
    arguments
}

/// The path arguments of the tool's first recording and nothing else.
pub fn needed(engine: &Engine, tool: &Tool) -> Object {
    let first = tool.records.first().map_or_else(Object::new, |ordinal| recorded(engine, tool, *ordinal));
    let named = |name: &str| tool.parameters.iter().any(|parameter| parameter.argument == name);
    first.into_iter().filter(|(name, _)| name.as_str().is_some_and(named)).collect()
}

/// The needed arguments with one value that was never recorded: in the query where there is one and the turn is even, in
/// the path otherwise.
fn unmatched(engine: &Engine, tool: &Tool, turn: usize) -> Object {
    let mut arguments = needed(engine, tool);
    match (tool.query.first(), tool.parameters.last()) {
        (Some(query), None) => arguments.set(query.argument.as_str(), UNRECORDED),
        (Some(query), Some(_)) if turn.is_multiple_of(2) => arguments.set(query.argument.as_str(), UNRECORDED),
        (_, Some(parameter)) => arguments.set(parameter.argument.as_str(), UNRECORDED),
        (None, None) => None,
    };
    arguments
}

/// A misspelled argument, a wrong type, a tool that does not exist, and arguments that are no object.
fn bad_arguments(engine: &Engine, served: &[&Tool]) -> Vec<PlannedCall> {
    let kind = "bad-arguments";
    let first = served.first().map_or("", |tool| tool.name.as_str());
    let with_path = served.iter().find(|tool| !tool.parameters.is_empty());
    let misspelled = match with_path {
        Some(tool) => {
            let arguments =
                needed(engine, tool).into_iter().map(|(name, value)| (format!("{}x", name.to_display()).into(), value));
            PlannedCall::new(kind, &tool.name, arguments.collect::<Object>())
        }
        None => PlannedCall::new(kind, first, Object::new().with("misspelled", "x")),
    };
    let wrong_type = match with_path {
        Some(tool) => {
            let arguments = needed(engine, tool).into_iter().map(|(name, _)| (name, Value::from(7_u64)));
            PlannedCall::new(kind, &tool.name, arguments.collect::<Object>())
        }
        None => PlannedCall::new(kind, first, Object::new().with("body", 7_u64)),
    };
    vec![
        misspelled,
        wrong_type,
        PlannedCall::new(kind, "no_such_tool", Object::new()),
        PlannedCall::new(kind, first, vec![Value::from("not an object")]),
    ]
}
