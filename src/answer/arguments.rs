//! Arguments of a tool call: checked against the tool's closed schema, then a [`Call`]. The MCP server and the
//! comparison both check here.

use super::{Call, CatalogTool};
use crate::json::Value;
use crate::manifest::Tool;

/// What is wrong with the arguments of a call; the message names the argument and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ArgumentError {
    /// For people and agents.
    pub message: String,
}

/// Checks `arguments` (an object, or nothing) and makes the call.
///
/// # Errors
/// An argument that the schema does not name, a missing one, one of another type.
pub fn check_arguments(served: &CatalogTool, tool: &Tool, arguments: Option<&Value>) -> Result<Call, ArgumentError> {
    todo!("{served:?} {tool:?} {arguments:?}")
}
