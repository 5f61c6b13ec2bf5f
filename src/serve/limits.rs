//! Limits of the server, with their units.

use std::time::Duration;

/// Bytes: the largest request body on `/mcp` and `/agentenv` (`evidence.md` 6.4).
pub const MAX_REQUEST_BODY_BYTES: usize = 4 * 1024 * 1024;
/// Bytes: how much of a body over the limit is read and thrown away, so that its sender gets the refusal instead of a
/// broken connection.
pub const MAX_DISCARDED_BODY_BYTES: usize = 64 * 1024 * 1024;
/// Bytes: the replies of one response on `/agentenv`, twice the document that a state may be loaded from.
pub const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;
/// How long a download may take, its body included.
pub const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Messages: the largest JSON-RPC batch.
pub const MAX_BATCH_MESSAGES: usize = 100;
/// Levels: deepest nesting of a request body.
pub const MAX_REQUEST_DEPTH: usize = 1000;
/// Sessions open at once.
pub const MAX_SESSIONS: usize = 4096;
/// A session without an open event stream that was idle this long may give its place to a new one.
pub const SESSION_IDLE: Duration = Duration::from_secs(60 * 60);
/// How long a session with a state of its own may be idle, when nothing else is said.
pub const DEFAULT_SESSION_TTL: Duration = Duration::from_secs(60 * 60);
/// Between two looks for sessions that are over.
pub const SESSION_SWEEP: Duration = Duration::from_secs(15);
/// Bytes: what states beside the one at the start may take, unless half of the free memory is less.
pub const MAX_STATES_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// Connections open at once; later ones wait in the kernel's queue.
pub const MAX_CONNECTIONS: usize = 8192;
/// How long a connection may take for one request head, and how long it may stay open without a request.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(120);
/// How long a request body may take.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// How long answers in progress may take once the server was told to stop.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);
/// Between two comments on an open event stream, so that proxies and clients see that it lives.
pub const STREAM_KEEP_ALIVE: Duration = Duration::from_secs(25);
/// Before the next accept when the process has no descriptor or memory left for one.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// UTF-8 bytes: how much of a caller's own text (a method, a tool name) an error repeats.
pub const MAX_ECHO_BYTES: usize = 256;
