//! The call that proves a bundle serves: chosen and answered by the environment itself.

use crate::answer::{CatalogTool, Engine, Reply, check_arguments};
use crate::capture::is_success;
use crate::manifest::Tool;

/// A tool that answers without arguments, and the status of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SmokeCall {
    /// The tool's name.
    pub(super) tool: String,
    /// Its status; `None` when the recording says none.
    pub(super) status: Option<u16>,
}

/// The first served GET tool without path parameters that answers a call without arguments, one with a 2xx before others.
/// `None` when there is none.
pub(super) fn smoke_call(engine: &Engine) -> Option<SmokeCall> {
    let world = engine.initial_world();
    let mut first = None;
    for served in &engine.catalog.tools {
        let Some(tool) = engine.manifest.tools.get(served.tool) else { continue };
        if tool.method != "GET" || !tool.parameters.is_empty() {
            continue;
        }
        let Some(reply) = answered(engine, served, tool, &world) else { continue };
        let call = SmokeCall { tool: served.name.clone(), status: reply.status };
        if call.status.is_some_and(is_success) {
            return Some(call);
        }
        first.get_or_insert(call);
    }
    first
}

fn answered(engine: &Engine, served: &CatalogTool, tool: &Tool, world: &crate::answer::World) -> Option<Reply> {
    let call = check_arguments(served, tool, None).ok()?;
    engine.answer(world, &call).reply.ok()
}
