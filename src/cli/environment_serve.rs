//! `rea environment-serve <capture>`: an environment as an MCP server, until a signal stops it.

use super::arguments::{CaptureArguments, EnvironmentArguments};
use super::ending::Ending;
use super::output::Output;
use super::running::{cancellable, in_runtime};
use super::settings::{unusable, variable};
use super::shown::{FAINT, HEADING, counted, printable};
use super::trial;
use crate::answer::{Engine, EngineOptions, bundled_name, load_pair};
use crate::evidence::ErrorDocument;
use crate::serve::{ServeOptions, SessionOptions, SessionState, Stop, Stopped, serve};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The operation's name in documents.
const OPERATION: &str = "environment-serve";
/// Where the server listens when nothing says otherwise.
const DEFAULT_HOST: &str = "127.0.0.1";

/// Serve a capture as an agent environment: an MCP server with a discovery card
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    environment: EnvironmentArguments,
    /// Replay the capture's records and derive no state
    #[arg(long)]
    replay_only: bool,
    /// Address to listen on; MCP_HOST, then 127.0.0.1
    #[arg(long)]
    host: Option<String>,
    /// Port to listen on, 0 for a free one; MCP_PORT, then a free one
    #[arg(long)]
    port: Option<u16>,
    /// Whether all MCP sessions share one state or each has its own
    #[arg(long, value_enum, default_value = "shared")]
    session_state: SessionStateWord,
    /// Seconds after which an idle session ends, 0 for never; 3600 for isolated sessions, else 0
    ///
    /// A session with an open event stream is never idle. An isolated session's state is freed when the session ends;
    /// until then the data plane reaches it by its Mcp-Session-Id, as `metadata.session` of a call's parameters.
    #[arg(long, value_name = "SECONDS")]
    session_ttl: Option<u64>,
    // Last, because its heading would stand over what follows.
    #[command(flatten)]
    reading: CaptureArguments,
}

/// Whose state a session calls.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SessionStateWord {
    /// One live state for all sessions
    Shared,
    /// A fork of the environment's state for each session, gone when the session ends
    Isolated,
}

/// The settings from flags and the process environment.
struct Settings {
    host: String,
    port: u16,
    name: Option<String>,
}

impl Arguments {
    /// Loads, binds and serves.
    pub fn run(self, output: &Output) -> Ending {
        let settings = match self.settings() {
            Ok(settings) => settings,
            Err(error) => return Ending::refused(&error),
        };
        in_runtime(OPERATION, async |stop| self.served(settings, output, stop).await)
    }

    fn settings(&self) -> Result<Settings, ErrorDocument> {
        let name = match variable("ENVIRONMENT_NAME")? {
            Some(name) if name.trim().is_empty() => {
                return Err(unusable("ENVIRONMENT_NAME", "must not be blank"));
            }
            name => name,
        };
        let host = match (&self.host, variable("MCP_HOST")?) {
            (Some(host), _) if host.trim().is_empty() => return Err(unusable("--host", "must not be blank")),
            (Some(host), _) => host.clone(),
            (None, Some(host)) if host.trim().is_empty() => return Err(unusable("MCP_HOST", "must not be blank")),
            (None, host) => host.unwrap_or_else(|| DEFAULT_HOST.to_owned()),
        };
        let port = match (self.port, variable("MCP_PORT")?) {
            (Some(port), _) => port,
            (None, None) => 0,
            (None, Some(port)) => {
                port.parse().map_err(|_| unusable("MCP_PORT", "must be a whole number from 0 to 65535"))?
            }
        };
        Ok(Settings { host, port, name })
    }

    async fn served(self, settings: Settings, output: &Output, stop: Stop) -> Result<Ending, Ending> {
        let mut sessions = SessionOptions::new(match self.session_state {
            SessionStateWord::Shared => SessionState::Shared,
            SessionStateWord::Isolated => SessionState::Isolated,
        });
        if let Some(seconds) = self.session_ttl {
            sessions.ttl = (seconds > 0).then_some(Duration::from_secs(seconds));
        }
        let name = settings.name.or_else(|| bundled_name(&self.environment.capture));
        let engine_options = EngineOptions { replay_only: self.replay_only, name };
        let load = move || {
            let environment = &self.environment;
            let evidence = environment.evidence.as_deref();
            let (capture, manifest) = load_pair(&environment.capture, evidence, &self.reading.options())?;
            Engine::new(capture, manifest, &engine_options)
        };
        let load = move || load().map(Arc::new).map_err(|error| ErrorDocument::from(&error));
        let engine = cancellable(OPERATION, output, &stop, load).await?;
        let (bound, listening) = watch::channel(None);
        let options = ServeOptions { host: settings.host, port: settings.port, sessions, stop, bound };
        let announced = announce(listening, Arc::clone(&engine), *output);
        let serving = serve(engine, &options);
        tokio::pin!(serving, announced);
        let ended = loop {
            tokio::select! {
                ended = &mut serving => break ended,
                () = &mut announced => {}
            }
        };
        match ended {
            Ok(stopped) => Ok(Ending::stopped(stopped.to_value(), Some(farewell(&stopped)), stopped.signal)),
            Err(error) => Err(Ending { status: error.exit_status(), ..Ending::refused(&ErrorDocument::from(&error)) }),
        }
    }
}

/// Once the server listens: its URL and a call to try, for people on a terminal and as a log line otherwise. Never ends.
async fn announce(mut listening: watch::Receiver<Option<String>>, engine: Arc<Engine>, output: Output) {
    let url = listening.wait_for(Option::is_some).await.ok().and_then(|url| url.clone());
    if let Some((url, call)) = url.and_then(|url| trial::call(&engine, &url).map(|call| (url, call))) {
        if output.stderr_is_terminal {
            let tools = counted(engine.catalog.tools.len(), "tool");
            // A terminal that is gone has nobody to greet.
            let _ = writeln!(
                anstream::stderr(),
                "\n{HEADING}{}{HEADING:#} serves {tools} at {HEADING}{url}{HEADING:#}\n\n  {FAINT}Try:{FAINT:#} {call}\n\n\
                 {FAINT}Stop with Ctrl-C.{FAINT:#}",
                printable(&engine.name)
            );
        } else {
            tracing::info!(call, "a call to try");
        }
    }
    std::future::pending::<()>().await;
}

fn farewell(stopped: &Stopped) -> String {
    format!("Stopped serving {}.\n", printable(&stopped.name))
}
