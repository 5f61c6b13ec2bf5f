//! The data plane: JSON-RPC on `/agentenv`. Replay offers no operation, so every method is unknown there, by name. Served
//! from a state, `data/reset`, `data/add` and `data/get` act on the environment's state, or on the one of a named session.
//!
//! Requests take turns in the order in which they arrive: a request holds its turn until its last message is answered,
//! downloads included, so no other request's call lands inside a batch. What is heavy (reading, loading, writing a state)
//! is done on another thread; a state is put in place here, in one step, and only while the caller still waits.

use super::data_call::{DataCall, Operation, Source, failed, invalid, repeated_name};
use super::data_reply::Replies;
use super::data_source::{Downloader, read_file};
use super::environment::Environment;
use super::jsonrpc::{self, INVALID_REQUEST, METHOD_NOT_FOUND, Message, PARSE_ERROR, Payload, RpcError, echo};
use super::limits::MAX_RESPONSE_BYTES;
use super::session::Sessions;
use super::store::{Store, StoreRefusal};
use crate::answer::{Engine, World};
use crate::json::{ParseOptions, Sink, Value, parse_document};
use crate::state::{Loaded, MAX_STATE_DOCUMENT_BYTES, MAX_STATE_DOCUMENT_DEPTH};
use std::future::Future;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The data plane of one environment.
#[derive(Debug)]
pub struct DataPlane {
    /// Whose turn it is; waiting ones get it in the order in which they came.
    turn: Mutex<()>,
    downloader: Downloader,
}

/// What calls act on.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// The environment and its shared or base state.
    pub environment: &'a Environment,
    /// The sessions, when each has a state of its own.
    pub sessions: Option<&'a Sessions>,
}

/// What a body of `/agentenv` is answered with.
#[derive(Debug, PartialEq, Eq)]
pub enum DataAnswer {
    /// A reply, the replies of a batch, or the error of a body that holds no message.
    Reply(Vec<u8>),
    /// The error of a body that is not JSON.
    NotJson(Vec<u8>),
    /// Notifications only.
    Accepted,
}

/// What a call that was done has to say.
enum Done {
    /// `{}`
    Nothing,
    /// The state of a world.
    State(World),
}

impl DataPlane {
    /// A data plane that fetches with `downloader`.
    pub fn new(downloader: Downloader) -> Self {
        Self { turn: Mutex::new(()), downloader }
    }

    /// Answers one request body. Once `closing` ends, calls that were not run are cancelled, and so is a download.
    pub async fn answer(&self, ground: Ground<'_>, body: &[u8], closing: impl Future<Output = ()>) -> DataAnswer {
        let (payload, repeated) = match jsonrpc::read_noting_repeats(body) {
            Ok(read) => read,
            Err(error) if error.code == PARSE_ERROR => {
                return DataAnswer::NotJson(jsonrpc::error_body(&jsonrpc::Id::Null, &error));
            }
            Err(error) => return DataAnswer::Reply(jsonrpc::error_body(&jsonrpc::Id::Null, &error)),
        };
        let (messages, batch) = match payload {
            Payload::One(message) => (vec![message], false),
            Payload::Batch(messages) => (messages, true),
        };
        let mut replies = Replies::new(messages.iter(), batch, MAX_RESPONSE_BYTES);
        let mut closing = Closing { closing: std::pin::pin!(closing), closed: false };
        let _turn = closing.before(self.turn.lock()).await;
        for (index, message) in messages.into_iter().enumerate() {
            let params = if batch { format!("/{index}/params") } else { "/params".to_owned() };
            let repeated: Vec<&str> = repeated.iter().filter_map(|pointer| pointer.strip_prefix(&params)).collect();
            self.one(ground, message, &repeated, &mut closing, &mut replies).await;
        }
        replies.finish().map_or(DataAnswer::Accepted, DataAnswer::Reply)
    }

    /// Runs a message and writes its reply, when it has one.
    async fn one<C: Future<Output = ()>>(
        &self,
        ground: Ground<'_>,
        message: Message,
        repeated: &[&str],
        closing: &mut Closing<'_, C>,
        replies: &mut Replies,
    ) {
        let (id, done) = match message {
            Message::Request { id, method, params } => (id, self.run(ground, &method, params, repeated, closing).await),
            Message::Notification { method, params } => {
                let _ = self.run(ground, &method, params, repeated, closing).await;
                return;
            }
            Message::Response => (jsonrpc::Id::Null, Err(invalid_request("the member method is missing"))),
            Message::Invalid { id, problem } => (id, Err(invalid_request(problem))),
        };
        let mut reply = replies.begin(&id);
        match done {
            Ok(Done::Nothing) => {
                jsonrpc::begin_result(&mut reply, &id);
                reply.put(b"{}");
                jsonrpc::end_result(&mut reply);
            }
            Ok(Done::State(world)) => {
                let engine = Arc::clone(ground.environment.engine());
                let of = id.clone();
                let written = on_a_thread(move || {
                    jsonrpc::begin_result(&mut reply, &of);
                    reply.put(br#"{"parts":[{"kind":"data","data":"#);
                    engine.write_state(&world, &mut reply);
                    reply.put(b"}]}");
                    jsonrpc::end_result(&mut reply);
                    reply
                });
                match written.await {
                    Some(written) => reply = written,
                    // The thread took the response so far with it; what is left to say is this.
                    None => {
                        reply = replies.begin(&id);
                        jsonrpc::write_error(&mut reply, &id, &failed("the state could not be written", "broken"));
                    }
                }
            }
            Err(error) => jsonrpc::write_error(&mut reply, &id, &error),
        }
        replies.end(&id, reply);
    }

    async fn run<C: Future<Output = ()>>(
        &self,
        ground: Ground<'_>,
        method: &str,
        params: Option<Value>,
        repeated: &[&str],
        closing: &mut Closing<'_, C>,
    ) -> Result<Done, RpcError> {
        let engine = ground.environment.engine();
        if !engine.has_state() {
            return Err(RpcError::new(
                METHOD_NOT_FOUND,
                format!(
                    "method not found: {}: this environment replays a recording and has no data to load or read",
                    echo(method)
                ),
            ));
        }
        let call = DataCall::read(method, params, repeated)?;
        closing.check().await?;
        let session = call.session.as_deref();
        match call.operation {
            Operation::Reset => {
                match session {
                    None => ground.environment.reset(),
                    // A session goes back to what it would begin with now.
                    Some(_) => ground.store(session)?.become_fork(ground.environment.shared()),
                }
                Ok(Done::Nothing)
            }
            Operation::Get => Ok(Done::State(ground.store(session)?.fork())),
            Operation::Add(source) => {
                let store = ground.store(session)?;
                let document = match source {
                    Source::Document(document) => Read::Document(document),
                    Source::Bytes(bytes) => Read::Bytes(bytes),
                    Source::File(path) => Read::Bytes(closing.before(read_file(path)).await.unwrap_or_else(cancelled)?),
                    Source::Download(uri) => {
                        Read::Bytes(closing.before(self.downloader.fetch(uri)).await.unwrap_or_else(cancelled)?)
                    }
                };
                let engine = Arc::clone(engine);
                let loading = closing.before(on_a_thread(move || load(&engine, document))).await;
                let loaded = loading.unwrap_or_else(|()| Some(cancelled(())));
                let loaded = loaded.unwrap_or_else(|| Err(failed("the document could not be loaded", "broken")))?;
                closing.check().await?;
                store.replace(loaded.world, loaded.bytes).map_err(refused)?;
                Ok(Done::Nothing)
            }
        }
    }
}

impl Ground<'_> {
    /// The state that a call means.
    fn store(&self, session: Option<&str>) -> Result<Arc<Store>, RpcError> {
        let Some(session) = session else { return Ok(Arc::clone(self.environment.shared())) };
        let Some(sessions) = self.sessions else {
            return Err(invalid("/metadata/session", "must be left out: all sessions share one state here"));
        };
        sessions.find(session).map(|session| Arc::clone(&session.store)).ok_or_else(|| {
            let problem = "must be the Mcp-Session-Id of an open session: this one ended, or was never opened";
            invalid("/metadata/session", problem)
        })
    }
}

/// The end of the server, as a request that is being answered sees it.
struct Closing<'a, C> {
    closing: std::pin::Pin<&'a mut C>,
    closed: bool,
}

impl<C: Future<Output = ()>> Closing<'_, C> {
    /// What `work` gives, unless the server closes first.
    async fn before<T>(&mut self, work: impl Future<Output = T>) -> Result<T, ()> {
        if self.closed {
            return Err(());
        }
        tokio::select! {
            biased;
            () = self.closing.as_mut() => {
                self.closed = true;
                Err(())
            }
            done = work => Ok(done),
        }
    }

    /// Refuses a call that was not run before the server closed.
    async fn check(&mut self) -> Result<(), RpcError> {
        self.before(std::future::ready(())).await.or_else(|()| cancelled(()))
    }
}

fn cancelled<T>((): ()) -> Result<T, RpcError> {
    Err(failed("the server stopped before the call was done; the state is unchanged", "cancelled"))
}

fn refused(refusal: StoreRefusal) -> RpcError {
    RpcError { data: Some(refusal.facts().into()), ..RpcError::new(jsonrpc::SERVER_ERROR, refusal.to_string()) }
}

fn invalid_request(problem: &str) -> RpcError {
    RpcError::new(INVALID_REQUEST, format!("invalid request: {problem}"))
}

/// A document as it came.
enum Read {
    Document(Value),
    Bytes(Vec<u8>),
}

/// The world of a document.
fn load(engine: &Engine, document: Read) -> Result<Loaded, RpcError> {
    let document = match document {
        Read::Document(document) => document,
        Read::Bytes(bytes) => parsed(&bytes)?,
    };
    let loaded = engine.load(document).ok_or_else(|| RpcError::method_not_found("data/add"))?;
    loaded.map_err(|problem| invalid(&problem.pointer, &problem.problem))
}

fn parsed(bytes: &[u8]) -> Result<Value, RpcError> {
    if bytes.len() > MAX_STATE_DOCUMENT_BYTES {
        return Err(invalid("/parts/0/file", &format!("must be at most {MAX_STATE_DOCUMENT_BYTES} bytes")));
    }
    let options = ParseOptions { max_depth: MAX_STATE_DOCUMENT_DEPTH, skip_bom: true };
    let parsed =
        parse_document(bytes, options).map_err(|error| invalid("", &format!("the document is not JSON: {error}")))?;
    match parsed.duplicates.first() {
        Some(repeated) => Err(repeated_name(&repeated.pointer)),
        None => Ok(parsed.value),
    }
}

/// Work that would hold up other requests; `None` when its thread broke off.
async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
