//! The server: an engine as an MCP server with an environment card and a data plane, over HTTP/1.
//!
//! ```text
//! listener -> router -> mcp -> environment -> answer        router -> data_plane
//! ```
//!
//! [`serve`] binds and runs until it is told to stop; [`handle`] answers one request without a socket. This module knows
//! nothing of how a state is derived: it asks [`crate::answer::Engine`] and writes what it says.

mod body;
mod card;
mod data_call;
mod data_plane;
mod data_reply;
mod data_source;
mod environment;
mod error;
mod host;
mod jsonrpc;
mod limits;
mod listener;
mod mcp;
mod render;
mod router;
mod run;
mod session;
mod signals;
mod store;
#[cfg(test)]
mod tests;

pub use body::Answer;
pub use card::{PROTOCOL_VERSIONS, listed_description};
pub use environment::{CallerWorld, Environment};
pub use error::ServeError;
pub use limits::*;
pub use router::{CARD_PATH, DATA_PATH, MCP_PATH, READY_PATH, SESSION_HEADER, Server, VERSION_HEADER, handle};
pub use run::{ServeOptions, Stopped, mcp_url, serve};
pub use session::{Session, SessionOptions, SessionState, Sessions};
pub use signals::{Signal, Stop, Stopper};
pub use store::{Memory, Store, StoreRefusal};
