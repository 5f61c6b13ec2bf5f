//! The manifest as a view result and back: the one place that knows the member names of a manifest.

use super::origin::REASONS;
use super::project::Draft;
use super::rules::parse_rules;
use super::template::{Segment, Template};
use super::types::{BodyShape, ExcludedGroup, PathParameter, QueryParameter, Tool};
use super::{Manifest, ManifestError};
use crate::evidence::Evidence;
use crate::json::{Object, Value};
use std::sync::Arc;

/// The JSON type words of body members.
const TYPES: [&str; 6] = ["string", "number", "boolean", "object", "array", "null"];

fn texts<'a>(items: impl IntoIterator<Item = &'a str>) -> Value {
    items.into_iter().map(Value::from).collect()
}

/// The payload of a manifest view, in printed order.
pub(super) fn payload(draft: &Draft) -> Object {
    Object::new()
        .with("name", draft.name.as_str())
        .with("origin", draft.origin.as_str())
        .with("template_rules", texts(draft.template_rules.iter().map(|rule| rule.word())))
        .with("tools", draft.tools.iter().map(tool_value).collect::<Value>())
        .with("excluded_groups", draft.excluded_groups.iter().map(excluded_value).collect::<Value>())
}

fn tool_value(tool: &Tool) -> Value {
    Object::new()
        .with("name", tool.name.as_str())
        .with("method", tool.method.as_str())
        .with("template", tool.template.spelling())
        .with(
            "parameters",
            tool.parameters.iter().map(|parameter| parameter_value(parameter, &tool.template)).collect::<Value>(),
        )
        .with("query", tool.query.iter().map(query_value).collect::<Value>())
        .with("body", tool.body.as_ref().map(body_value))
        .with("body_argument", tool.body_argument.as_str())
        .with("statuses", tool.statuses.iter().map(|status| Value::from(*status)).collect::<Value>())
        .with("record_ordinals", tool.records.iter().map(|ordinal| Value::from(*ordinal)).collect::<Value>())
        .into()
}

fn parameter_value(parameter: &PathParameter, template: &Template) -> Value {
    let segment = template.segments.get(parameter.segment);
    let mut value = Object::new().with("segment", parameter.segment).with("rule", segment.and_then(Segment::word));
    if let Some(Segment::Keyed(prefix)) = segment {
        value.push("prefix", prefix.as_str());
    }
    value
        .with("name", parameter.name.as_str())
        .with("argument", parameter.argument.as_str())
        .with("observed", texts(parameter.observed.iter().map(String::as_str)))
        .into()
}

fn query_value(parameter: &QueryParameter) -> Value {
    Object::new()
        .with("name", parameter.name.as_str())
        .with("argument", parameter.argument.as_str())
        .with("observed", texts(parameter.observed.iter().map(String::as_str)))
        .with("repeated", parameter.repeated)
        .into()
}

fn body_value(body: &BodyShape) -> Value {
    let members = body.members.iter().map(|(name, types)| -> Value {
        Object::new().with("name", name.as_str()).with("types", texts(types.iter().copied())).into()
    });
    Object::new()
        .with("members", members.collect::<Value>())
        .with("arrays", body.arrays)
        .with("texts", body.texts)
        .with("forms", body.forms)
        .into()
}

fn excluded_value(group: &ExcludedGroup) -> Value {
    Object::new()
        .with("reason", group.reason)
        .with("origin", group.origin.as_str())
        .with("records", group.records)
        .into()
}

/// Reads a manifest back from authenticated Evidence.
///
/// # Errors
/// Evidence of another operation or view kind, or a result that is not of its shape (with the pointer).
pub fn manifest_from_evidence(evidence: Arc<Evidence>) -> Result<Manifest, ManifestError> {
    if evidence.operation != super::error::OPERATION {
        return Err(refused(
            "/operation",
            format!("the operation is {:?}, not {:?}", evidence.operation, super::error::OPERATION),
        ));
    }
    let result = At { value: &evidence.normalized_result, pointer: "/normalized_result".into() };
    let kind = result.member("kind")?.text()?;
    if kind != super::view::MANIFEST_KIND {
        return Err(refused("/normalized_result/kind", format!("the view is of kind {kind:?}")));
    }
    result.member("parent_evidence_id")?.text()?;
    let rules = result.member("template_rules")?;
    let words = rules.texts()?;
    let template_rules = parse_rules(words.iter().map(String::as_str))
        .map_err(|error| refused("/normalized_result/template_rules", error.to_string()))?;
    let manifest = Manifest {
        name: result.member("name")?.text()?.to_owned(),
        origin: result.member("origin")?.text()?.to_owned(),
        template_rules,
        tools: result.member("tools")?.each(read_tool)?,
        excluded_groups: result.member("excluded_groups")?.each(read_excluded)?,
        unknowns: result.member("unknowns")?.texts()?,
        view_digest: result.member("view_digest")?.text()?.to_owned(),
        evidence: evidence.clone(),
    };
    let mut names: Vec<&str> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refused("/normalized_result/tools", format!("two tools are called {:?}", pair[0])));
    }
    Ok(manifest)
}

fn refused(pointer: impl Into<String>, reason: impl Into<String>) -> ManifestError {
    ManifestError::NotAManifest { pointer: pointer.into(), reason: reason.into() }
}

/// A value and where it is.
struct At<'a> {
    value: &'a Value,
    pointer: String,
}

impl<'a> At<'a> {
    fn member(&self, name: &str) -> Result<At<'a>, ManifestError> {
        let value =
            self.value.get(name).ok_or_else(|| refused(&self.pointer, format!("member {name:?} is missing")))?;
        Ok(At { value, pointer: format!("{}/{name}", self.pointer) })
    }

    fn wrong(&self, expected: &str) -> ManifestError {
        refused(&self.pointer, format!("expected {expected}, found {}", self.value.type_name()))
    }

    fn text(&self) -> Result<&'a str, ManifestError> {
        self.value.as_str().ok_or_else(|| self.wrong("a text"))
    }

    fn flag(&self) -> Result<bool, ManifestError> {
        match self.value.plain() {
            Value::Bool(flag) => Ok(*flag),
            _ => Err(self.wrong("true or false")),
        }
    }

    fn count(&self) -> Result<usize, ManifestError> {
        let number =
            self.value.as_number().and_then(|number| number.as_i64()).ok_or_else(|| self.wrong("a whole number"))?;
        usize::try_from(number).map_err(|_| self.wrong("a whole number that is not negative"))
    }

    fn each<T>(&self, read: impl Fn(&At<'a>) -> Result<T, ManifestError>) -> Result<Vec<T>, ManifestError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("an array"))?;
        items
            .iter()
            .enumerate()
            .map(|(index, value)| read(&At { value, pointer: format!("{}/{index}", self.pointer) }))
            .collect()
    }

    fn texts(&self) -> Result<Vec<String>, ManifestError> {
        self.each(|item| item.text().map(str::to_owned))
    }
}

fn read_tool(at: &At<'_>) -> Result<Tool, ManifestError> {
    let template = at.member("template")?;
    let spelling = template.text()?;
    let mut segments: Vec<Segment> = match spelling.strip_prefix('/') {
        Some(rest) => rest.split('/').map(|text| Segment::Literal(text.to_owned())).collect(),
        None => return Err(template.wrong("a template that starts with a slash")),
    };
    let mut parameters = Vec::new();
    for (parameter, segment, place) in at.member("parameters")?.each(read_parameter)? {
        match segments.get_mut(parameter.segment) {
            Some(held) => *held = segment,
            None => return Err(refused(place, "the template has no such segment")),
        }
        parameters.push(parameter);
    }
    let template = Template { segments };
    if template.spelling() != spelling {
        return Err(refused(&at.pointer, "the template does not agree with the rules of its parameters"));
    }
    let body = at.member("body")?;
    Ok(Tool {
        name: at.member("name")?.text()?.to_owned(),
        method: at.member("method")?.text()?.to_owned(),
        template,
        parameters,
        query: at.member("query")?.each(read_query)?,
        body: if body.value.is_null() { None } else { Some(read_body(&body)?) },
        body_argument: at.member("body_argument")?.text()?.to_owned(),
        statuses: at
            .member("statuses")?
            .each(|status| u16::try_from(status.count()?).map_err(|_| status.wrong("an HTTP status")))?,
        records: at.member("record_ordinals")?.each(At::count)?,
    })
}

fn read_parameter(at: &At<'_>) -> Result<(PathParameter, Segment, String), ManifestError> {
    let rule = at.member("rule")?;
    let word = rule.text()?;
    let segment = match at.value.get("prefix") {
        Some(_) => Segment::Keyed(at.member("prefix")?.text()?.to_owned()),
        None => Segment::from_word(word).ok_or_else(|| refused(&rule.pointer, format!("unknown rule {word:?}")))?,
    };
    let parameter = PathParameter {
        segment: at.member("segment")?.count()?,
        name: at.member("name")?.text()?.to_owned(),
        argument: at.member("argument")?.text()?.to_owned(),
        observed: at.member("observed")?.texts()?,
    };
    Ok((parameter, segment, at.pointer.clone()))
}

fn read_query(at: &At<'_>) -> Result<QueryParameter, ManifestError> {
    Ok(QueryParameter {
        name: at.member("name")?.text()?.to_owned(),
        argument: at.member("argument")?.text()?.to_owned(),
        observed: at.member("observed")?.texts()?,
        repeated: at.member("repeated")?.flag()?,
    })
}

fn read_body(at: &At<'_>) -> Result<BodyShape, ManifestError> {
    let members = at.member("members")?.each(|member| {
        let types = member.member("types")?.each(|kind| {
            let word = kind.text()?;
            TYPES.into_iter().find(|known| *known == word).ok_or_else(|| kind.wrong("a JSON type word"))
        })?;
        Ok((member.member("name")?.text()?.to_owned(), types))
    })?;
    Ok(BodyShape {
        members,
        arrays: at.member("arrays")?.flag()?,
        texts: at.member("texts")?.flag()?,
        forms: at.member("forms")?.flag()?,
    })
}

fn read_excluded(at: &At<'_>) -> Result<ExcludedGroup, ManifestError> {
    let reason = at.member("reason")?;
    let word = reason.text()?;
    Ok(ExcludedGroup {
        reason: REASONS.into_iter().find(|known| *known == word).ok_or_else(|| reason.wrong("a known reason"))?,
        origin: at.member("origin")?.text()?.to_owned(),
        records: at.member("records")?.count()?,
    })
}
