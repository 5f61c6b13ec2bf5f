//! Running a command's work so that a signal cancels it, and so that a person who waits sees why.

use super::ending::Ending;
use super::output::Output;
use crate::evidence::{Code, ErrorDocument};
use crate::serve::Stop;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io;
use std::time::Duration;

/// How long work may take before a progress line appears.
const QUIET: Duration = Duration::from_secs(1);
/// How often the progress line moves.
const TICK: Duration = Duration::from_millis(120);

/// Runs a command that serves or waits in a runtime whose signals ask it to stop.
pub fn in_runtime(operation: &'static str, command: impl AsyncFnOnce(Stop) -> Result<Ending, Ending>) -> Ending {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Ending::refused(&not_started(operation, &error)),
    };
    let ended = runtime.block_on(async {
        let stop = Stop::on_signals().map_err(|error| Ending::refused(&not_started(operation, &error)))?;
        command(stop).await
    });
    // The thread of cancelled work is not waited for.
    runtime.shutdown_background();
    ended.unwrap_or_else(|ending| ending)
}

/// Does blocking work for a command that prints one result. A signal ends the wait with the cancelled document; the work
/// holds nothing that needs cleaning up.
pub fn one_shot<T: Send + 'static>(
    operation: &'static str,
    output: &Output,
    work: impl FnOnce() -> Result<T, ErrorDocument> + Send + 'static,
    done: impl FnOnce(T) -> Ending,
) -> Ending {
    in_runtime(operation, async |stop| cancellable(operation, output, &stop, work).await.map(done))
}

/// Does blocking work on a thread of its own; a signal ends the wait.
///
/// # Errors
/// The ending, when the work was refused or a signal came first.
pub async fn cancellable<T: Send + 'static>(
    operation: &'static str,
    output: &Output,
    stop: &Stop,
    work: impl FnOnce() -> Result<T, ErrorDocument> + Send + 'static,
) -> Result<T, Ending> {
    tracing::debug!(operation, "operation started");
    let mut work = tokio::task::spawn_blocking(work);
    let progress = progress_line(operation, output);
    tokio::pin!(progress);
    loop {
        tokio::select! {
            biased;
            signal = stop.wait() => return Err(Ending::cancelled(operation, signal)),
            finished = &mut work => return match finished {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(error)) => Err(Ending::refused(&error)),
                Err(_) => Err(Ending::refused(&broke(operation))),
            },
            () = &mut progress => {}
        }
    }
}

/// Shows on a terminal, after a second, that the work goes on. Never ends by itself; dropping it removes the line.
pub async fn progress_line(operation: &'static str, output: &Output) {
    tokio::time::sleep(QUIET).await;
    let _shown = output.stderr_is_terminal.then(|| {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.set_message(operation);
        bar.enable_steady_tick(TICK);
        Line(bar)
    });
    std::future::pending::<()>().await;
}

/// A progress line that is removed when it is dropped.
struct Line(ProgressBar);

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn not_started(operation: &str, error: &io::Error) -> ErrorDocument {
    ErrorDocument::new(
        Code::ResourceConstraint,
        format!("{operation} could not start: {error}"),
        "Free threads and file descriptors, or raise their limits, and run the command again.",
    )
    .detail("operation", operation)
}

/// The document of a fault in this program.
pub fn broke(operation: &str) -> ErrorDocument {
    ErrorDocument::new(
        Code::ExecutionFailure,
        format!("{operation} broke off because of a fault in this program"),
        "Report it with the input that shows it.",
    )
    .detail("operation", operation)
}
