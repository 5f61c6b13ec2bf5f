//! What a build and an export report.

use super::package_source::PackageSource;
use super::plan::PlannedFile;
use crate::answer::StateStatus;
use crate::json::{Object, Value};
use crate::manifest::TemplateRule;

/// Something true of a bundle that is easily overlooked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// `name-from-file`, `credential-named-members`, `credential-scan-incomplete`, `har-tolerances`.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// A bundle that was written, or would be.
#[derive(Clone, Debug)]
pub struct ExportReport {
    /// `exported`, `built`, `planned`.
    pub status: &'static str,
    /// The absolute path of the folder; `None` when a dry run names none.
    pub directory: Option<String>,
    /// The bundle's name.
    pub name: String,
    /// Whether the bundle serves from a state.
    pub state: StateStatus,
    /// How many tools it serves.
    pub tool_count: usize,
    /// Where its program comes from.
    pub package_source: PackageSource,
    /// Paths and sizes in bytes of its files, by path.
    pub files: Vec<(String, u64)>,
    /// What to know about it.
    pub warnings: Vec<Warning>,
}

/// A bundle that was built from one capture.
#[derive(Clone, Debug)]
pub struct BuildReport {
    /// The bundle.
    pub bundle: ExportReport,
    /// Evidence id of the capture.
    pub capture_evidence_id: String,
    /// The operation that made it.
    pub capture_operation: String,
    /// How many records it has.
    pub capture_records: usize,
    /// `har` or `evidence`.
    pub capture_input: &'static str,
    /// Evidence id of the manifest.
    pub manifest_evidence_id: String,
    /// How many tools it has.
    pub manifest_tools: usize,
    /// How many groups of records became no tool.
    pub excluded_groups: usize,
    /// The rules that were applied, in their order.
    pub template_rules: Vec<TemplateRule>,
    /// The state's read views and write plans, summarised; `None` when the bundle serves replay.
    pub coverage: Option<Object>,
}

impl ExportReport {
    pub(super) fn files_of(files: &[PlannedFile]) -> Vec<(String, u64)> {
        files.iter().map(|file| (file.path.clone(), file.content.bytes())).collect()
    }

    fn head(&self) -> Object {
        let directory = self.directory.as_ref().map_or(Value::Null, Value::from);
        Object::new().with("status", self.status).with("directory", directory).with("name", &self.name)
    }

    fn tail(&self, report: Object) -> Object {
        let files =
            self.files.iter().map(|(path, bytes)| Value::from(Object::new().with("path", path).with("bytes", *bytes)));
        let warnings = self
            .warnings
            .iter()
            .map(|warning| Value::from(Object::new().with("code", warning.code).with("message", &warning.message)));
        report
            .with("tool_count", self.tool_count)
            .with("package_source", self.package_source.to_object())
            .with("files", files.collect::<Value>())
            .with("warnings", warnings.collect::<Value>())
            .with("next", self.next().iter().map(Value::from).collect::<Value>())
    }

    /// What to do next, as lines to type or to heed. Nothing when nothing was written.
    pub fn next(&self) -> Vec<String> {
        let Some(directory) = self.directory.as_ref().filter(|_| self.status != "planned") else { return Vec::new() };
        let mut next = vec![format!("agent-env run {}", quoted(directory))];
        if !directory.chars().all(framework_takes) {
            next.insert(
                0,
                "Move the folder first: the framework takes only letters, digits, spaces and . _ - ~ / @ ( ) + , & in its path."
                    .to_owned(),
            );
        }
        next
    }

    /// The printed document.
    pub fn to_value(&self) -> Value {
        self.tail(self.head().with("state", self.state.to_object())).into()
    }
}

impl BuildReport {
    /// The printed document.
    pub fn to_value(&self) -> Value {
        let capture = Object::new()
            .with("evidence_id", &self.capture_evidence_id)
            .with("operation", &self.capture_operation)
            .with("records", self.capture_records)
            .with("input", self.capture_input);
        let rules: Value = self.template_rules.iter().map(|rule| Value::from(rule.word())).collect();
        let manifest = Object::new()
            .with("evidence_id", &self.manifest_evidence_id)
            .with("tools", self.manifest_tools)
            .with("excluded_groups", self.excluded_groups)
            .with("template_rules", rules);
        let report = self
            .bundle
            .head()
            .with("capture", capture)
            .with("manifest", manifest)
            .with("state", self.bundle.state.to_object())
            .with("coverage", self.coverage.clone().map_or(Value::Null, Value::from));
        self.bundle.tail(report).into()
    }
}

/// The characters that the framework takes in the path of a bundle (`agentenv.md` 4.1).
fn framework_takes(character: char) -> bool {
    character.is_alphanumeric() || " ._-~/@()+,&".contains(character)
}

/// The text as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,@".contains(&byte);
    if text.bytes().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
