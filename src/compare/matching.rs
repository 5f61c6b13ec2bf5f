//! Which tool a live request is a call of, and the arguments of that call.

use std::collections::HashMap;

use super::ids::Translated;
use crate::json::{Object, Value};
use crate::manifest::{Manifest, Segment, Tool, split_path};

/// The tools of a manifest by method and number of segments, those with the most literal segments first.
#[derive(Debug)]
pub(crate) struct ToolIndex<'a> {
    manifest: &'a Manifest,
    by_shape: HashMap<(&'a str, usize), Vec<usize>>,
    /// Templates, without a trailing slash, that some tool continues by one parameter: places where things are created.
    parents: Vec<&'a [Segment]>,
}

impl<'a> ToolIndex<'a> {
    pub(crate) fn new(manifest: &'a Manifest) -> Self {
        let mut by_shape: HashMap<(&str, usize), Vec<usize>> = HashMap::new();
        let mut parents = Vec::new();
        for (index, tool) in manifest.tools.iter().enumerate() {
            by_shape.entry((&tool.method, tool.template.segments.len())).or_default().push(index);
            if let Some((Segment::Format(_) | Segment::Rule(_) | Segment::Keyed(_), before)) =
                untrailed(&tool.template.segments).split_last()
            {
                parents.push(before);
            }
        }
        for tools in by_shape.values_mut() {
            tools.sort_by_key(|index| std::cmp::Reverse(manifest.tools[*index].template.literal_count()));
        }
        Self { manifest, by_shape, parents }
    }

    /// The tool of the same method whose template fits with the most literal segments (the first in the manifest among
    /// equals), and the raw segments of its parameters.
    pub(crate) fn find<'p>(&self, method: &str, path: &'p str) -> Option<(usize, Vec<&'p str>)> {
        let segments = split_path(path).len();
        self.by_shape
            .get(&(method, segments))?
            .iter()
            .find_map(|index| Some((*index, self.manifest.tools[*index].template.matches(path)?)))
    }

    /// Whether the manifest has an item route right under the tool's path.
    pub(crate) fn has_items_under(&self, tool: &Tool) -> bool {
        let own = untrailed(&tool.template.segments);
        self.parents.iter().any(|parent| {
            parent.len() == own.len()
                && parent.iter().zip(own).all(|(a, b)| match (a, b) {
                    (Segment::Literal(a), Segment::Literal(b)) => a == b,
                    (Segment::Literal(_), _) | (_, Segment::Literal(_)) => false,
                    _ => true,
                })
        })
    }
}

fn untrailed(segments: &[Segment]) -> &[Segment] {
    match segments.split_last() {
        Some((Segment::Literal(last), before)) if last.is_empty() => before,
        _ => segments,
    }
}

/// The arguments of a request, as an MCP client would name them: raw path segments, decoded query values (an array where a
/// name repeats), the body.
///
/// # Errors
/// A query parameter that the tool does not have, in words.
pub(crate) fn arguments(tool: &Tool, request: &Translated) -> Result<Value, String> {
    let mut arguments = Object::new();
    for (parameter, segment) in tool.parameters.iter().zip(&request.path) {
        arguments.set(parameter.argument.as_str(), segment.as_str());
    }
    for (name, value) in &request.query {
        let Some(parameter) = tool.query.iter().find(|parameter| parameter.name == *name) else {
            return Err(format!("the capture never sent the query parameter {name:?} to this path"));
        };
        match arguments.get_mut(&parameter.argument) {
            None => {
                arguments.set(parameter.argument.as_str(), value.as_str());
            }
            Some(Value::Array(values)) => values.push(Value::from(value.as_str())),
            Some(held) => {
                let first = std::mem::take(held);
                *held = Value::Array(vec![first, Value::from(value.as_str())]);
            }
        }
    }
    if let Some(body) = &request.body {
        arguments.set(tool.body_argument.as_str(), body.clone());
    }
    Ok(Value::Object(arguments))
}
