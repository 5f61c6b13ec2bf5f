//! Input schemas as they are emitted: an object closed with `additionalProperties: false`, one described property for each
//! argument. What they accept is decided in [`super::arguments`]; a test holds the two together.

use super::display::{quoted, sample, word};
use crate::json::{Object, Value};
use crate::manifest::{BodyShape, PathParameter, QueryParameter, Template, Tool};

/// The kinds of JSON that a body argument may be, in printed order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyKind {
    Object,
    Array,
    Text,
}

impl BodyKind {
    /// The JSON type word.
    pub(super) fn type_name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::Text => "string",
        }
    }
}

/// What a body argument may be: what was recorded, or an object when nothing was.
pub(super) fn body_kinds(shape: &BodyShape) -> Vec<BodyKind> {
    let mut kinds = Vec::new();
    if !shape.members.is_empty() || shape.forms || !(shape.arrays || shape.texts) {
        kinds.push(BodyKind::Object);
    }
    if shape.arrays {
        kinds.push(BodyKind::Array);
    }
    if shape.texts || shape.forms {
        kinds.push(BodyKind::Text);
    }
    kinds
}

/// The closed input schema of a tool.
pub fn input_schema(tool: &Tool) -> Value {
    let mut properties = Object::new();
    for parameter in &tool.parameters {
        properties.push(parameter.argument.as_str(), path_schema(parameter, &tool.template));
    }
    for parameter in &tool.query {
        properties.push(parameter.argument.as_str(), query_schema(parameter));
    }
    if let Some(shape) = &tool.body {
        properties.push(tool.body_argument.as_str(), body_schema(shape));
    }
    let mut schema = Object::new().with("type", "object").with("properties", properties);
    if !tool.parameters.is_empty() {
        let required = tool.parameters.iter().map(|parameter| Value::from(&parameter.argument));
        schema.push("required", required.collect::<Value>());
    }
    schema.push("additionalProperties", false);
    Value::Object(schema)
}

fn path_schema(parameter: &PathParameter, template: &Template) -> Object {
    let rule = match template.segments.get(parameter.segment) {
        Some(segment) => segment.word().unwrap_or("literal"),
        None => "literal",
    };
    let mut description = format!("Path segment {} ({rule})", parameter.segment);
    if parameter.argument != parameter.name {
        description.push_str(&format!(", captured as {}", quoted(&parameter.name)));
    }
    push_observed(&mut description, &parameter.observed);
    Object::new().with("type", "string").with("description", description)
}

fn query_schema(parameter: &QueryParameter) -> Object {
    let mut description = format!("Query parameter {}", quoted(&parameter.name));
    push_observed(&mut description, &parameter.observed);
    if parameter.repeated {
        description.push_str("; an array gives repeated values in order");
    }
    let text = Object::new().with("type", "string");
    let texts = Object::new().with("type", "array").with("items", text.clone());
    Object::new().with("anyOf", Value::Array(vec![text.into(), texts.into()])).with("description", description)
}

fn push_observed(description: &mut String, observed: &[String]) {
    if !observed.is_empty() {
        description.push_str("; observed: ");
        description.push_str(&sample(observed.iter().map(|value| word(value))));
    }
}

fn body_schema(shape: &BodyShape) -> Object {
    let variants = body_kinds(shape).into_iter().map(|kind| match kind {
        BodyKind::Object => {
            let members = shape.members.iter().map(|(name, types)| {
                // Described, not constrained: replay takes any value, and a write plan says itself what it accepts.
                let described = Object::new().with("description", format!("recorded as {}", types.join(" or ")));
                (name.as_str().into(), Value::Object(described))
            });
            Object::new().with("type", "object").with("properties", members.collect::<Object>())
        }
        BodyKind::Array => Object::new().with("type", "array").with("items", Object::new()),
        BodyKind::Text => Object::new().with("type", "string"),
    });
    let mut variants: Vec<Object> = variants.collect();
    let schema = match (variants.pop(), variants.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            variants.extend(last);
            Object::new().with("anyOf", variants.into_iter().map(Value::Object).collect::<Value>())
        }
    };
    schema.with("description", body_description(shape))
}

fn body_description(shape: &BodyShape) -> String {
    let mut description = "Request body".to_owned();
    if shape.forms {
        description.push_str(", recorded as a form");
    }
    if !shape.members.is_empty() {
        description.push_str("; recorded members: ");
        let members = shape.members.iter();
        description.push_str(&sample(members.map(|(name, types)| format!("{} ({})", quoted(name), types.join(", ")))));
    }
    description
}
