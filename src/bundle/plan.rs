//! The plan of a bundle: every file with its bytes, before any is written. The same plan is what a dry run prints.

use super::name::EnvProvider;
use super::package_source::{Package, PackageSource};
use super::smoke::smoke_call;
use super::{BundleError, dockerfile, env_toml, readme, state_task, tasks, verify_py};
use crate::answer::{Engine, StateStatus};
use crate::evidence::Evidence;
use crate::json::{Sink, parse};
use std::sync::Arc;

/// The bytes of a planned file.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Held as they are.
    Bytes(Arc<[u8]>),
    /// Evidence as `--format json` writes it; never held as text.
    Evidence(Arc<Evidence>),
}

impl Content {
    /// How many bytes.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Evidence(_) => {
                let mut counter = Counter(0);
                self.put(&mut counter);
                counter.0
            }
        }
    }

    /// Writes the bytes.
    pub(super) fn put(&self, sink: &mut impl Sink) {
        match self {
            Self::Bytes(bytes) => sink.put(bytes),
            Self::Evidence(evidence) => {
                evidence.write_compact(sink);
                sink.put(b"\n");
            }
        }
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

/// Counts bytes.
struct Counter(u64);

impl Sink for Counter {
    fn put(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }
}

/// One file of a bundle.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// Its path in the bundle, parts joined by `/`; every part is a plain name.
    pub path: String,
    /// Whether it is a program: mode 0700 instead of 0600.
    pub is_program: bool,
    pub(super) content: Content,
}

impl PlannedFile {
    /// The file's bytes, as they are written.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.content.put(&mut bytes);
        bytes
    }
}

/// A bundle before it is written.
#[derive(Debug)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Its files, by path.
    pub files: Vec<PlannedFile>,
    /// How many tools it serves.
    pub tool_count: usize,
    /// Whether it serves from a state.
    pub state: StateStatus,
    /// Where its program comes from.
    pub package_source: PackageSource,
}

/// What a plan is made from besides the environment.
pub(super) struct PlanInput {
    pub(super) package: Package,
    pub(super) provider: EnvProvider,
    pub(super) with_state: bool,
    /// The capture Evidence as it is shipped.
    pub(super) evidence: Content,
    /// The manifest Evidence as it is shipped.
    pub(super) manifest: Content,
}

/// Plans the bundle of an environment that was prepared under the bundle's name.
///
/// # Errors
/// A state that is asked for and not there.
pub(super) fn plan(engine: &Engine, input: PlanInput) -> Result<Plan, BundleError> {
    let name = engine.name.as_str();
    let source = input.package.source;
    let mut plan = Files::default();
    let call = smoke_call(engine);
    let tool_count = engine.catalog.tools.len();
    let environment = format!("envs/{name}");
    plan.add(format!("{environment}/Dockerfile"), dockerfile::dockerfile(name, &source));
    plan.add(format!("{environment}/env.toml"), env_toml::env_toml(name, input.provider));
    plan.add(format!("{environment}/manifest.json"), input.manifest);
    plan.add(format!("{environment}/evidence.json"), input.evidence);
    if let Some((file, bytes, is_program)) = input.package.file {
        plan.0.push(PlannedFile { path: format!("{environment}/{file}"), is_program, content: bytes.into() });
    }
    let verifier = tasks::verifier_name(name);
    plan.add(format!("artifacts/{verifier}/verify.py"), verify_py::verify_py(tool_count, call.as_ref()));
    plan.add("tasks/smoke.json".to_owned(), tasks::smoke(name));
    if input.with_state {
        plan.add_state(engine)?;
    }
    let facts = readme::Facts {
        engine,
        source: &source,
        provider: input.provider,
        call: call.as_ref(),
        with_state: input.with_state,
    };
    plan.add("README.md".to_owned(), readme::readme(&facts));
    let mut files = plan.0;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Plan { name: name.to_owned(), files, tool_count, state: engine.state.clone(), package_source: source })
}

/// Files as they are planned.
#[derive(Default)]
struct Files(Vec<PlannedFile>);

impl Files {
    fn add(&mut self, path: String, content: impl Into<Content>) {
        self.0.push(PlannedFile { path, is_program: false, content: content.into() });
    }

    /// The derived state, a verifier that reads it back, and the task that uses both.
    fn add_state(&mut self, engine: &Engine) -> Result<(), BundleError> {
        let name = engine.name.as_str();
        if !engine.has_state() {
            return Err(BundleError::NoState { state: engine.state.clone() });
        }
        let mut bytes = Vec::new();
        engine.write_state(&engine.initial_world(), &mut bytes);
        let document = parse(&bytes).unwrap_or_default();
        bytes.push(b'\n');
        let (artifact, verifier) = (tasks::state_name(name), tasks::state_verifier_name(name));
        self.add(format!("artifacts/{artifact}/state.json"), bytes);
        self.add(format!("artifacts/{artifact}/artifact.toml"), state_task::artifact_toml(name));
        self.add(format!("artifacts/{verifier}/verify.py"), state_task::verify_py(name, &document));
        self.add("tasks/state.json".to_owned(), tasks::state(name));
        Ok(())
    }
}
