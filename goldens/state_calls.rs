//! The twenty calls of a scenario's transcript of the state, chosen from its views: items, absent items, lists as recorded
//! and with parameters that were never recorded together, documents.

use super::calls::{PlannedCall, UNRECORDED, recorded, spread};
use rea::answer::Engine;
use rea::json::Object;
use rea::manifest::Tool;
use rea::state::View;

/// Six items, three absent ones, six lists, three lists with a line of its own, two documents, in this order. A scenario
/// without such a view shows other reads in its place.
pub fn state_calls(engine: &Engine) -> Vec<PlannedCall> {
    let served: Vec<(&Tool, &View)> = engine
        .catalog
        .tools
        .iter()
        .filter_map(|tool| {
            Some((engine.manifest.tools.get(tool.tool)?, engine.derived.as_ref()?.views.get(tool.tool)?))
        })
        .collect();
    let of = |fits: fn(&View) -> bool| -> Vec<&Tool> {
        let fitting: Vec<&Tool> = served.iter().filter(|(_, view)| fits(view)).map(|(tool, _)| *tool).collect();
        if fitting.is_empty() { served.iter().map(|(tool, _)| *tool).collect() } else { fitting }
    };
    let items = of(|view| matches!(view, View::Item(_)));
    let lists = of(|view| matches!(view, View::List(_)));
    let documents = of(|view| matches!(view, View::Document(_)));
    let mut calls = Vec::with_capacity(20);
    for (index, tool) in spread(&items, 6, |_| true).into_iter().enumerate() {
        calls.push(PlannedCall::new("item", &tool.name, turn(engine, tool, index)));
    }
    for tool in spread(&items, 3, |_| true) {
        calls.push(PlannedCall::new("absent-item", &tool.name, absent(engine, tool)));
    }
    for (index, tool) in spread(&lists, 6, |_| true).into_iter().enumerate() {
        calls.push(PlannedCall::new("list", &tool.name, turn(engine, tool, index)));
    }
    for (index, tool) in spread(&lists, 3, |tool| tool.query.len() > 1).into_iter().enumerate() {
        calls.push(PlannedCall::new("list-of-own-line", &tool.name, mixed(engine, tool, index)));
    }
    for (index, tool) in spread(&documents, 2, |_| true).into_iter().enumerate() {
        calls.push(PlannedCall::new("document", &tool.name, turn(engine, tool, index)));
    }
    calls
}

/// The arguments of one of the tool's successful recordings, a later one at each turn.
fn turn(engine: &Engine, tool: &Tool, turn: usize) -> Object {
    let succeeded = |ordinal: &&usize| {
        let record = engine.capture.records.iter().find(|record| record.ordinal == **ordinal);
        let answer = record.and_then(|record| record.answer.as_ref());
        answer.is_some_and(|answer| (200..300).contains(&answer.status))
    };
    let records: Vec<&usize> = tool.records.iter().filter(succeeded).collect();
    let ordinal = records.get(turn % records.len().max(1));
    ordinal.map_or_else(Object::new, |ordinal| recorded(engine, tool, **ordinal))
}

/// The arguments of the first recording with another last path parameter, of the recorded one's kind.
fn absent(engine: &Engine, tool: &Tool) -> Object {
    let mut arguments = turn(engine, tool, 0);
    if let Some(parameter) = tool.parameters.last() {
        let numeric = parameter.observed.iter().all(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        arguments.set(parameter.argument.as_str(), if numeric { "999999" } else { UNRECORDED });
    }
    arguments
}

/// The path of the first recording with two parameters of the tool, each as some recording spelled it.
fn mixed(engine: &Engine, tool: &Tool, turn: usize) -> Object {
    let first = self::turn(engine, tool, 0);
    let path = |name: &str| tool.parameters.iter().any(|parameter| parameter.argument == name);
    let mut arguments: Object = first.into_iter().filter(|(name, _)| name.as_str().is_some_and(path)).collect();
    for (index, query) in tool.query.iter().skip(turn % tool.query.len().max(1)).take(2).enumerate() {
        if let Some(value) = query.observed.get((turn + index) % query.observed.len().max(1)) {
            arguments.set(query.argument.as_str(), value.as_str());
        }
    }
    arguments
}
