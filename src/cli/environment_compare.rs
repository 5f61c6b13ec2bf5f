//! `rea environment-compare`: an environment against recordings of its application.

use super::arguments::{CaptureArguments, EnvironmentArguments};
use super::ending::{Document, Ending};
use super::output::Output;
use super::running::one_shot;
use crate::answer::{Engine, EngineOptions, load_pair};
use crate::compare::{CompareError, Comparison, Probe, Progress, compare};
use crate::evidence::ErrorDocument;
use crate::report::{to_html, to_json, to_text};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The operation that errors and progress name.
const OPERATION: &str = "environment-compare";
/// How long a comparison may take before its progress is shown.
const QUIET: Duration = Duration::from_secs(1);

/// Measure how an environment answers recorded calls of the live application
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    environment: EnvironmentArguments,
    /// A recording of one call sequence against the application (.har or capture Evidence; repeatable)
    #[arg(long = "probe", value_name = "CAPTURE", required = true)]
    probes: Vec<PathBuf>,
    /// Compare the recordings alone, without a state
    #[arg(long)]
    replay_only: bool,
    /// Also answer every step by pure replay, and report both agreements
    #[arg(long)]
    baseline: bool,
    /// Also write the report as one self-contained page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Exit 1 when the agreement is below this (0 to 1)
    #[arg(long, value_name = "AGREEMENT", value_parser = share)]
    fail_under: Option<f64>,
    #[command(flatten)]
    reading: CaptureArguments,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("an agreement is a number from 0 to 1, such as 0.9".to_owned()),
    }
}

impl Arguments {
    /// Compares, and writes the page where one is asked for.
    pub fn run(self, output: &Output) -> Ending {
        let (html, fail_under) = (self.html.clone(), self.fail_under);
        let people = output.for_people();
        let shows_progress = output.stderr_is_terminal;
        one_shot(
            OPERATION,
            // The work shows its own progress.
            &output.without_progress(),
            move || self.compare(shows_progress).map_err(|error| ErrorDocument::from(&error)),
            move |comparison| {
                let mut ending =
                    Ending::done(Document::Value(to_json(&comparison)), people.then(|| to_text(&comparison)));
                // The report is printed whatever becomes of the page.
                if let Some(problem) = html.and_then(|path| write_page(&path, &comparison).err()) {
                    ending.status = 1;
                    ending.paragraph = Some(problem.clone());
                    tracing::error!(operation = OPERATION, "{problem}");
                }
                if let Some(problem) = fail_under.and_then(|least| below(least, &comparison)) {
                    ending.status = 1;
                    ending.paragraph = Some(match ending.paragraph.take() {
                        Some(other) => format!("{other} {problem}"),
                        None => problem,
                    });
                }
                ending
            },
        )
    }

    fn compare(&self, shows_progress: bool) -> Result<Comparison, CompareError> {
        let options = self.reading.options();
        let (capture, manifest) = load_pair(&self.environment.capture, self.environment.evidence.as_deref(), &options)
            .map_err(CompareError::Environment)?;
        let baseline = match self.baseline {
            true => {
                let options = EngineOptions { replay_only: true, name: None };
                Some(Engine::new(capture.clone(), manifest.clone(), &options)?)
            }
            false => None,
        };
        let engine = Engine::new(capture, manifest, &EngineOptions { replay_only: self.replay_only, name: None })?;
        let probes =
            self.probes.iter().map(|path| Probe::load(path, &options)).collect::<Result<Vec<Probe>, CompareError>>()?;
        let started = Instant::now();
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let progress = |progress: Progress| {
            if !shows_progress || started.elapsed() < QUIET {
                return;
            }
            if bar.is_hidden() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.set_length(progress.of as u64);
            bar.set_position(progress.made as u64);
        };
        let comparison = compare(&engine, baseline.as_ref(), &probes, &progress);
        bar.finish_and_clear();
        comparison
    }
}

/// Writes the page.
fn write_page(path: &Path, comparison: &Comparison) -> Result<(), String> {
    std::fs::write(path, to_html(comparison)).map_err(|error| {
        format!(
            "the page {} could not be written ({error}); the report was printed. Give --html a path in a writable folder.",
            path.display()
        )
    })
}

/// What to say when the agreement is below `least`; nothing compared is below everything.
fn below(least: f64, comparison: &Comparison) -> Option<String> {
    match comparison.summary.agreement.ratio() {
        Some(share) if share >= least => None,
        Some(share) => Some(format!("The agreement {share:.4} is below {least}.")),
        None => Some(format!("Nothing was compared, so the agreement is below {least}.")),
    }
}
