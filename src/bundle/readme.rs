//! The bundle's README: where it comes from, what it serves and what it does not. Every sentence holds for this bundle.

use super::limits::{BASE_IMAGE, CONTAINER_PORT};
use super::name::EnvProvider;
use super::package_source::PackageSource;
use super::shown::shown;
use super::smoke::SmokeCall;
use crate::answer::{Engine, StateStatus};
use crate::state::coverage_of;
use std::fmt::Write;

/// What the README is about.
pub(super) struct Facts<'a> {
    pub(super) engine: &'a Engine,
    pub(super) source: &'a PackageSource,
    pub(super) provider: EnvProvider,
    pub(super) call: Option<&'a SmokeCall>,
    pub(super) with_state: bool,
}

/// The file.
pub(super) fn readme(facts: &Facts<'_>) -> String {
    let engine = facts.engine;
    let name = engine.name.as_str();
    let mut out = format!(
        "# {name}\n\nAn agent environment made from one recording of the application at `{}`. Its answers are recorded \
         observations, not an emulation of the application, and everything in them is untrusted content.\n\n\
         ```console\nagent-env run .\n```\n\n",
        shown(&engine.manifest.origin)
    );
    provenance(facts, &mut out);
    serves(facts, &mut out);
    holds(facts, &mut out);
    out.push_str(
        "## Rights\n\nThe recorded content belongs to the application it was recorded from and to whoever wrote it there. \
         Do not publish this bundle without the rights to that content. `evidence.json` is the whole capture, bodies and \
         the path of the captured file included.\n",
    );
    out
}

fn provenance(facts: &Facts<'_>, out: &mut String) {
    let engine = facts.engine;
    let capture = &engine.capture.evidence;
    let artifact = capture.subject.as_ref().map_or("not recorded", |subject| subject.sha256.as_str());
    let state = match &engine.state {
        StateStatus::Served { evidence_id } => format!("`{evidence_id}`"),
        StateStatus::ReplayOnly | StateStatus::Unavailable { .. } => "no state is served".to_owned(),
    };
    let package = match facts.source {
        PackageSource::Executable { version, sha256 } => format!("the program `rea` {version}, SHA-256 `{sha256}`"),
        PackageSource::Tarball { file, sha256, .. } => format!("the archive `{file}`, SHA-256 `{sha256}`"),
        PackageSource::Registry { specifier } => format!("`{specifier}` from the registry"),
    };
    let rows = [
        ("capture artifact SHA-256", format!("`{artifact}`")),
        ("capture Evidence", format!("`{}`", capture.evidence_id)),
        ("manifest Evidence", format!("`{}`", engine.manifest.evidence.evidence_id)),
        ("manifest view digest", format!("`{}`", engine.manifest.view_digest)),
        ("state Evidence", state),
        ("served tools", engine.catalog.tools.len().to_string()),
        ("package", package),
    ];
    out.push_str("## Where it comes from\n\n| | |\n|---|---|\n");
    for (what, value) in rows {
        // Writing into a `String` does not fail.
        let _ = writeln!(out, "| {what} | {value} |");
    }
    out.push('\n');
}

fn serves(facts: &Facts<'_>, out: &mut String) {
    let engine = facts.engine;
    out.push_str("## What it serves\n\n");
    match (&engine.derived, &engine.state) {
        (Some(derived), StateStatus::Served { .. }) => {
            let coverage = coverage_of(derived, &engine.capture, &engine.manifest);
            let _ = write!(
                out,
                "It answers from the state that the capture's reads showed. {} {} rendered from that state where the capture \
                 proves how{}, and every answer says which it is. {}{} The data plane at `/agentenv` resets, loads and exports \
                 the state.\n\n\
                 Start the server with `--replay-only` (the last line of the Dockerfile) to have pure replay: every tool of \
                 the manifest answers with its best recording and nothing changes.\n\n",
                counted(coverage.state, "read tool"),
                if coverage.state == 1 { "is" } else { "are" },
                match coverage.recorded {
                    0 => String::new(),
                    1 => ", 1 answers with recordings only".to_owned(),
                    count => format!(", {count} answer with recordings only"),
                },
                match coverage.served.len() {
                    0 => "No write tool is served, because no later read of the capture confirmed what one does."
                        .to_owned(),
                    count => format!(
                        "{} {} served, whose effect later reads of the capture confirmed; reads show what they changed.",
                        counted(count, "write tool"),
                        if count == 1 { "is" } else { "are" },
                    ),
                },
                match (coverage.served.len(), coverage.withheld.len()) {
                    (0, _) | (_, 0) => String::new(),
                    (_, 1) => " 1 is withheld.".to_owned(),
                    (_, count) => format!(" {count} are withheld."),
                },
            );
        }
        (_, state) => {
            let why = match state {
                StateStatus::Unavailable { code, message } => {
                    format!(" because no state can be served (`{code}`: {})", shown(message))
                }
                _ => String::new(),
            };
            let _ = write!(
                out,
                "It replays{why}: every tool of the manifest answers with its best recording and says how well that matches. \
                 Nothing changes, and the data plane at `/agentenv` offers no operation. An environment with a state would \
                 render reads from it and serve the writes that the capture confirmed.\n\n"
            );
        }
    }
    out.push_str(
        "It does not contact the application, and it is not an emulation of one: what the recording did not show \
         (permissions, validation, ranking, side effects) is not there.\n\n",
    );
}

fn holds(facts: &Facts<'_>, out: &mut String) {
    let name = facts.engine.name.as_str();
    let check = match facts.call {
        Some(call) => format!("counts the tools and calls `{}`", call.tool),
        None => "counts the tools; none answers without arguments, so none is called".to_owned(),
    };
    let provider = match facts.provider {
        EnvProvider::Gateway => "The framework runs it behind its gateway (`env_provider_type` in `env.toml`).",
        EnvProvider::Server => "The framework runs it alone, as one container (`env_provider_type` in `env.toml`).",
    };
    let network = match facts.source {
        PackageSource::Registry { .. } => "its first stage installs the package with cargo, which needs the network",
        _ => "its steps need no network",
    };
    let _ = write!(
        out,
        "## What is in it\n\n\
         * `envs/{name}/`: the image. It is built on `{BASE_IMAGE}` or another image with a shell and python3 \
         (`--build-arg BASE_IMAGE=…`); {network}. The server runs as a user that is not root and listens on port \
         {CONTAINER_PORT}.\n\
         * `artifacts/check_{name}/verify.py`: {check}.\n\
         * `tasks/smoke.json`: deploys the environment and runs that check.\n"
    );
    if facts.with_state {
        let _ = writeln!(
            out,
            "* `artifacts/state_{name}/`: the derived state. `tasks/state.json` deploys the environment, loads that state, runs \
             the check, exports the state and compares it."
        );
    }
    let _ = write!(out, "\n{provider}\n\n");
}

/// A count and its noun: `1 read tool`, `2 read tools`.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
