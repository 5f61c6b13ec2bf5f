//! `inspect-analysis-view`: the request document, its sources, and the Evidence of a view.
//!
//! A later stage that has a view of its own (`environment-state`, `environment-coverage`) reads its request with
//! [`read_view`] and seals its result with [`seal_view`]; which stage answers which [`ViewKind`] is decided by the
//! command, which may use them all.

use super::json_view::payload;
use super::limits::MAX_VIEW_REQUEST_BYTES;
use super::project::{Draft, draft};
use super::rules::parse_rules;
use super::{ManifestError, TemplateRule};
use crate::capture::{Capture, capture_from_evidence};
use crate::evidence::{
    Confidence, Evidence, IssueReason, Location, MAX_EVIDENCE_BYTES, Provider, authenticate, authenticate_value,
    read_stable,
};
use crate::json::{Number, Object, Value, canonical_sha256, push_token};
use std::path::{Path, PathBuf};

/// The view kind of a manifest.
pub const MANIFEST_KIND: &str = "environment-manifest";

/// How many times its size reading and sealing a JSON file may take in memory, at most.
const MEMORY_FACTOR: u64 = 6;

/// The kinds of view that a request may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    /// The tool surface of a capture.
    Manifest,
    /// The state that its reads observed.
    State,
    /// What of it is served, and what to record next.
    Coverage,
}

impl ViewKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Manifest, Self::State, Self::Coverage];

    /// The word of the kind in a request.
    pub fn word(self) -> &'static str {
        match self {
            Self::Manifest => MANIFEST_KIND,
            Self::State => "environment-state",
            Self::Coverage => "environment-coverage",
        }
    }
}

/// A view request with its parent.
#[derive(Clone, Debug)]
pub struct ViewRequest {
    /// What is asked for.
    pub kind: ViewKind,
    /// The opt-in rules, in fixed order.
    pub rules: Vec<TemplateRule>,
    /// The parent capture, authenticated.
    pub capture: Capture,
}

/// Answers a view request: inline JSON text, or the path of a file that holds it.
///
/// # Errors
/// As [`read_view`] and [`super::project_manifest`]; a request for a view of a later stage.
pub fn inspect_view(request: &str, base: &Path) -> Result<Evidence, ManifestError> {
    let request = read_view(request, base)?;
    match request.kind {
        ViewKind::Manifest => manifest_evidence(&request.capture, &request.rules),
        ViewKind::State | ViewKind::Coverage => Err(ManifestError::shape(
            "/view/kind",
            format!("view kind {:?} is not available here", request.kind.word()),
            IssueReason::InvalidValue,
        )),
    }
}

/// Reads a view request and its source. Text that is JSON is the request itself; any other text is the path of a file,
/// relative to `base`. A relative `evidence-file` path is relative to the folder of the request file, or to `base`.
///
/// # Errors
/// A request that is not JSON or not of its shape, a file that cannot be read, a source that is not authentic capture
/// Evidence.
pub fn read_view(request: &str, base: &Path) -> Result<ViewRequest, ManifestError> {
    let trimmed = request.trim_start();
    let (document, folder) = match crate::json::parse(request.as_bytes()) {
        Ok(document) => (document, base.to_path_buf()),
        Err(error) if trimmed.starts_with(['{', '[']) || trimmed.is_empty() => {
            return Err(ManifestError::RequestNotJson { reason: error.to_string(), path: None });
        }
        Err(_) => {
            let path = base.join(request);
            let file = read_stable(&path, MAX_VIEW_REQUEST_BYTES, MEMORY_FACTOR)?;
            let text = file.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&file.bytes);
            let document = crate::json::parse(text).map_err(|error| ManifestError::RequestNotJson {
                reason: error.to_string(),
                path: Some(path.display().to_string()),
            })?;
            let folder = path.parent().map_or_else(|| base.to_path_buf(), Path::to_path_buf);
            (document, folder)
        }
    };
    read_document(document, &folder)
}

fn read_document(mut document: Value, folder: &Path) -> Result<ViewRequest, ManifestError> {
    strict(&document, "", &["source", "view"], &["source", "view"])?;
    let view = document.get("view").cloned().unwrap_or_default();
    let (kind, rules) = read_view_member(&view)?;
    let source = document.as_object_mut().and_then(|members| members.remove("source")).unwrap_or_default();
    let capture = capture_from_evidence(read_source(source, folder)?.into())?;
    Ok(ViewRequest { kind, rules, capture })
}

fn read_view_member(view: &Value) -> Result<(ViewKind, Vec<TemplateRule>), ManifestError> {
    strict(view, "/view", &["kind", "template_rules"], &["kind"])?;
    let word = text(view, "/view", "kind")?;
    let kind = ViewKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
        let known: Vec<&str> = ViewKind::ALL.into_iter().map(ViewKind::word).collect();
        ManifestError::shape(
            "/view/kind",
            format!("unknown view kind {word:?} (known: {})", known.join(", ")),
            IssueReason::InvalidValue,
        )
    })?;
    let Some(list) = view.get("template_rules") else {
        return Ok((kind, Vec::new()));
    };
    let items = list.as_array().ok_or_else(|| wrong_type("/view/template_rules", "an array of texts", list))?;
    let mut words = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let pointer = format!("/view/template_rules/{index}");
        words.push(item.as_str().ok_or_else(|| wrong_type(&pointer, "a text", item))?);
    }
    Ok((kind, parse_rules(words)?))
}

fn read_source(mut source: Value, folder: &Path) -> Result<Evidence, ManifestError> {
    let kind = match source.as_object() {
        None => return Err(wrong_type("/source", "an object", &source)),
        Some(_) => text(&source, "/source", "kind")?.to_owned(),
    };
    match kind.as_str() {
        "inline" => {
            strict(&source, "/source", &["kind", "evidence"], &["kind", "evidence"])?;
            let evidence = source.as_object_mut().and_then(|members| members.remove("evidence")).unwrap_or_default();
            authenticate_value(evidence).map_err(|error| ManifestError::Source { error, path: None })
        }
        "evidence-file" => {
            strict(&source, "/source", &["kind", "path"], &["kind", "path"])?;
            let path: PathBuf = folder.join(text(&source, "/source", "path")?);
            let file = read_stable(&path, MAX_EVIDENCE_BYTES, MEMORY_FACTOR)?;
            authenticate(&file.bytes)
                .map_err(|error| ManifestError::Source { error, path: Some(path.display().to_string()) })
        }
        "retained-evidence" => Err(ManifestError::shape(
            "/source/kind",
            "retained evidence exists only within one MCP session; name the file with kind \"evidence-file\"",
            IssueReason::InvalidValue,
        )),
        other => Err(ManifestError::shape(
            "/source/kind",
            format!("unknown source kind {other:?} (known: inline, evidence-file)"),
            IssueReason::InvalidValue,
        )),
    }
}

fn wrong_type(pointer: &str, expected: &str, found: &Value) -> ManifestError {
    ManifestError::shape(pointer, format!("expected {expected}, found {}", found.type_name()), IssueReason::InvalidType)
}

fn text<'v>(value: &'v Value, pointer: &str, name: &str) -> Result<&'v str, ManifestError> {
    let pointer = format!("{pointer}/{name}");
    match value.get(name) {
        None => Err(ManifestError::shape(pointer, format!("member {name:?} is missing"), IssueReason::MissingArgument)),
        Some(member) => member.as_str().ok_or_else(|| wrong_type(&pointer, "a text", member)),
    }
}

/// Refuses anything but an object with the required members and no unknown one.
fn strict(value: &Value, pointer: &str, known: &[&str], required: &[&str]) -> Result<(), ManifestError> {
    let Some(object) = value.as_object() else {
        return Err(wrong_type(pointer, "an object", value));
    };
    for (name, _) in object {
        let name = name.to_display();
        if !known.contains(&name.as_ref()) {
            let mut pointer = pointer.to_owned();
            push_token(&mut pointer, &name);
            let reason = format!("unknown member {name:?} (known: {})", known.join(", "));
            return Err(ManifestError::shape(pointer, reason, IssueReason::UnknownArgument));
        }
    }
    match required.iter().find(|name| !object.contains(name)) {
        Some(name) => {
            Err(ManifestError::shape(pointer, format!("member {name:?} is missing"), IssueReason::MissingArgument))
        }
        None => Ok(()),
    }
}

/// The manifest Evidence of a capture.
///
/// # Errors
/// As [`super::project_manifest`].
pub fn manifest_evidence(capture: &Capture, rules: &[TemplateRule]) -> Result<Evidence, ManifestError> {
    let draft = draft(capture, rules)?;
    manifest_evidence_of(capture, &draft).map(|(evidence, _, _)| evidence)
}

/// Seals a manifest: its Evidence, view digest and unknowns.
pub(super) fn manifest_evidence_of(
    capture: &Capture,
    draft: &Draft,
) -> Result<(Evidence, String, Vec<String>), ManifestError> {
    let mut limitations = vec![
        "Tools are made of observed request lines only; a path, method or parameter that was not recorded is not known."
            .to_owned(),
        "Which path segments are parameters is concluded from their text and from recorded answers.".to_owned(),
    ];
    if draft.without_line > 0 {
        limitations.push(format!("{} records without a usable request line are not represented.", draft.without_line));
    }
    let unknowns: Vec<String> = [
        "The application's authorization model.",
        "What a response means to the application.",
        "State transitions: what a write changes, and what a later read shows of it.",
        "Parameters and body members that no recorded request used.",
    ]
    .map(str::to_owned)
    .into();
    let view = ViewSeal {
        kind: ViewKind::Manifest,
        rules: &draft.template_rules,
        payload: payload(draft),
        limitations,
        unknowns: unknowns.clone(),
    };
    let evidence = seal_view(capture, view)?;
    let digest = evidence.normalized_result.get("view_digest").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok((evidence, digest, unknowns))
}

/// The parts of a view result that its stage makes.
#[derive(Clone, Debug)]
pub struct ViewSeal<'a> {
    /// The kind.
    pub kind: ViewKind,
    /// The opt-in rules, in fixed order.
    pub rules: &'a [TemplateRule],
    /// The view's own members, in printed order.
    pub payload: Object,
    /// What the view does not establish because of how it is made.
    pub limitations: Vec<String>,
    /// What nobody can know from the capture.
    pub unknowns: Vec<String>,
}

/// Seals the Evidence of an environment view over a capture: request, payload, parent, digest, coverage
/// (`evidence.md` 4.3 and 4.4).
///
/// # Errors
/// A parent whose artifact digest is not its subject's.
pub fn seal_view(capture: &Capture, view: ViewSeal<'_>) -> Result<Evidence, ManifestError> {
    let parent = &capture.evidence;
    let artifact = parent.normalized_result.get("artifact");
    let member = |name: &str| artifact.and_then(|artifact| artifact.get(name)).cloned().unwrap_or_default();
    let (path, sha256) = (member("path"), member("sha256"));
    if let (Some(subject), Some(sha256)) = (&parent.subject, sha256.as_str())
        && subject.sha256 != sha256
    {
        return Err(ManifestError::ArtifactMismatch { subject: subject.sha256.clone(), artifact: sha256.to_owned() });
    }
    let examined = capture.records.len();
    let total = parent.normalized_result.get("total_records").and_then(Value::as_number).and_then(Number::as_i64);
    let texts = |items: &[String]| items.iter().map(Value::from).collect::<Value>();
    let request = Object::new()
        .with("kind", view.kind.word())
        .with("template_rules", view.rules.iter().map(|rule| Value::from(rule.word())).collect::<Value>());
    let mut result = Object::new().with("kind", view.kind.word()).with("view", request.clone());
    for (name, value) in view.payload {
        result.push(name, value);
    }
    result.push("parent_evidence_id", parent.evidence_id.as_str());
    result.push("parent_operation", parent.operation.as_str());
    result.push("parent_digest", parent.evidence_id.strip_prefix("ev_").unwrap_or(&parent.evidence_id));
    let tail = Object::new()
        .with("artifact", Object::new().with("path", path.clone()).with("sha256", sha256))
        .with(
            "coverage",
            Object::new()
                .with("status", if examined == 0 { "empty" } else { "complete-within-view" })
                .with("examined", examined)
                .with("total", total.unwrap_or(examined as i64))
                .with("next_offset", Value::Null)
                .with("exhausted", true),
        )
        .with("limitations", texts(&view.limitations))
        .with("unknowns", texts(&view.unknowns));
    // The digest is over the result without itself; its place in print is between parent and artifact.
    let mut undigested = result.clone();
    for (name, value) in tail.iter() {
        undigested.push(name.clone(), value.clone());
    }
    result.push("view_digest", canonical_sha256(&undigested.into()));
    for (name, value) in tail {
        result.push(name, value);
    }
    let mut limitations = view.limitations;
    if parent.subject.is_none() {
        limitations.insert(0, "The identity of the recorded artifact is not available.".to_owned());
    }
    let locations = match path.as_str() {
        Some(path) if !path.is_empty() => vec![Location::ArtifactPath { path: path.to_owned() }],
        _ => Vec::new(),
    };
    Ok(Evidence {
        evidence_id: String::new(),
        subject: parent.subject.clone(),
        provider: Provider {
            id: "rea-analysis-view".to_owned(),
            name: "REA analysis view".to_owned(),
            version: Some("1".to_owned()),
        },
        analysis_profile: None,
        predicate_type: "rea.analysis-view".to_owned(),
        operation: super::error::OPERATION.to_owned(),
        parameters: Object::new().with("parent_evidence_id", parent.evidence_id.as_str()).with("view", request),
        raw_result: Value::Null,
        normalized_result: Value::from(result),
        confidence: Confidence::Derived,
        authority: parent.authority,
        environment: None,
        limitations,
        locations,
        evidence_links: vec![parent.evidence_id.clone()],
    }
    .seal())
}
