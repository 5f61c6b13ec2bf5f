//! A server from its options to its stopped document.

use super::error::ServeError;
use super::listener::{bind, serve_connections};
use super::router::{MCP_PATH, Server};
use super::session::{SessionOptions, SessionState};
use super::signals::{Signal, Stop};
use crate::answer::{Engine, StateStatus};
use crate::json::{Object, Value};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::watch;

/// How an environment is served.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The address or name to bind.
    pub host: String,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// How sessions are kept.
    pub sessions: SessionOptions,
    /// When to stop.
    pub stop: Stop,
    /// Told the MCP URL once the server listens.
    pub bound: watch::Sender<Option<String>>,
}

impl ServeOptions {
    /// Shared replay on 127.0.0.1 and a free port, until `stop`.
    pub fn new(stop: Stop) -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 0,
            sessions: SessionOptions::new(SessionState::Shared),
            stop,
            bound: watch::Sender::new(None),
        }
    }
}

/// A server that ran and was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The served name.
    pub name: String,
    /// The MCP URL it was bound to.
    pub url: String,
    /// Whether it served from a state.
    pub state: StateStatus,
    /// What stopped it; decides the exit status.
    pub signal: Signal,
}

impl Stopped {
    /// The stopped document.
    pub fn to_value(&self) -> Value {
        Object::new()
            .with("status", "stopped")
            .with("name", &self.name)
            .with("url", &self.url)
            .with("state", self.state.to_object())
            .into()
    }
}

/// The MCP URL of a bound address.
pub fn mcp_url(address: SocketAddr) -> String {
    format!("http://{address}{MCP_PATH}")
}

/// Binds, announces the listener in one log line, and serves `engine` until `options.stop`.
///
/// # Errors
/// What prevents binding, a signal before the announcement, a listener that fails after it.
pub async fn serve(engine: Arc<Engine>, options: &ServeOptions) -> Result<Stopped, ServeError> {
    if let StateStatus::Unavailable { code, message } = &engine.state {
        tracing::warn!(code, "the state is unavailable, so recordings are replayed: {message}");
    }
    let listener = bind(&options.host, options.port, &options.stop).await?;
    let address = listener
        .local_addr()
        .map_err(|source| ServeError::Listener { address: format!("{}:{}", options.host, options.port), source })?;
    let url = mcp_url(address);
    let (name, state) = (engine.name.clone(), engine.state.clone());
    let tools = engine.catalog.tools.len();
    let server = Arc::new(Server::new(engine, options.sessions, address.ip().is_loopback()));
    if let Some(signal) = options.stop.requested() {
        return Err(ServeError::Cancelled { signal });
    }
    tracing::info!(url, name, tools, "MCP transport listening");
    options.bound.send_replace(Some(url.clone()));
    match serve_connections(listener, &server, &options.stop).await {
        Ok(signal) => Ok(Stopped { name, url, state, signal }),
        Err(source) => Err(ServeError::Listener { address: address.to_string(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_an_address_is_a_url() {
        assert_eq!(mcp_url("127.0.0.1:80".parse().unwrap()), "http://127.0.0.1:80/mcp");
        assert_eq!(mcp_url("[::1]:8765".parse().unwrap()), "http://[::1]:8765/mcp");
    }

    #[test]
    fn the_stopped_document_says_what_was_served() {
        let stopped = Stopped {
            name: "example".to_owned(),
            url: "http://127.0.0.1:1/mcp".to_owned(),
            state: StateStatus::ReplayOnly,
            signal: Signal::Interrupt,
        };
        assert_eq!(
            stopped.to_value().to_compact(),
            r#"{"status":"stopped","name":"example","url":"http://127.0.0.1:1/mcp","state":{"served":false,"reason":"replay-only"}}"#
        );
    }
}
