//! A server from its options to its stopped document.

use super::error::ServeError;
use super::listener::{bind, serve_connections};
use super::router::{MCP_PATH, Server};
use super::session::SessionState;
use super::signals::{Signal, Stop};
use crate::answer::Engine;
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
    /// Whose world a session calls.
    pub session_state: SessionState,
    /// What the stopped document says of the state.
    pub state: ServedState,
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
            session_state: SessionState::Shared,
            state: ServedState::ReplayOnly,
            stop,
            bound: watch::Sender::new(None),
        }
    }
}

/// Whether answers come from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServedState {
    /// From the state of this Evidence id.
    Served {
        /// Its id.
        evidence_id: String,
    },
    /// Replay, because that was asked for.
    ReplayOnly,
    /// Replay, because no state could be served.
    Unavailable {
        /// The refusal's code.
        code: String,
        /// The refusal's message.
        message: String,
    },
}

impl ServedState {
    /// `state` of the stopped document.
    pub fn to_value(&self) -> Value {
        let object = Object::new();
        match self {
            ServedState::Served { evidence_id } => object.with("served", true).with("evidence_id", evidence_id),
            ServedState::ReplayOnly => object.with("served", false).with("reason", "replay-only"),
            ServedState::Unavailable { code, message } => {
                object.with("served", false).with("reason", "unavailable").with("code", code).with("message", message)
            }
        }
        .into()
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
    pub state: ServedState,
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
            .with("state", self.state.to_value())
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
    let listener = bind(&options.host, options.port, &options.stop).await?;
    let address = listener
        .local_addr()
        .map_err(|source| ServeError::Listener { address: format!("{}:{}", options.host, options.port), source })?;
    let url = mcp_url(address);
    let name = engine.name.clone();
    let tools = engine.catalog.tools.len();
    let server = Arc::new(Server::new(engine, options.session_state, address.ip().is_loopback()));
    if let Some(signal) = options.stop.requested() {
        return Err(ServeError::Cancelled { signal });
    }
    tracing::info!(url, name, tools, "MCP transport listening");
    options.bound.send_replace(Some(url.clone()));
    match serve_connections(listener, &server, &options.stop).await {
        Ok(signal) => Ok(Stopped { name, url, state: options.state.clone(), signal }),
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
            state: ServedState::ReplayOnly,
            signal: Signal::Interrupt,
        };
        assert_eq!(
            stopped.to_value().to_compact(),
            r#"{"status":"stopped","name":"example","url":"http://127.0.0.1:1/mcp","state":{"served":false,"reason":"replay-only"}}"#
        );
        let unavailable =
            ServedState::Unavailable { code: "unsupported_target".to_owned(), message: "no reads".to_owned() };
        assert_eq!(
            unavailable.to_value().to_compact(),
            r#"{"served":false,"reason":"unavailable","code":"unsupported_target","message":"no reads"}"#
        );
        let served = ServedState::Served { evidence_id: "ev_1".to_owned() };
        assert_eq!(served.to_value().to_compact(), r#"{"served":true,"evidence_id":"ev_1"}"#);
    }
}
