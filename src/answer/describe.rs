//! Descriptions of tools: method, template, what it returns, statuses, records. Each part is one function, so that a tool
//! that answers from a state can be described from the same parts.

use super::display::{marked, quoted, sample};
use super::replay::Recording;
use crate::capture::is_success;
use crate::json::{Object, Value};
use crate::manifest::Tool;
use crate::state::{Effect, WritePlan};

/// The description of a tool that replays: every part.
pub fn describe_replay<'a>(tool: &Tool, evidence_id: &str, recordings: impl Iterator<Item = &'a Recording>) -> String {
    let mut parts = vec![describe_line(tool)];
    parts.extend(describe_returns(recordings));
    parts.push(describe_statuses(tool));
    parts.push(describe_records(tool, evidence_id));
    parts.join("; ")
}

/// How a tool of an environment with a state answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateBacking {
    /// One entity.
    Item,
    /// A list of entities.
    List,
    /// A document.
    Document,
    /// Recordings only.
    Recorded,
}

impl StateBacking {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Item, Self::List, Self::Document, Self::Recorded];

    /// What a description says of it, before the records.
    fn words(self) -> Option<&'static str> {
        match self {
            Self::Item => {
                Some("answers from the live state: any item that it holds, or its absence where that is known")
            }
            Self::List => {
                Some("answers from the live state: the items that it holds, as far as the recordings prove the query")
            }
            Self::Document => Some("answers from the live state: the document as it is now"),
            Self::Recorded => None,
        }
    }
}

/// The description of a read tool where a state is served: a tool that the state backs says so, and that other calls
/// replay; one that it does not back is described as replaying.
pub fn describe_read<'a>(
    tool: &Tool,
    evidence_id: &str,
    recordings: impl Iterator<Item = &'a Recording>,
    backing: StateBacking,
) -> String {
    let mut parts = vec![describe_line(tool)];
    parts.extend(describe_returns(recordings));
    parts.push(describe_statuses(tool));
    parts.extend(backing.words().map(str::to_owned));
    let records = describe_records(tool, evidence_id);
    parts.push(if backing == StateBacking::Recorded { records } else { format!("otherwise {records}") });
    parts.join("; ")
}

/// The description of a served write tool: what it changes and which body members it accepts, each part as far as the
/// recordings confirmed it.
pub fn describe_write<'a>(
    tool: &Tool,
    evidence_id: &str,
    recordings: impl Iterator<Item = &'a Recording>,
    plan: &WritePlan,
) -> String {
    let mut parts = vec![describe_line(tool)];
    for part in &plan.parts {
        let effect = match part.effect {
            Effect::Create => "creates one item in the live state",
            Effect::Update => "updates one item of the live state",
            Effect::Delete => "deletes one item from the live state",
            Effect::DocumentWrite => "changes a document of the live state",
        };
        parts.push(effect.to_owned());
        let members = part.accepted.iter().map(|member| {
            let required = if member.required { ", required" } else { "" };
            format!("{} ({}{required})", quoted(&member.name), member.types.join(" or "))
        });
        if !part.accepted.is_empty() {
            let inside = plan.envelope.member.as_deref().map(|name| format!(" inside {}", quoted(name)));
            parts.push(format!("accepts body members{} {}", inside.unwrap_or_default(), sample(members)));
        }
    }
    parts.extend(describe_returns(recordings));
    parts.push(describe_statuses(tool));
    parts.push(format!(
        "rests on records [{}]; evidence {evidence_id}",
        sample(tool.records.iter().map(usize::to_string))
    ));
    parts.join("; ")
}

/// `GET /api/users/{numeric}`
pub fn describe_line(tool: &Tool) -> String {
    format!("{} {}", marked(&tool.method), marked(&tool.template.spelling()))
}

/// What the tool returns, one level deep: from the first 2xx recording that replay answers as JSON, else from the first
/// JSON recording, with its status. `None` when there is no JSON recording.
pub fn describe_returns<'a>(recordings: impl Iterator<Item = &'a Recording>) -> Option<String> {
    let mut other = None;
    for recording in recordings {
        let (Some(status), Some(value)) = (recording.status, recording.json()) else { continue };
        if is_success(status) {
            return Some(format!("returns {}", describe_value(value)));
        }
        other = other.or(Some((status, value)));
    }
    other.map(|(status, value)| format!("status {status} returns {}", describe_value(value)))
}

/// `recorded statuses 200, 404`
pub fn describe_statuses(tool: &Tool) -> String {
    if tool.statuses.is_empty() {
        return "no recorded status".to_owned();
    }
    format!("recorded statuses {}", sample(tool.statuses.iter().map(u16::to_string)))
}

/// `replays retained records [5, 6]; evidence ev_…`
pub fn describe_records(tool: &Tool, evidence_id: &str) -> String {
    format!("replays retained records [{}]; evidence {evidence_id}", sample(tool.records.iter().map(usize::to_string)))
}

fn describe_value(value: &Value) -> String {
    match value.plain() {
        Value::Array(items) => match object_items(items) {
            Some(objects) => format!("a JSON array of objects with {}", describe_fields(objects)),
            None if items.is_empty() => "an empty JSON array".to_owned(),
            None => "a JSON array".to_owned(),
        },
        Value::Object(object) => match carried_list(object) {
            Some((member, objects)) => {
                format!("a JSON object whose {} lists objects with {}", quoted(member), describe_fields(objects))
            }
            None if object.is_empty() => "an empty JSON object".to_owned(),
            None => format!("a JSON object with {}", describe_fields(vec![object])),
        },
        Value::Null => "JSON null".to_owned(),
        scalar => format!("a JSON {}", scalar.type_name()),
    }
}

/// `fields "id", "login"`: the names of all objects, in order of first appearance.
fn describe_fields(objects: Vec<&Object>) -> String {
    let mut names = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (name, _) in objects.into_iter().flatten() {
        if seen.insert(name) {
            names.push(name.to_display());
        }
    }
    if names.is_empty() {
        return "no fields".to_owned();
    }
    // A name too long to show whole is shown cut and marked, so the first one is always shown.
    let first = quoted(&names[0]);
    let fits = first.len() <= super::MAX_DISPLAY_BYTES;
    if fits {
        return format!("fields {}", sample(names.iter().map(|name| quoted(name))));
    }
    match names.len() - 1 {
        0 => format!("fields {first}"),
        rest => format!("fields {first} and {rest} more"),
    }
}

/// The items, when the array is a list: not empty, objects only.
fn object_items(items: &[Value]) -> Option<Vec<&Object>> {
    let objects: Option<Vec<&Object>> = items.iter().map(Value::as_object).collect();
    objects.filter(|objects| !objects.is_empty())
}

/// The one list that an envelope carries, with the member that holds it.
fn carried_list(object: &Object) -> Option<(&str, Vec<&Object>)> {
    let mut lists = object.iter().filter_map(|(name, value)| Some((name.as_str()?, object_items(value.as_array()?)?)));
    let only = lists.next()?;
    lists.next().is_none().then_some(only)
}
