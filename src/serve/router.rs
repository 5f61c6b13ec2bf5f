//! One request to one response: the routes, their methods, and what a request is refused with before any route.
//! No socket is involved: tests, benchmarks and goldens call [`handle`] with a request they made themselves.

use super::body::{Answer, BodyProblem, read_body};
use super::data_plane::{DataAnswer, DataPlane, Ground};
use super::data_source::Downloader;
use super::environment::Environment;
use super::host::admitted;
use super::jsonrpc::{
    self, INVALID_REQUEST, Id, Message, PARSE_ERROR, Payload, RpcError, SERVER_ERROR, SESSION_NOT_FOUND,
};
use super::limits::{MAX_REQUEST_BODY_BYTES, MAX_STATES_BYTES, SESSION_SWEEP, STREAM_KEEP_ALIVE};
use super::mcp::{Caller, McpAnswer, check_version};
use super::session::{Session, SessionOptions, SessionState, Sessions};
use super::store::Memory;
use crate::answer::Engine;
use crate::evidence::memory_headroom;
use crate::json::{Object, Value};
use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// The header that carries a session's id.
pub const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");
/// The header that carries the negotiated version.
pub const VERSION_HEADER: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// Where the MCP endpoint is.
pub const MCP_PATH: &str = "/mcp";
/// Where the card is.
pub const CARD_PATH: &str = "/.well-known/agent-env.json";
/// Where the data plane is.
pub const DATA_PATH: &str = "/agentenv";
/// Where readiness is asked.
pub const READY_PATH: &str = "/ready";

/// Everything a request is answered from.
#[derive(Debug)]
pub struct Server {
    environment: Environment,
    sessions: Sessions,
    data_plane: DataPlane,
    memory: Arc<Memory>,
    /// Whether the Host header must name loopback.
    loopback: bool,
    closing: watch::Sender<bool>,
}

impl Server {
    /// A server of `engine`. `loopback` says that it is bound to a loopback address only. States beside the one at the start
    /// may take half of the memory that is free now, and [`MAX_STATES_BYTES`] at the most.
    pub fn new(engine: Arc<Engine>, sessions: SessionOptions, loopback: bool) -> Self {
        let memory = Memory::new((memory_headroom() / 2).min(MAX_STATES_BYTES));
        Self {
            environment: Environment::new(engine, &memory),
            sessions: Sessions::new(sessions),
            memory,
            data_plane: DataPlane::new(Downloader::system()),
            loopback,
            closing: watch::Sender::new(false),
        }
    }

    /// The server with another downloader.
    #[cfg(test)]
    pub fn downloading(mut self, downloader: Downloader) -> Self {
        self.data_plane = DataPlane::new(downloader);
        self
    }

    /// What calls of the data plane act on.
    fn data_ground(&self) -> Ground<'_> {
        let isolated = self.sessions.options().state == SessionState::Isolated;
        Ground { environment: &self.environment, sessions: isolated.then_some(&self.sessions) }
    }

    /// The environment.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The open sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// What states beside the one at the start take.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Ends idle sessions until [`Server::close`] is called.
    pub async fn keep_sessions(&self) {
        loop {
            tokio::select! {
                () = self.closed() => return,
                () = tokio::time::sleep(SESSION_SWEEP) => self.sessions.sweep(),
            }
        }
    }

    /// Ends every event stream, now and from now on.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Ends when [`Server::close`] was called.
    pub async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        while !*closing.borrow_and_update() {
            if closing.changed().await.is_err() {
                return;
            }
        }
    }
}

/// Answers one request.
pub async fn handle<B>(server: &Arc<Server>, request: Request<B>) -> Response<Answer>
where
    B: Body<Data = Bytes>,
{
    let (head, body) = request.into_parts();
    if !admitted(&head.headers, server.loopback) {
        let error = RpcError::new(
            SERVER_ERROR,
            "forbidden: Host and Origin must name this machine (127.0.0.1, [::1] or localhost)",
        );
        return rpc_error(StatusCode::FORBIDDEN, &Id::Null, &error);
    }
    match (head.uri.path(), &head.method) {
        (MCP_PATH, &Method::POST) => match read_body(body).await {
            Ok(body) => post_mcp(server, &head.headers, &body),
            Err(problem) => unread(problem),
        },
        (MCP_PATH, &Method::GET) => get_mcp(server, &head.headers),
        (MCP_PATH, &Method::DELETE) => delete_mcp(server, &head.headers),
        (MCP_PATH, _) => not_allowed("GET, POST, DELETE"),
        (DATA_PATH, &Method::POST) => match read_body(body).await {
            Ok(body) => match server.data_plane.answer(server.data_ground(), &body, server.closed()).await {
                DataAnswer::Reply(reply) => json(StatusCode::OK, reply),
                DataAnswer::NotJson(reply) => json(StatusCode::BAD_REQUEST, reply),
                DataAnswer::Accepted => bare(StatusCode::ACCEPTED),
            },
            Err(problem) => unread(problem),
        },
        (DATA_PATH, _) => not_allowed("POST"),
        (CARD_PATH, &Method::GET | &Method::HEAD) => json(StatusCode::OK, server.environment.card()),
        (READY_PATH, &Method::GET | &Method::HEAD) => {
            json(StatusCode::OK, Bytes::from_static(b"{\"status\":\"ready\"}"))
        }
        (CARD_PATH | READY_PATH, _) => not_allowed("GET, HEAD"),
        _ => not_found(),
    }
}

fn post_mcp(server: &Server, headers: &HeaderMap, body: &[u8]) -> Response<Answer> {
    let payload = match jsonrpc::read(body) {
        Ok(payload) => payload,
        Err(error) => {
            let status = if error.code == PARSE_ERROR { StatusCode::BAD_REQUEST } else { StatusCode::OK };
            return rpc_error(status, &Id::Null, &error);
        }
    };
    let opens = matches!(&payload, Payload::One(Message::Request { method, .. }) if method == "initialize");
    // A client that begins anew may still carry the headers of a session that is gone.
    let session = if opens {
        None
    } else {
        match session_of(server, headers) {
            Ok(session) => session,
            Err(error) => return rpc_error(StatusCode::NOT_FOUND, &id_of(&payload), &error),
        }
    };
    // A session speaks the version it negotiated. Without one the header is a client's question, such as a newer client
    // that probes with a method of its own: it must get the method's error, by which it falls back to `initialize`.
    if session.is_some()
        && let Some(version) = headers.get(VERSION_HEADER)
        && let Err(error) = check_version(version.to_str().unwrap_or_default())
    {
        return rpc_error(StatusCode::BAD_REQUEST, &id_of(&payload), &error);
    }
    let caller = Caller { environment: &server.environment, sessions: &server.sessions, session: session.as_deref() };
    let answer = match payload {
        Payload::One(message) => caller.one(message),
        Payload::Batch(messages) => caller.batch(messages),
    };
    match answer {
        McpAnswer::Reply(reply) => json(StatusCode::OK, reply),
        McpAnswer::Accepted => bare(StatusCode::ACCEPTED),
        McpAnswer::Opened { reply, session } => {
            let mut response = json(StatusCode::OK, reply);
            if let Ok(id) = HeaderValue::from_str(&session) {
                response.headers_mut().insert(SESSION_HEADER, id);
            }
            response
        }
    }
}

/// The event stream of a session. The server has nothing to say by itself, so the stream only shows that it lives, and
/// ends with the session or the server. Without a session the answer is immediate: a prober takes a held request for a
/// server that is not ready.
fn get_mcp(server: &Arc<Server>, headers: &HeaderMap) -> Response<Answer> {
    let session = match session_of(server, headers) {
        Ok(Some(session)) => session,
        Ok(None) => return not_allowed("POST, DELETE"),
        Err(error) => return rpc_error(StatusCode::NOT_FOUND, &Id::Null, &error),
    };
    let (events, stream) = mpsc::channel(1);
    tokio::spawn(keep_alive(Arc::clone(server), session, events));
    let mut response = with_type(StatusCode::OK, "text/event-stream", Answer::Events(stream));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response
}

async fn keep_alive(server: Arc<Server>, session: Arc<Session>, events: mpsc::Sender<Bytes>) {
    let open = session.stream();
    while events.send(Bytes::from_static(b": open\n\n")).await.is_ok() {
        tokio::select! {
            () = server.closed() => return,
            () = open.session().ended() => return,
            () = events.closed() => return,
            () = tokio::time::sleep(STREAM_KEEP_ALIVE) => {}
        }
    }
}

fn delete_mcp(server: &Server, headers: &HeaderMap) -> Response<Answer> {
    let Some(id) = headers.get(SESSION_HEADER) else {
        let error = RpcError::new(INVALID_REQUEST, "DELETE ends a session: send its Mcp-Session-Id");
        return rpc_error(StatusCode::BAD_REQUEST, &Id::Null, &error);
    };
    if id.to_str().is_ok_and(|id| server.sessions.end(id)) {
        bare(StatusCode::NO_CONTENT)
    } else {
        rpc_error(StatusCode::NOT_FOUND, &Id::Null, &session_not_found())
    }
}

/// The session that the headers name, if they name one.
fn session_of(server: &Server, headers: &HeaderMap) -> Result<Option<Arc<Session>>, RpcError> {
    match headers.get(SESSION_HEADER) {
        None => Ok(None),
        Some(id) => id.to_str().ok().and_then(|id| server.sessions.find(id)).map(Some).ok_or_else(session_not_found),
    }
}

fn session_not_found() -> RpcError {
    RpcError::new(
        SESSION_NOT_FOUND,
        "session not found: it ended, or this server never opened it; call initialize again",
    )
}

fn id_of(payload: &Payload) -> Id {
    match payload {
        Payload::One(Message::Request { id, .. } | Message::Invalid { id, .. }) => id.clone(),
        _ => Id::Null,
    }
}

fn unread(problem: BodyProblem) -> Response<Answer> {
    let (status, message) = match problem {
        BodyProblem::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the request body is over the limit of {MAX_REQUEST_BODY_BYTES} bytes; nothing of it was read"),
        ),
        BodyProblem::TimedOut => (StatusCode::REQUEST_TIMEOUT, "the request body did not arrive in time".to_owned()),
        BodyProblem::Broken => (StatusCode::BAD_REQUEST, "the request body broke off".to_owned()),
    };
    let mut response = rpc_error(status, &Id::Null, &RpcError::new(SERVER_ERROR, message));
    // What is left of the body would be read as the next request.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn not_allowed(methods: &'static str) -> Response<Answer> {
    let error = Object::new().with("error", "method not allowed").with("allowed", methods);
    let mut response = json(StatusCode::METHOD_NOT_ALLOWED, Value::from(error).to_compact().into_bytes());
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}

fn not_found() -> Response<Answer> {
    let routes: Value = [MCP_PATH, CARD_PATH, DATA_PATH, READY_PATH].into_iter().map(Value::from).collect();
    let error = Object::new().with("error", "not found").with("routes", routes);
    json(StatusCode::NOT_FOUND, Value::from(error).to_compact().into_bytes())
}

fn rpc_error(status: StatusCode, id: &Id, error: &RpcError) -> Response<Answer> {
    json(status, jsonrpc::error_body(id, error))
}

fn json(status: StatusCode, body: impl Into<Answer>) -> Response<Answer> {
    with_type(status, "application/json", body.into())
}

fn bare(status: StatusCode) -> Response<Answer> {
    let mut response = Response::new(Answer::empty());
    *response.status_mut() = status;
    response
}

fn with_type(status: StatusCode, media_type: &'static str, body: Answer) -> Response<Answer> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
