//! Arguments of a tool call: checked against the tool's closed schema, then a [`Call`]. The MCP server and the
//! comparison both check here.

use super::display::{quoted, sample};
use super::schema::body_kinds;
use super::{Call, CatalogTool};
use crate::json::{Object, Value};
use crate::manifest::Tool;
use std::collections::{HashMap, HashSet};

/// What is wrong with the arguments of a call; the message names the argument and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ArgumentError {
    /// For people and agents.
    pub message: String,
}

/// Checks `arguments` (an object, or nothing) and makes the call.
///
/// # Errors
/// Every argument that the schema does not name, that is missing, or that is of another type, in one message.
pub fn check_arguments(served: &CatalogTool, tool: &Tool, arguments: Option<&Value>) -> Result<Call, ArgumentError> {
    let none = Object::new();
    let arguments = match arguments {
        None => &none,
        Some(value) => value.as_object().ok_or_else(|| ArgumentError {
            message: format!("arguments of {} must be an object, not {}", served.name, with_article(value.type_name())),
        })?,
    };
    // Both sides may be long (a tool of 1,500 arguments, a hostile call), so neither is searched for each of the other.
    let given: HashMap<&str, &Value> =
        arguments.iter().filter_map(|(name, value)| Some((name.as_str()?, value))).collect();
    let given = |name: &str| given.get(name).copied();
    let mut checked = Checked { call: empty_call(served.tool), problems: Vec::new() };
    for parameter in &tool.parameters {
        checked.path(&parameter.argument, given(&parameter.argument));
    }
    for parameter in &tool.query {
        if let Some(value) = given(&parameter.argument) {
            checked.query(&parameter.argument, &parameter.name, value);
        }
    }
    if let (Some(shape), Some(value)) = (&tool.body, given(&tool.body_argument)) {
        let kinds: Vec<&str> = body_kinds(shape).into_iter().map(|kind| kind.type_name()).collect();
        if kinds.contains(&value.type_name()) {
            checked.call.body = Some(value.clone());
        } else {
            let accepted: Vec<String> = kinds.into_iter().map(with_article).collect();
            checked.wrong_type(&tool.body_argument, &accepted.join(" or "), value);
        }
    }
    if !arguments.is_empty() {
        let known: HashSet<&str> = argument_names(tool).collect();
        let unknown = arguments.iter().filter(|(name, _)| name.as_str().is_none_or(|name| !known.contains(name)));
        checked.problems.extend(unknown.map(|(name, _)| format!("unknown argument {}", quoted(&name.to_display()))));
    }
    checked.finish(served, tool)
}

/// The names of a tool's arguments, in schema order.
fn argument_names(tool: &Tool) -> impl Iterator<Item = &str> {
    let path = tool.parameters.iter().map(|parameter| parameter.argument.as_str());
    let query = tool.query.iter().map(|parameter| parameter.argument.as_str());
    path.chain(query).chain(tool.body.as_ref().map(|_| tool.body_argument.as_str()))
}

fn empty_call(tool: usize) -> Call {
    Call { tool, path: Vec::new(), query: Vec::new(), raw_query: None, body: None }
}

/// A call as far as it was checked, and what was wrong with it.
struct Checked {
    call: Call,
    problems: Vec<String>,
}

impl Checked {
    fn path(&mut self, argument: &str, value: Option<&Value>) {
        match value {
            None => self.problems.push(format!("missing argument {} (a string)", quoted(argument))),
            Some(value) => match value.as_text() {
                Some(text) => self.call.path.push(text.to_display().into_owned()),
                None => self.wrong_type(argument, "a string", value),
            },
        }
    }

    fn query(&mut self, argument: &str, name: &str, value: &Value) {
        let values = match value.as_array() {
            Some(items) => items,
            None => std::slice::from_ref(value),
        };
        if values.iter().all(|value| value.as_text().is_some()) {
            let texts = values.iter().filter_map(Value::as_text);
            self.call.query.extend(texts.map(|text| (name.to_owned(), text.to_display().into_owned())));
        } else {
            self.wrong_type(argument, "a string or an array of strings", value);
        }
    }

    fn wrong_type(&mut self, argument: &str, accepted: &str, value: &Value) {
        let given = with_article(value.type_name());
        let hint = if value.is_null() { "; leave it out to omit it" } else { "" };
        self.problems.push(format!("argument {} must be {accepted}, not {given}{hint}", quoted(argument)));
    }

    fn finish(self, served: &CatalogTool, tool: &Tool) -> Result<Call, ArgumentError> {
        if self.problems.is_empty() {
            return Ok(self.call);
        }
        let accepted = sample(argument_names(tool).map(quoted));
        let accepted = if accepted.is_empty() { "no arguments" } else { &accepted };
        Err(ArgumentError { message: format!("{}; {} accepts {accepted}", sample(self.problems), served.name) })
    }
}

/// `an object`, `a string`, `null`.
fn with_article(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        "object" | "array" => format!("an {type_name}"),
        _ => format!("a {type_name}"),
    }
}
