//! MCP sessions: an id for each client, and the world it calls. Several clients may share one world.

use super::environment::Store;
use super::jsonrpc::{RpcError, SERVER_ERROR};
use super::limits::{MAX_SESSIONS, SESSION_IDLE};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// Whose world a session calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionState {
    /// All sessions share the environment's world.
    #[default]
    Shared,
    /// Each session has its own, as the environment begins, gone when the session ends.
    Isolated,
}

/// One open session.
#[derive(Debug)]
pub struct Session {
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
    open: Mutex<HashMap<String, Arc<Session>>>,
    limit: usize,
    started: Instant,
}

impl Default for Sessions {
    fn default() -> Self {
        Self::with_limit(MAX_SESSIONS)
    }
}

impl Sessions {
    /// A table that holds at most `limit` sessions.
    pub fn with_limit(limit: usize) -> Self {
        Self { open: Mutex::new(HashMap::new()), limit, started: Instant::now() }
    }

    /// Opens a session on `store` and returns its id.
    ///
    /// # Errors
    /// The table is full and no session was idle for [`SESSION_IDLE`], or the system gives no random bytes.
    pub fn open(&self, store: Arc<Store>) -> Result<String, RpcError> {
        let id = new_id()?;
        let now = self.now();
        let mut open = self.lock();
        if open.len() >= self.limit && !give_way(&mut open, now) {
            return Err(RpcError::new(
                SERVER_ERROR,
                format!(
                    "{} sessions are open, which is the limit: end one with DELETE /mcp, or wait until one is idle for {} minutes",
                    open.len(),
                    SESSION_IDLE.as_secs() / 60
                ),
            ));
        }
        let session = Session {
            store,
            streams: AtomicUsize::new(0),
            last_used: AtomicU64::new(now),
            ended: watch::Sender::new(false),
        };
        open.insert(id.clone(), Arc::new(session));
        Ok(id)
    }

    /// The open session called `id`, noted as used now.
    pub fn find(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.lock().get(id).cloned()?;
        session.last_used.store(self.now(), Ordering::Relaxed);
        Some(session)
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

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        // Each change of the table is one insertion or removal, so it is whole even after a panic elsewhere.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the session that was idle the longest, if it was idle long enough and nobody listens to it.
fn give_way(open: &mut HashMap<String, Arc<Session>>, now: u64) -> bool {
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
fn new_id() -> Result<String, RpcError> {
    let mut bytes = [0_u8; 16];
    let filled = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    if filled.ok() != Some(bytes.len()) {
        return Err(RpcError::new(SERVER_ERROR, "the system gave no random bytes for a session id"));
    }
    Ok(bytes.iter().fold(String::with_capacity(32), |mut id, byte| {
        for digit in [byte >> 4, byte & 15] {
            id.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
        id
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::World;

    fn store() -> Arc<Store> {
        Arc::new(Store::new(World::default()))
    }

    #[test]
    fn a_session_is_found_until_it_ends() {
        let sessions = Sessions::default();
        let id = sessions.open(store()).unwrap();
        assert_eq!(id.len(), 32);
        assert!(sessions.find(&id).is_some());
        assert!(sessions.end(&id));
        assert!(!sessions.end(&id));
        assert!(sessions.find(&id).is_none());
    }

    #[test]
    fn a_full_table_says_what_to_do() {
        let sessions = Sessions::with_limit(2);
        let first = sessions.open(store()).unwrap();
        let second = sessions.open(store()).unwrap();
        assert_ne!(first, second);
        let refused = sessions.open(store()).unwrap_err();
        assert_eq!(refused.code, SERVER_ERROR);
        assert!(refused.message.contains("DELETE /mcp"), "{}", refused.message);
        sessions.end(&first);
        assert!(sessions.open(store()).is_ok());
    }

    #[tokio::test]
    async fn only_an_idle_session_without_a_stream_gives_way() {
        let idle = u64::try_from(SESSION_IDLE.as_millis()).unwrap();
        let sessions = Sessions::with_limit(2);
        let listening = sessions.open(store()).unwrap();
        let silent = sessions.open(store()).unwrap();
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
}
