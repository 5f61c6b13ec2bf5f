//! The one answer function. Derivation checks, the server, the export, coverage and the comparison all call
//! [`Engine::answer`]; there is no second implementation of what a call means.
//!
//! This module knows nothing of transports: no HTTP, no JSON-RPC, no MCP.

mod arguments;
mod catalog;
mod describe;
mod display;
mod engine;
mod error;
mod index;
mod limits;
mod load;
mod postings;
mod print;
mod replay;
mod reply;
mod schema;
mod select;
mod state_data;
mod state_reads;
mod state_writes;
mod status;
#[cfg(test)]
mod tests;
mod world;

pub use arguments::{ArgumentError, check_arguments};
pub use catalog::{Annotations, CATALOG_WARNING, Catalog, CatalogTool, is_query_post};
pub use describe::{describe_line, describe_records, describe_replay, describe_returns, describe_statuses};
pub use engine::{Answered, Engine, EngineOptions};
pub use error::AnswerError;
pub use limits::*;
pub use load::{bundled_name, bundled_pair, load_manifest_with_bytes, load_pair};
pub use replay::Recording;
pub use reply::{Call, Printed, Refusal, ReplayProvenance, Reply, ReplyBody, StateProvenance};
pub use schema::input_schema;
pub use status::StateStatus;
pub use world::World;
