//! The served environment: the engine, its live worlds, and what a client reads of it, written once.
//!
//! A world is a value. A call that only reads takes a copy (a reference count) and answers without holding anything; a
//! call that may write holds the world's lock while it answers, so that writes follow each other.

use super::card::{self, CardOperations};
use super::jsonrpc::{INVALID_PARAMS, RpcError, echo};
use super::render::{write_refusal, write_reply};
use crate::answer::{CatalogTool, Engine, Refusal, Reply, World, check_arguments};
use crate::json::{Text, Value};
use bytes::Bytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One live world.
#[derive(Debug)]
pub struct Store {
    world: Mutex<World>,
}

impl Store {
    pub(super) fn new(world: World) -> Self {
        Self { world: Mutex::new(world) }
    }

    fn lock(&self) -> MutexGuard<'_, World> {
        // A world is replaced whole, so a panic of another thread cannot have left half of one.
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A fork of the present world.
    pub fn fork(&self) -> World {
        self.lock().clone()
    }

    /// Replaces the world.
    pub fn replace(&self, world: World) {
        *self.lock() = world;
    }
}

/// One environment, ready to be served.
#[derive(Debug)]
pub struct Environment {
    engine: Arc<Engine>,
    shared: Arc<Store>,
    card: Bytes,
    tool_list: Bytes,
    introduction: Bytes,
}

impl Environment {
    /// Writes what clients read of `engine` and starts its shared world.
    pub fn new(engine: Arc<Engine>) -> Self {
        Self {
            shared: Arc::new(Store::new(engine.initial_world())),
            card: card::card(&engine, CardOperations::REPLAY).into(),
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

    /// The world that every session shares.
    pub fn shared(&self) -> &Arc<Store> {
        &self.shared
    }

    /// A new world as the environment begins.
    pub fn fresh(&self) -> Arc<Store> {
        Arc::new(Store::new(self.engine.initial_world()))
    }

    /// Answers `tools/call`: writes its result, also for a call that the tool refuses.
    ///
    /// # Errors
    /// Parameters that name no served tool: an error of the protocol, not of a tool.
    pub fn call_tool(&self, store: &Store, params: Option<&Value>, out: &mut Vec<u8>) -> Result<(), RpcError> {
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
        match self.answer(store, served, arguments) {
            Ok(reply) => write_reply(&reply, out),
            Err(refusal) => write_refusal(&refusal, out),
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
        let mut world = store.lock();
        let answered = self.engine.answer(&world, &call);
        if let Some(changed) = answered.world {
            *world = changed;
        }
        answered.reply
    }
}
