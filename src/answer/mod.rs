//! The one answer function. Derivation checks, the server, the export, coverage and the comparison all call
//! [`Engine::answer`]; there is no second implementation of what a call means.
//!
//! This module knows nothing of transports: no HTTP, no JSON-RPC, no MCP.

mod arguments;
mod catalog;
mod describe;
mod engine;
mod error;
mod limits;
mod replay;
mod reply;
mod schema;
mod select;
mod world;

pub use arguments::{ArgumentError, check_arguments};
pub use catalog::{Annotations, Catalog, CatalogTool};
pub use engine::{Answered, Engine, EngineOptions, load_pair};
pub use error::AnswerError;
pub use limits::*;
pub use reply::{Call, Refusal, ReplayProvenance, Reply, ReplyBody, StateProvenance};
pub use world::World;
