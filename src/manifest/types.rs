//! The manifest's data: tools and what they cite.

use super::rules::TemplateRule;
use super::template::Template;
use crate::evidence::Evidence;
use std::sync::Arc;

/// A manifest, projected or read back from its Evidence.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The manifest Evidence (an `inspect_analysis_view` record).
    pub evidence: Arc<Evidence>,
    /// Kebab-case name of the application, from the primary origin's host.
    pub name: String,
    /// The primary origin: the one with the most JSON-like answers.
    pub origin: String,
    /// The rules that were applied, in fixed order.
    pub template_rules: Vec<TemplateRule>,
    /// Tools in order of their first cited record.
    pub tools: Vec<Tool>,
    /// Record groups that became no tool, counted with the reason.
    pub excluded_groups: Vec<ExcludedGroup>,
    /// What the manifest does not establish.
    pub unknowns: Vec<String>,
    /// Digest of the view result.
    pub view_digest: String,
}

/// One tool: a method and a path template on the primary origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Snake-case name, unique, at most 64 characters.
    pub name: String,
    /// The HTTP method.
    pub method: String,
    /// The path template.
    pub template: Template,
    /// One for each parameter segment, in path order.
    pub parameters: Vec<PathParameter>,
    /// Observed query parameter names, in order of first observation.
    pub query: Vec<QueryParameter>,
    /// The body argument, where the method or a recording has a body.
    pub body: Option<BodyShape>,
    /// Argument name of the body: `body`, or `request_body` when a parameter is called `body`.
    pub body_argument: String,
    /// Recorded statuses, ascending, without repeats.
    pub statuses: Vec<u16>,
    /// Ordinals of the cited records, in record order.
    pub records: Vec<usize>,
}

/// A path parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathParameter {
    /// Index of the segment in the template (and in every cited record's path).
    pub segment: usize,
    /// The argument's name; an alias `path_<n>` where the natural one cannot be used.
    pub argument: String,
    /// The natural name (member of the answer that equals the segment, `id`, `<singular>_id`).
    pub name: String,
    /// Distinct raw segments observed, in order of first observation.
    pub observed: Vec<String>,
}

/// A query parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryParameter {
    /// The captured name, decoded once (`+` as space).
    pub name: String,
    /// The argument's name: the captured one, or an alias `query_<n>`, `query_<name>`.
    pub argument: String,
    /// Distinct decoded values observed, in order of first observation.
    pub observed: Vec<String>,
    /// Whether one recorded line repeats it.
    pub repeated: bool,
}

/// The value-free shape of recorded request bodies: top-level keys and JSON types only.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BodyShape {
    /// Top-level members of recorded objects, in order of first observation, with the JSON type words seen.
    pub members: Vec<(String, Vec<&'static str>)>,
    /// Whether an array, a text (or other scalar), a form was recorded.
    pub arrays: bool,
    /// Whether a text or other scalar was recorded.
    pub texts: bool,
    /// Whether form bodies were recorded (their fields are in `members`).
    pub forms: bool,
}

/// Records that became no tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedGroup {
    /// `other-origin`, `static-asset`, `no-json-answer`, …
    pub reason: &'static str,
    /// The origin.
    pub origin: String,
    /// How many records.
    pub records: usize,
}
