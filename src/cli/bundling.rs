//! What `environment-build` and `environment-export` share: their options, how a signal ends them, and their reports for
//! people.

use super::ending::{Document, Ending};
use super::output::Output;
use super::running::{broke, in_runtime, progress_line};
use super::shown::{FAINT, HEADING, bytes, counted, printable, table};
use crate::answer::StateStatus;
use crate::bundle::{BundleError, Control, EnvProvider, ExportReport, PackageChoice};
use crate::evidence::ErrorDocument;
use crate::serve::Signal;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;

/// The options of a bundle.
#[derive(Args, Clone, Debug)]
pub struct BundleArguments {
    /// Name of the env folder and the env id: kebab-case, at most 64 characters
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Ship this packed release (rea-<version>-<target>.tar.gz) instead of the running program
    #[arg(long, value_name = "PATH", conflicts_with = "package_registry")]
    pub package_tarball: Option<PathBuf>,
    /// Install this version from the registry while the image is built, instead of shipping the running program
    #[arg(long)]
    pub package_registry: bool,
    /// How the framework runs the environment
    #[arg(long, value_enum, value_name = "PROVIDER", default_value = "gateway")]
    pub env_provider: ProviderWord,
    /// Also ship the derived state and a task that loads it, verifies, exports and compares
    #[arg(long)]
    pub with_state: bool,
}

/// How the framework runs an environment.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ProviderWord {
    /// Behind its gateway, with its service database
    Gateway,
    /// Alone, as one container
    Server,
}

impl BundleArguments {
    /// Where the program comes from.
    pub fn package(&self) -> PackageChoice {
        match (&self.package_tarball, self.package_registry) {
            (Some(path), _) => PackageChoice::Tarball(path.clone()),
            (None, true) => PackageChoice::Registry,
            (None, false) => PackageChoice::Running,
        }
    }

    /// How the framework runs the environment.
    pub fn provider(&self) -> EnvProvider {
        match self.env_provider {
            ProviderWord::Gateway => EnvProvider::Gateway,
            ProviderWord::Server => EnvProvider::Server,
        }
    }
}

/// Does the work of a bundle command. A signal ends it at once as long as nothing is written, and at the next look
/// afterwards.
pub fn bundling<T: Send + 'static>(
    operation: &'static str,
    output: &Output,
    work: impl FnOnce(&Control) -> Result<T, BundleError> + Send + 'static,
    done: impl FnOnce(T) -> Ending,
) -> Ending {
    let control = Arc::new(Control::default());
    in_runtime(operation, async |stop| {
        tracing::debug!(operation, "operation started");
        let shared = Arc::clone(&control);
        let mut work = tokio::task::spawn_blocking(move || work(&shared));
        let progress = progress_line(operation, output);
        tokio::pin!(progress);
        let mut stopped_by = None;
        loop {
            tokio::select! {
                biased;
                signal = stop.wait(), if stopped_by.is_none() => {
                    if control.stop() {
                        let error = BundleError::Cancelled { stage: control.stage(), left: None };
                        return Err(ended(&error, Some(signal)));
                    }
                    stopped_by = Some(signal);
                }
                finished = &mut work => return match finished {
                    Ok(Ok(result)) => Ok(done(result)),
                    Ok(Err(error)) => Err(ended(&error, stopped_by)),
                    Err(_) => Err(Ending::refused(&broke(operation))),
                },
                () = &mut progress => {}
            }
        }
    })
}

fn ended(error: &BundleError, signal: Option<Signal>) -> Ending {
    let ending = Ending::refused(&ErrorDocument::from(error));
    match (error, signal) {
        (BundleError::Cancelled { .. }, Some(signal)) => Ending { status: signal.exit_status(), ..ending },
        _ => ending,
    }
}

/// A report, as the document and for people.
pub fn reported(document: crate::json::Value, people: Option<String>) -> Ending {
    Ending::done(Document::Value(document), people)
}

/// The report of a bundle for people.
pub fn described(report: &ExportReport) -> String {
    let place = report.directory.as_deref().map_or(String::new(), |directory| format!(" in {}", printable(directory)));
    let what = match report.status {
        "planned" => "would be a bundle",
        _ => "is a bundle",
    };
    let serves = match &report.state {
        StateStatus::Served { .. } => "from the derived state".to_owned(),
        StateStatus::ReplayOnly => "by replay".to_owned(),
        StateStatus::Unavailable { message, .. } => format!("by replay, because no state can be served ({message})"),
    };
    let files = report.files.iter().map(|(path, size)| vec![path.clone(), bytes(*size)]);
    let mut text = format!(
        "{HEADING}{}{HEADING:#}  {what}{place}: {}, served {}\n\n{}",
        printable(&report.name),
        counted(report.tool_count, "tool"),
        printable(&serves),
        table(&["File", "Size"], files, &[1])
    );
    for warning in &report.warnings {
        text.push_str(&format!("\n{FAINT}·{FAINT:#} {}", printable(&warning.message)));
    }
    let next = report.next();
    if !report.warnings.is_empty() {
        text.push('\n');
    }
    if !next.is_empty() {
        text.push_str(&format!("\n{FAINT}Next:{FAINT:#}\n"));
    }
    for line in next {
        text.push_str(&format!("  {}\n", printable(&line)));
    }
    text
}
