//! A live world and what it costs. A world is a value: a call that only reads takes a copy (a reference count) and answers
//! without holding anything; a call that may write holds the world's lock while it answers, so that writes follow each
//! other.
//!
//! Worlds share what they have in common, so what a world costs is what it was loaded with (shared by its forks) and what
//! was written into it since. Both are charged to one [`Memory`], and what would go over its limit is refused before
//! anything changes.

use crate::answer::World;
use crate::json::Object;
use crate::state::{MAX_RENDERED_BYTES, MAX_STATE_DOCUMENT_BYTES};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes: what a session takes that has changed nothing.
const SESSION_BYTES: u64 = 16 * 1024;
/// Bytes of memory for each byte of a loaded document: its texts, numbers and names as a tree, and its indexes.
const LOADED_BYTES_PER_BYTE: u64 = 6;
/// Bytes: what one write takes beside what it was sent: the changed entity, and the nodes on the way to it.
const WRITE_BYTES: u64 = 8 * 1024;

/// Bytes: how much a write may lengthen a world's document beside what it was sent: an entity is at most what an answer
/// may be. A document that may be too long is measured.
const GROWTH_BYTES: usize = MAX_RENDERED_BYTES;
/// Bytes: the writes' sum that is first compared with what the whole world can take.
const SETTLE_FROM_BYTES: u64 = 1024 * 1024;

/// The bytes that worlds may take, counted and bounded.
#[derive(Debug)]
pub struct Memory {
    limit: u64,
    held: AtomicU64,
}

/// Bytes that are held until this is dropped.
#[derive(Debug)]
struct Charge {
    memory: Arc<Memory>,
    bytes: u64,
}

/// A change that is not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreRefusal {
    /// It would take more memory than states may take.
    #[error(
        "{wanted} more bytes for states would make {}, more than the limit of {limit}: reset or end sessions that are \
         done, or load less", held + wanted
    )]
    Memory {
        /// Bytes held.
        held: u64,
        /// Bytes it would take.
        wanted: u64,
        /// Bytes that may be held.
        limit: u64,
    },
    /// The state would be larger than one that loads again.
    #[error(
        "the state would take {bytes} bytes as a document, more than the limit of {limit}: delete something, or reset it"
    )]
    Document {
        /// Bytes of the document.
        bytes: usize,
        /// Bytes that it may have.
        limit: usize,
    },
}

impl StoreRefusal {
    /// `{reason: "memory", held_bytes, wanted_bytes, max_bytes}` or `{reason: "state-document", bytes, max_bytes}`
    pub fn facts(self) -> Object {
        match self {
            Self::Memory { held, wanted, limit } => Object::new()
                .with("reason", "memory")
                .with("held_bytes", held)
                .with("wanted_bytes", wanted)
                .with("max_bytes", limit),
            Self::Document { bytes, limit } => {
                Object::new().with("reason", "state-document").with("bytes", bytes).with("max_bytes", limit)
            }
        }
    }

    /// Whether the same change may be made later.
    pub fn passes(self) -> bool {
        matches!(self, Self::Memory { .. })
    }
}

impl Memory {
    /// Nothing held, at most `limit` bytes.
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, held: AtomicU64::new(0) })
    }

    /// Bytes held.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    fn take(&self, wanted: u64) -> Result<(), StoreRefusal> {
        let add = |held: u64| held.checked_add(wanted).filter(|sum| *sum <= self.limit);
        self.held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .map(drop)
            .map_err(|held| StoreRefusal::Memory { held, wanted, limit: self.limit })
    }
}

impl Charge {
    fn new(memory: &Arc<Memory>, bytes: u64) -> Result<Self, StoreRefusal> {
        memory.take(bytes)?;
        Ok(Self { memory: Arc::clone(memory), bytes })
    }

    fn grow(&mut self, bytes: u64) -> Result<(), StoreRefusal> {
        self.memory.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    fn shrink_to(&mut self, bytes: u64) {
        let surplus = self.bytes.saturating_sub(bytes);
        self.memory.held.fetch_sub(surplus, Ordering::Relaxed);
        self.bytes -= surplus;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.memory.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// One live world.
#[derive(Debug)]
pub struct Store {
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    world: World,
    /// What the world that this one was forked from was loaded with.
    ground: Arc<Charge>,
    /// What was written since, and the session itself.
    own: Charge,
    /// What an untouched store takes.
    least: u64,
    /// Where the writes' sum is compared with what the whole world can take.
    measure_at: u64,
    /// Bytes that the world has as a document, at the most.
    document_bytes: usize,
}

impl Held {
    fn put(&mut self, world: World, ground: Arc<Charge>, document_bytes: usize) {
        self.world = world;
        self.document_bytes = document_bytes;
        self.ground = ground;
        self.own.shrink_to(self.least);
        self.measure_at = SETTLE_FROM_BYTES;
    }

    /// Writes to one entity replace each other: together they take no more than the whole world does.
    fn settle(&mut self, document_bytes: usize) {
        let most = LOADED_BYTES_PER_BYTE.saturating_mul(document_bytes as u64).saturating_add(self.least);
        self.own.shrink_to(most);
        self.measure_at = most.saturating_mul(2).max(SETTLE_FROM_BYTES);
    }
}

impl Store {
    /// The environment's world, as it begins, with its document's length.
    pub fn new(world: World, document_bytes: usize, memory: &Arc<Memory>) -> Self {
        let nothing = || Charge { memory: Arc::clone(memory), bytes: 0 };
        let (ground, own) = (Arc::new(nothing()), nothing());
        Self { held: Mutex::new(Held { world, ground, own, least: 0, measure_at: SETTLE_FROM_BYTES, document_bytes }) }
    }

    /// A session's world: a fork of this one.
    ///
    /// # Errors
    /// No memory is left for another session.
    pub fn for_session(&self) -> Result<Self, StoreRefusal> {
        let held = self.lock();
        let own = Charge::new(&held.own.memory, SESSION_BYTES)?;
        let (world, ground, document_bytes) = (held.world.clone(), Arc::clone(&held.ground), held.document_bytes);
        Ok(Self {
            held: Mutex::new(Held {
                world,
                ground,
                own,
                least: SESSION_BYTES,
                measure_at: SETTLE_FROM_BYTES,
                document_bytes,
            }),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        // A world is replaced whole, so a panic of another thread cannot have left half of one.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A fork of the present world.
    pub fn fork(&self) -> World {
        self.lock().world.clone()
    }

    /// Replaces the world by one that nothing has to be held for, as the environment begins.
    pub fn reset(&self, world: World, document_bytes: usize) {
        let mut held = self.lock();
        let ground = Arc::new(Charge { memory: Arc::clone(&held.own.memory), bytes: 0 });
        held.put(world, ground, document_bytes);
    }

    /// Becomes a fork of `base` as that is now.
    pub fn become_fork(&self, base: &Store) {
        let (world, ground, document_bytes) = {
            let base = base.lock();
            (base.world.clone(), Arc::clone(&base.ground), base.document_bytes)
        };
        self.lock().put(world, ground, document_bytes);
    }

    /// Replaces the world by one that was loaded from a document of `bytes` bytes.
    ///
    /// # Errors
    /// The memory for it is not left; the world is as it was.
    pub fn replace(&self, world: World, bytes: usize) -> Result<(), StoreRefusal> {
        let mut held = self.lock();
        let ground = Charge::new(&held.own.memory, LOADED_BYTES_PER_BYTE.saturating_mul(bytes as u64))?;
        held.put(world, Arc::new(ground), bytes);
        Ok(())
    }

    /// Lets `answer` see the world and say what it becomes, while nobody else writes. `sent` are the bytes that a change was
    /// sent with; `length` is the length of a world's document.
    ///
    /// # Errors
    /// The memory for the change is not left, or the world's document would be over [`MAX_STATE_DOCUMENT_BYTES`], so that
    /// it would not load again; the world is as it was.
    pub fn write<T>(
        &self,
        sent: usize,
        length: impl Fn(&World) -> usize,
        answer: impl FnOnce(&World) -> (T, Option<World>),
    ) -> Result<T, StoreRefusal> {
        let mut held = self.lock();
        let (answered, changed) = answer(&held.world);
        let Some(changed) = changed else { return Ok(answered) };
        let wanted = WRITE_BYTES.saturating_add(sent as u64).saturating_add(sent as u64);
        let mut document_bytes = held.document_bytes.saturating_add(GROWTH_BYTES).saturating_add(2 * sent);
        let due = held.own.bytes.saturating_add(wanted) > held.measure_at;
        if due || document_bytes > MAX_STATE_DOCUMENT_BYTES {
            document_bytes = length(&changed);
            held.settle(document_bytes);
        }
        if document_bytes > MAX_STATE_DOCUMENT_BYTES {
            return Err(StoreRefusal::Document { bytes: document_bytes, limit: MAX_STATE_DOCUMENT_BYTES });
        }
        if let Err(refusal) = held.own.grow(wanted) {
            if due {
                return Err(refusal);
            }
            document_bytes = length(&changed);
            held.settle(document_bytes);
            held.own.grow(wanted)?;
        }
        held.document_bytes = document_bytes;
        held.world = changed;
        Ok(answered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A world that tells itself from others; the stores' owners say how long its document is.
    fn world(documents: usize) -> World {
        let mut world = World::default();
        for document in 0..documents {
            world.ensure_collection(document, "/");
        }
        world
    }

    fn write(store: &Store, length: usize) -> Result<(), StoreRefusal> {
        store.write(100, |_| length, |held| ((), Some(held.clone())))
    }

    #[test]
    fn forks_share_what_was_loaded_and_pay_for_what_they_write() {
        let memory = Memory::new(u64::MAX);
        let base = Store::new(world(0), 10, &memory);
        assert_eq!(memory.held(), 0);
        base.replace(world(1), 1000).unwrap();
        assert_eq!(memory.held(), 6000);
        let (one, other) = (base.for_session().unwrap(), base.for_session().unwrap());
        assert_eq!(memory.held(), 6000 + 2 * SESSION_BYTES);
        write(&one, 1100).unwrap();
        assert_eq!(memory.held(), 6000 + 2 * SESSION_BYTES + WRITE_BYTES + 200);
        // The forks keep what the base was loaded with.
        base.reset(world(0), 10);
        assert_eq!(memory.held(), 6000 + 2 * SESSION_BYTES + WRITE_BYTES + 200);
        one.become_fork(&base);
        assert_eq!(memory.held(), 6000 + 2 * SESSION_BYTES);
        drop(other);
        assert_eq!(memory.held(), SESSION_BYTES);
        drop(one);
        assert_eq!(memory.held(), 0);
    }

    #[test]
    fn what_would_go_over_the_limit_changes_nothing() {
        let memory = Memory::new(6000);
        let base = Store::new(world(0), 10, &memory);
        let refusal = base.replace(world(1), 1001).unwrap_err();
        assert_eq!(refusal, StoreRefusal::Memory { held: 0, wanted: 6006, limit: 6000 });
        assert!(refusal.passes() && base.for_session().is_err() && write(&base, 10).is_err());
        assert!(base.fork().collection(0, "/").is_none());
        assert_eq!(memory.held(), 0);
        base.replace(world(1), 1000).unwrap();
        assert!(base.fork().collection(0, "/").is_some());
    }

    #[test]
    fn many_writes_to_one_entity_take_no_more_than_the_world() {
        let memory = Memory::new(3 * SETTLE_FROM_BYTES);
        let base = Store::new(world(0), 1000, &memory);
        for _ in 0..10_000 {
            write(&base, 1000).unwrap();
        }
    }

    #[test]
    fn a_state_that_would_not_load_again_is_refused() {
        let memory = Memory::new(u64::MAX);
        let base = Store::new(world(0), MAX_STATE_DOCUMENT_BYTES - 1000, &memory);
        write(&base, MAX_STATE_DOCUMENT_BYTES).unwrap();
        let refusal = write(&base, MAX_STATE_DOCUMENT_BYTES + 1).unwrap_err();
        assert_eq!(refusal.facts().get("reason").and_then(|reason| reason.as_str()), Some("state-document"));
        assert!(!refusal.passes());
        // Something was deleted.
        write(&base, 10).unwrap();
    }
}
