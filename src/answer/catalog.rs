//! The catalog: what an MCP client and the card list. Admitted whole, or not at all.

use crate::json::Value;

/// The MCP annotations of a tool; `None` is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// Safe methods and query POSTs.
    pub read_only: bool,
    /// `Some(true)` for DELETE.
    pub destructive: Option<bool>,
    /// Safe methods, PUT and DELETE.
    pub idempotent: bool,
}

/// One served tool.
#[derive(Clone, Debug)]
pub struct CatalogTool {
    /// Index in the manifest.
    pub tool: usize,
    /// Its name.
    pub name: String,
    /// Description, without the catalog warning that the card puts before it.
    pub description: String,
    /// Closed input schema.
    pub input_schema: Value,
    /// Annotations (MCP only, not on the card).
    pub annotations: Annotations,
}

/// The served tools, in manifest order.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// The tools.
    pub tools: Vec<CatalogTool>,
}

impl Catalog {
    /// The served tool called `name`.
    pub fn by_name(&self, name: &str) -> Option<&CatalogTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
