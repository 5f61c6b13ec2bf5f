//! MCP sessions: an id for each client, and the world it calls. Several clients may share one world, or each has a fork of
//! the environment's, made when its session begins and gone when it ends.

use super::environment::Environment;
use super::jsonrpc::{RpcError, SERVER_ERROR};
use super::limits::{DEFAULT_SESSION_TTL, MAX_SESSIONS, SESSION_IDLE};
use super::store::Store;
use crate::json::Object;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Whose world a session calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionState {
    /// All sessions share the environment's world.
    #[default]
    Shared,
    /// Each session has its own, as the environment's is when the session begins, gone when the session ends.
    Isolated,
}

/// How sessions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// Whose world a session calls.
    pub state: SessionState,
    /// How long a session without an open event stream may be idle before it ends; `None`: for ever.
    pub ttl: Option<Duration>,
    /// How many sessions may be open at once.
    pub limit: usize,
}

impl SessionOptions {
    /// The options of a kind of session, when nothing else is said: only sessions that have a world of their own end by
    /// themselves.
    pub fn new(state: SessionState) -> Self {
        let ttl = (state == SessionState::Isolated).then_some(DEFAULT_SESSION_TTL);
        Self { state, ttl, limit: MAX_SESSIONS }
    }
}

/// One open session.
#[derive(Debug)]
pub struct Session {
    /// Its id.
    pub id: Arc<str>,
    /// The world its calls read and change.
    pub store: Arc<Store>,
    /// Event streams that are open.
    streams: AtomicUsize,
    /// Milliseconds from the table's start to the last request.
    last_used: AtomicU64,
    ended: watch::Sender<bool>,
}

impl Session {
    /// Ends when the session is deleted or gives way to another.
    pub async fn ended(&self) {
        let mut ended = self.ended.subscribe();
        while !*ended.borrow_and_update() {
            if ended.changed().await.is_err() {
                return;
            }
        }
    }

    /// Counts an open event stream for as long as the guard lives: such a session never gives way.
    pub fn stream(self: &Arc<Self>) -> StreamGuard {
        self.streams.fetch_add(1, Ordering::Relaxed);
        StreamGuard { session: Arc::clone(self) }
    }
}

/// An open event stream of a session.
#[derive(Debug)]
pub struct StreamGuard {
    session: Arc<Session>,
}

impl StreamGuard {
    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        self.session.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The open sessions, by id.
#[derive(Debug)]
pub struct Sessions {
    open: Mutex<HashMap<Arc<str>, Arc<Session>>>,
    options: SessionOptions,
    started: Instant,
}

impl Sessions {
    /// No session yet.
    pub fn new(options: SessionOptions) -> Self {
        Self { open: Mutex::new(HashMap::new()), options, started: Instant::now() }
    }

    /// How sessions are kept.
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Opens a session of `environment` and returns its id.
    ///
    /// # Errors
    /// The table is full and no session gives way, no memory is left for another world, or the system gives no random
    /// bytes.
    pub fn open(&self, environment: &Environment) -> Result<Arc<str>, RpcError> {
        let id = new_id()?;
        let now = self.now();
        let mut open = self.lock();
        if open.len() >= self.options.limit {
            self.expire(&mut open, now);
        }
        if open.len() >= self.options.limit && !give_way(&mut open, now) {
            let message = format!(
                "{} sessions are open, which is the limit: end one with DELETE /mcp, or wait until one is idle for {} minutes",
                open.len(),
                SESSION_IDLE.as_secs() / 60
            );
            let facts = Object::new().with("reason", "sessions").with("max_sessions", self.options.limit);
            return Err(RpcError { data: Some(facts.into()), ..RpcError::new(SERVER_ERROR, message) });
        }
        let store = match self.options.state {
            SessionState::Shared => Arc::clone(environment.shared()),
            SessionState::Isolated => Arc::new(environment.shared().for_session().map_err(|refusal| RpcError {
                data: Some(refusal.facts().into()),
                ..RpcError::new(SERVER_ERROR, refusal.to_string())
            })?),
        };
        let session = Session {
            id: Arc::clone(&id),
            store,
            streams: AtomicUsize::new(0),
            last_used: AtomicU64::new(now),
            ended: watch::Sender::new(false),
        };
        open.insert(Arc::clone(&id), Arc::new(session));
        Ok(id)
    }

    /// The open session called `id`, noted as used now.
    pub fn find(&self, id: &str) -> Option<Arc<Session>> {
        let now = self.now();
        let mut open = self.lock();
        let session = open.get(id).cloned()?;
        if self.is_over(&session, now) {
            open.remove(id);
            session.ended.send_replace(true);
            return None;
        }
        session.last_used.store(now, Ordering::Relaxed);
        Some(session)
    }

    /// Ends the sessions that were idle for too long.
    pub fn sweep(&self) {
        self.expire(&mut self.lock(), self.now());
    }

    /// Whether a session was idle for too long and nobody listens to it.
    fn is_over(&self, session: &Session, now: u64) -> bool {
        let idle = now.saturating_sub(session.last_used.load(Ordering::Relaxed));
        session.streams.load(Ordering::Relaxed) == 0
            && self.options.ttl.is_some_and(|ttl| u128::from(idle) >= ttl.as_millis())
    }

    fn expire(&self, open: &mut HashMap<Arc<str>, Arc<Session>>, now: u64) {
        open.retain(|_, session| {
            let over = self.is_over(session, now);
            if over {
                session.ended.send_replace(true);
            }
            !over
        });
    }

    /// Ends a session and its event streams; `false` when there is none of this id.
    pub fn end(&self, id: &str) -> bool {
        let ended = self.lock().remove(id);
        if let Some(session) = &ended {
            session.ended.send_replace(true);
        }
        ended.is_some()
    }

    /// How many sessions are open.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether no session is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Session>>> {
        // Each change of the table is one insertion or removal, so it is whole even after a panic elsewhere.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the session that was idle the longest, if it was idle long enough and nobody listens to it.
fn give_way(open: &mut HashMap<Arc<str>, Arc<Session>>, now: u64) -> bool {
    let idle_since = open
        .iter()
        .filter(|(_, session)| session.streams.load(Ordering::Relaxed) == 0)
        .map(|(id, session)| (session.last_used.load(Ordering::Relaxed), id.clone()))
        .min();
    match idle_since {
        Some((last_used, id)) if u128::from(now.saturating_sub(last_used)) >= SESSION_IDLE.as_millis() => {
            if let Some(session) = open.remove(&id) {
                session.ended.send_replace(true);
            }
            true
        }
        _ => false,
    }
}

/// 128 random bits as hex: visible ASCII, not to be guessed.
fn new_id() -> Result<Arc<str>, RpcError> {
    let mut bytes = [0_u8; 16];
    let filled = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    if filled.ok() != Some(bytes.len()) {
        return Err(RpcError::new(SERVER_ERROR, "the system gave no random bytes for a session id"));
    }
    let id = bytes.iter().fold(String::with_capacity(32), |mut id, byte| {
        for digit in [byte >> 4, byte & 15] {
            id.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
        id
    });
    Ok(id.into())
}

#[cfg(test)]
mod tests {
    use super::super::store::Memory;
    use super::super::tests::fixture::engine;
    use super::*;

    fn environment() -> Environment {
        Environment::new(engine(), &Memory::new(u64::MAX))
    }

    fn sessions(limit: usize, ttl: Option<Duration>) -> Sessions {
        Sessions::new(SessionOptions { state: SessionState::Isolated, ttl, limit })
    }

    #[test]
    fn a_session_is_found_until_it_ends() {
        let (sessions, environment) = (sessions(8, None), environment());
        let id = sessions.open(&environment).unwrap();
        assert_eq!(id.len(), 32);
        assert!(sessions.find(&id).is_some());
        assert!(sessions.end(&id));
        assert!(!sessions.end(&id));
        assert!(sessions.find(&id).is_none());
    }

    #[test]
    fn a_full_table_says_what_to_do() {
        let (sessions, environment) = (sessions(2, None), environment());
        let first = sessions.open(&environment).unwrap();
        let second = sessions.open(&environment).unwrap();
        assert_ne!(first, second);
        let refused = sessions.open(&environment).unwrap_err();
        assert_eq!(refused.code, SERVER_ERROR);
        assert!(refused.message.contains("DELETE /mcp"), "{}", refused.message);
        assert_eq!(refused.data.unwrap().to_compact(), r#"{"reason":"sessions","max_sessions":2}"#);
        sessions.end(&first);
        assert!(sessions.open(&environment).is_ok());
    }

    #[test]
    fn memory_is_a_limit_too_and_comes_back_with_the_session() {
        let environment = Environment::new(engine(), &Memory::new(40_000));
        let sessions = sessions(100, None);
        let first = sessions.open(&environment).unwrap();
        sessions.open(&environment).unwrap();
        let refused = sessions.open(&environment).unwrap_err();
        assert_eq!(refused.code, SERVER_ERROR);
        assert!(refused.data.unwrap().to_compact().starts_with(r#"{"reason":"memory","held_bytes":32768,"#));
        sessions.end(&first);
        assert!(sessions.open(&environment).is_ok());
    }

    #[tokio::test]
    async fn only_an_idle_session_without_a_stream_gives_way() {
        let idle = u64::try_from(SESSION_IDLE.as_millis()).unwrap();
        let (sessions, environment) = (sessions(2, None), environment());
        let listening = sessions.open(&environment).unwrap();
        let silent = sessions.open(&environment).unwrap();
        let stream = sessions.find(&listening).unwrap().stream();
        let gone = sessions.find(&silent).unwrap();
        assert!(!give_way(&mut sessions.lock(), idle - 1));
        assert!(give_way(&mut sessions.lock(), idle * 2));
        gone.ended().await;
        assert!(sessions.find(&silent).is_none());
        assert!(!give_way(&mut sessions.lock(), idle * 3), "the listening one stays");
        drop(stream);
        assert!(give_way(&mut sessions.lock(), idle * 3));
    }

    #[tokio::test]
    async fn an_idle_session_ends_after_its_time_and_one_that_listens_does_not() {
        let ttl = Duration::from_secs(60);
        let (sessions, environment) = (sessions(8, Some(ttl)), environment());
        let listening = sessions.open(&environment).unwrap();
        let silent = sessions.open(&environment).unwrap();
        let stream = sessions.find(&listening).unwrap().stream();
        let gone = sessions.find(&silent).unwrap();
        sessions.expire(&mut sessions.lock(), sessions.now() + 59_000);
        assert_eq!(sessions.len(), 2);
        sessions.expire(&mut sessions.lock(), sessions.now() + 61_000);
        gone.ended().await;
        assert!(sessions.find(&silent).is_none());
        drop(stream);
        assert!(sessions.find(&listening).is_some(), "it was used just now");
    }

    #[test]
    fn a_session_that_is_over_is_not_found_even_before_a_sweep() {
        let (sessions, environment) = (sessions(8, Some(Duration::ZERO)), environment());
        let id = sessions.open(&environment).unwrap();
        assert!(sessions.find(&id).is_none());
        assert!(sessions.is_empty());
    }
}
