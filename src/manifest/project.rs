//! The projection: a capture's request lines into tools.

use super::body::BodyCollector;
use super::facts::Members;
use super::names::{Named, application_name, argument_names, parameter_names, tool_names};
use super::observed::observe;
use super::origin::{Exclusions, OTHER_ORIGIN, exclusion, primary_origin};
use super::split::{Templated, template_paths};
use super::template::Template;
use super::types::{ExcludedGroup, PathParameter, QueryParameter, Tool};
use super::view::manifest_evidence_of;
use super::{Manifest, ManifestError, TemplateRule};
use crate::capture::{Answer, Capture, Record, Request};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A manifest before it is sealed.
#[derive(Debug)]
pub(super) struct Draft {
    pub name: String,
    pub origin: String,
    pub template_rules: Vec<TemplateRule>,
    pub tools: Vec<Tool>,
    pub excluded_groups: Vec<ExcludedGroup>,
    /// Records without a usable request line.
    pub without_line: usize,
}

/// Projects the manifest of a capture: scope, templates, names, shapes, seals its Evidence.
///
/// # Errors
/// A capture with sensitive values, without a JSON-like answer on any origin, or of a browser scenario without media
/// types.
pub fn project_manifest(capture: &Capture, rules: &[TemplateRule]) -> Result<Manifest, ManifestError> {
    let draft = draft(capture, rules)?;
    let (evidence, view_digest, unknowns) = manifest_evidence_of(capture, &draft)?;
    Ok(Manifest {
        evidence: evidence.into(),
        name: draft.name,
        origin: draft.origin,
        template_rules: draft.template_rules,
        tools: draft.tools,
        excluded_groups: draft.excluded_groups,
        unknowns,
        view_digest,
    })
}

/// Everything of a manifest but its Evidence.
pub(super) fn draft(capture: &Capture, rules: &[TemplateRule]) -> Result<Draft, ManifestError> {
    check_capture(capture)?;
    let records = &capture.records;
    let origin = primary_origin(records).ok_or_else(|| ManifestError::UnsupportedCapture {
        pointer: "/normalized_result/records".into(),
        reason: "no record on any origin has a JSON-like answer, so there is nothing to make tools of".into(),
    })?;
    let mut template_rules = rules.to_vec();
    template_rules.sort();
    template_rules.dedup();

    let mut exclusions = Exclusions::default();
    let mut lines: Vec<(&Record, &Request)> = Vec::new();
    let mut without_line = 0;
    for record in records.iter() {
        match &record.request {
            None => without_line += 1,
            Some(request) if request.origin != origin => exclusions.add(OTHER_ORIGIN, &request.origin, 1),
            Some(request) => lines.push((record, request)),
        }
    }

    let mut members = Members::default();
    let (paths, index) = observe(lines.iter().copied(), &mut members);
    let templated = template_paths(&paths, &members, &template_rules);
    drop(paths);

    let groups = group(&lines, &index, &templated);
    let mut has_tool: HashSet<&Template> = HashSet::new();
    for group in &groups {
        if exclusion(group.method, &group.answers(), false).is_none() {
            has_tool.insert(group.template);
        }
    }
    let mut kept: Vec<Group<'_>> = Vec::new();
    for group in groups {
        match exclusion(group.method, &group.answers(), has_tool.contains(group.template)) {
            None => kept.push(group),
            Some(reason) => exclusions.add(reason, origin, group.lines.len()),
        }
    }

    let mut tools: Vec<Tool> = kept.iter().map(tool).collect();
    let natural: Vec<Vec<String>> =
        tools.iter().map(|tool| tool.parameters.iter().map(|parameter| parameter.name.clone()).collect()).collect();
    let named: Vec<Named<'_>> = tools
        .iter()
        .zip(&natural)
        .map(|(tool, parameters)| Named { method: &tool.method, template: &tool.template, parameters })
        .collect();
    let names = tool_names(&named);
    for (tool, name) in tools.iter_mut().zip(names) {
        tool.name = name;
    }
    Ok(Draft {
        name: application_name(origin),
        origin: origin.to_owned(),
        template_rules,
        tools,
        excluded_groups: exclusions.finish(),
        without_line,
    })
}

fn check_capture(capture: &Capture) -> Result<(), ManifestError> {
    let removed = capture.evidence.parameters.get("sensitive_value_count").and_then(|value| value.as_number());
    if removed.is_some_and(|count| count.as_i64() != Some(0)) {
        return Err(ManifestError::UnsupportedCapture {
            pointer: "/parameters/sensitive_value_count".into(),
            reason:
                "the capture was inspected with sensitive values removed, so its request lines and answers are not \
                     whole; scrub the recording before it is inspected instead"
                    .into(),
        });
    }
    let answers = || capture.records.iter().filter_map(|record| record.answer.as_ref());
    if capture.evidence.operation == "capture_browser_scenario"
        && answers().next().is_some()
        && answers().all(|answer| answer.content_type.is_none() && !answer.body.is_recorded())
    {
        return Err(ManifestError::UnsupportedCapture {
            pointer: "/parameters".into(),
            reason:
                "the browser scenario selected neither response bodies nor header values, so no answer has a media \
                     type"
                    .into(),
        });
    }
    Ok(())
}

/// The records of one method and template.
struct Group<'a> {
    method: &'a str,
    template: &'a Template,
    found: &'a [Option<String>],
    lines: Vec<(&'a Record, &'a Request)>,
}

impl<'a> Group<'a> {
    fn answers(&self) -> Vec<&'a Answer> {
        self.lines.iter().filter_map(|(record, _)| record.answer.as_ref()).collect()
    }
}

fn group<'a>(
    lines: &[(&'a Record, &'a Request)],
    index: &HashMap<&str, usize>,
    templated: &'a [Templated],
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut numbers: HashMap<(&str, &Template), usize> = HashMap::new();
    for (record, request) in lines {
        let Some(path) = index.get(request.path.as_str()).and_then(|number| templated.get(*number)) else {
            continue;
        };
        let number = *numbers.entry((&request.method, &path.template)).or_insert_with(|| {
            groups.push(Group {
                method: &request.method,
                template: &path.template,
                found: &path.names,
                lines: Vec::new(),
            });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(number) {
            group.lines.push((record, request));
        }
    }
    groups
}

fn tool(group: &Group<'_>) -> Tool {
    let mut body = BodyCollector::default();
    let mut statuses = BTreeSet::new();
    let mut query = QueryCollector::default();
    let mut paths: Vec<&str> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for (record, request) in &group.lines {
        body.take(request);
        statuses.extend(record.answer.as_ref().map(|answer| answer.status));
        if let Some(text) = &request.query {
            query.take(text);
        }
        if seen.insert(&request.path) {
            paths.push(&request.path);
        }
    }
    let names = parameter_names(group.template, group.found);
    let segments =
        group.template.segments.iter().enumerate().filter(|(_, s)| s.word().is_some()).map(|(index, _)| index);
    let placed: Vec<(usize, String)> = segments.zip(names).collect();
    let query = query.parameters;
    let query_names: Vec<String> = query.iter().map(|parameter| parameter.name.clone()).collect();
    let (path_arguments, query_arguments, body_argument) = argument_names(&placed, &query_names);
    let parameters = placed
        .into_iter()
        .zip(path_arguments)
        .map(|((segment, name), argument)| PathParameter {
            segment,
            argument,
            name,
            observed: observed(&paths, segment),
        })
        .collect();
    let query = query
        .into_iter()
        .zip(query_arguments)
        .map(|(parameter, argument)| QueryParameter { argument, ..parameter })
        .collect();
    Tool {
        name: String::new(),
        method: group.method.to_owned(),
        template: group.template.clone(),
        parameters,
        query,
        body: body.finish(group.method),
        body_argument,
        statuses: statuses.into_iter().collect(),
        records: group.lines.iter().map(|(record, _)| record.ordinal).collect(),
    }
}

fn observed(paths: &[&str], segment: usize) -> Vec<String> {
    let mut seen = HashSet::new();
    paths
        .iter()
        .filter_map(|path| super::segment::split_path(path).get(segment).copied())
        .filter(|raw| seen.insert(*raw))
        .map(str::to_owned)
        .collect()
}

#[derive(Default)]
struct QueryCollector {
    parameters: Vec<QueryParameter>,
    index: HashMap<String, (usize, HashSet<String>)>,
}

impl QueryCollector {
    fn take(&mut self, query: &str) {
        let mut here: HashSet<usize> = HashSet::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let (index, seen) = self.index.entry(name.clone().into_owned()).or_insert_with(|| {
                self.parameters.push(QueryParameter {
                    name: name.into_owned(),
                    argument: String::new(),
                    observed: Vec::new(),
                    repeated: false,
                });
                (self.parameters.len() - 1, HashSet::new())
            });
            if let Some(parameter) = self.parameters.get_mut(*index) {
                parameter.repeated |= !here.insert(*index);
                if seen.insert(value.clone().into_owned()) {
                    parameter.observed.push(value.into_owned());
                }
            }
        }
    }
}
