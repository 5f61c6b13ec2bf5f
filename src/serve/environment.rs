//! The served environment: the engine, its shared or base world, and what a client reads of it, written once.

use super::card::{self, CardOperations};
use super::jsonrpc::{INVALID_PARAMS, RpcError, echo};
use super::render::{write_refusal, write_reply};
use super::store::{Memory, Store};
use crate::answer::{CatalogTool, Engine, Refusal, Reply, World, check_arguments};
use crate::json::{Text, Value};
use crate::state::compact_length;
use bytes::Bytes;
use std::sync::Arc;

/// Whose world a call reads and changes.
#[derive(Clone, Copy, Debug)]
pub struct CallerWorld<'a> {
    /// The world.
    pub store: &'a Store,
    /// The id of the session that has it to itself; `None` when it is shared.
    pub session: Option<&'a str>,
}

/// One environment, ready to be served.
#[derive(Debug)]
pub struct Environment {
    engine: Arc<Engine>,
    shared: Arc<Store>,
    /// Bytes of the document of the state at the start.
    start_bytes: usize,
    card: Bytes,
    tool_list: Bytes,
    introduction: Bytes,
}

impl Environment {
    /// Writes what clients read of `engine` and starts its world, whose changes and forks are charged to `memory`.
    pub fn new(engine: Arc<Engine>, memory: &Arc<Memory>) -> Self {
        let operations = if engine.has_state() { CardOperations::STATE } else { CardOperations::REPLAY };
        let world = engine.initial_world();
        let start_bytes = engine.state_length(&world);
        Self {
            shared: Arc::new(Store::new(world, start_bytes, memory)),
            start_bytes,
            card: card::card(&engine, operations).into(),
            tool_list: card::tool_list(&engine).into(),
            introduction: card::introduction(&engine).into(),
            engine,
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The card's bytes.
    pub fn card(&self) -> Bytes {
        self.card.clone()
    }

    /// The result of `tools/list`.
    pub fn tool_list(&self) -> &[u8] {
        &self.tool_list
    }

    /// The result of `initialize` after its first member.
    pub fn introduction(&self) -> &[u8] {
        &self.introduction
    }

    /// The world that every session shares; the one that sessions fork, when each has its own.
    pub fn shared(&self) -> &Arc<Store> {
        &self.shared
    }

    /// Puts that world back to how the environment begins.
    pub fn reset(&self) {
        self.shared.reset(self.engine.initial_world(), self.start_bytes);
    }

    /// Answers `tools/call`: writes its result, also for a call that the tool refuses.
    ///
    /// # Errors
    /// Parameters that name no served tool: an error of the protocol, not of a tool.
    pub fn call_tool(
        &self,
        caller: CallerWorld<'_>,
        params: Option<&Value>,
        out: &mut Vec<u8>,
    ) -> Result<(), RpcError> {
        let object = params
            .and_then(Value::as_object)
            .ok_or_else(|| RpcError::new(INVALID_PARAMS, "tools/call takes an object with the member name"))?;
        let name = object
            .get("name")
            .and_then(Value::as_text)
            .and_then(Text::as_str)
            .ok_or_else(|| RpcError::new(INVALID_PARAMS, "tools/call takes the tool's name as a text"))?;
        let served = self.engine.catalog.by_name(name).ok_or_else(|| {
            RpcError::new(INVALID_PARAMS, format!("unknown tool {:?}: tools/list names the served ones", echo(name)))
        })?;
        let arguments = object.get("arguments").filter(|arguments| !arguments.is_null());
        match self.answer(caller.store, served, arguments) {
            Ok(reply) => write_reply(&reply, caller.session, out),
            Err(refusal) => write_refusal(&refusal, caller.session, out),
        }
        Ok(())
    }

    fn answer(&self, store: &Store, served: &CatalogTool, arguments: Option<&Value>) -> Result<Reply, Refusal> {
        let tool = self.engine.manifest.tools.get(served.tool).ok_or_else(|| Refusal {
            code: "execution_failure",
            message: "the manifest does not hold this tool of the catalog".to_owned(),
            retryable: false,
            hint: None,
        })?;
        let call = check_arguments(served, tool, arguments).map_err(|error| Refusal {
            code: "invalid_arguments",
            message: error.message,
            retryable: false,
            hint: Some("Correct the arguments as the tool's inputSchema says and call again.".to_owned()),
        })?;
        if served.annotations.read_only {
            return self.engine.answer(&store.fork(), &call).reply;
        }
        let sent = arguments.map_or(0, compact_length);
        let length = |world: &World| self.engine.state_length(world);
        let answered = store.write(sent, length, |world| {
            let answered = self.engine.answer(world, &call);
            (answered.reply, answered.world)
        });
        answered.unwrap_or_else(|refusal| {
            Err(Refusal {
                code: "resource_constraint",
                message: refusal.to_string(),
                retryable: refusal.passes(),
                hint: Some("Reset the state, or end or reset other sessions, and call again.".to_owned()),
            })
        })
    }
}
