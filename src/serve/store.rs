//! A live world and what it costs. A world is a value: a call that only reads takes a copy (a reference count) and answers
//! without holding anything; a call that may write holds the world's lock while it answers, so that writes follow each
//! other.
//!
//! Worlds share what they have in common, so what a world costs is what it was loaded with (shared by its forks) and what
//! was written into it since. Both are charged to one [`Memory`], and what would go over its limit is refused before
//! anything changes.

use crate::answer::World;
use crate::json::Object;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes: what a session takes that has changed nothing.
const SESSION_BYTES: u64 = 16 * 1024;
/// Bytes of memory for each byte of a loaded document: its texts, numbers and names as a tree, and its indexes.
const LOADED_BYTES_PER_BYTE: u64 = 6;
/// Bytes: what one write takes beside what it was sent: the changed entity, and the nodes on the way to it.
const WRITE_BYTES: u64 = 8 * 1024;

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

/// What would have taken more memory than states may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{wanted} more bytes for states would make {}, more than the limit of {limit}: reset or end sessions that are done, \
     or load less", held + wanted
)]
pub struct StoreRefusal {
    held: u64,
    wanted: u64,
    limit: u64,
}

impl StoreRefusal {
    /// `{reason: "memory", held_bytes, wanted_bytes, max_bytes}`
    pub fn facts(self) -> Object {
        Object::new()
            .with("reason", "memory")
            .with("held_bytes", self.held)
            .with("wanted_bytes", self.wanted)
            .with("max_bytes", self.limit)
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
        self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).map(drop).map_err(|held| StoreRefusal {
            held,
            wanted,
            limit: self.limit,
        })
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
}

impl Held {
    fn put(&mut self, world: World, ground: Arc<Charge>) {
        self.world = world;
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
    /// The environment's world, as it begins.
    pub fn new(world: World, memory: &Arc<Memory>) -> Self {
        let nothing = || Charge { memory: Arc::clone(memory), bytes: 0 };
        let ground = Arc::new(nothing());
        Self { held: Mutex::new(Held { world, ground, own: nothing(), least: 0, measure_at: SETTLE_FROM_BYTES }) }
    }

    /// A session's world: a fork of this one.
    ///
    /// # Errors
    /// No memory is left for another session.
    pub fn for_session(&self) -> Result<Self, StoreRefusal> {
        let held = self.lock();
        let own = Charge::new(&held.own.memory, SESSION_BYTES)?;
        let (world, ground) = (held.world.clone(), Arc::clone(&held.ground));
        Ok(Self { held: Mutex::new(Held { world, ground, own, least: SESSION_BYTES, measure_at: SETTLE_FROM_BYTES }) })
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
    pub fn reset(&self, world: World) {
        let mut held = self.lock();
        let ground = Arc::new(Charge { memory: Arc::clone(&held.own.memory), bytes: 0 });
        held.put(world, ground);
    }

    /// Becomes a fork of `base` as that is now.
    pub fn become_fork(&self, base: &Store) {
        let (world, ground) = {
            let base = base.lock();
            (base.world.clone(), Arc::clone(&base.ground))
        };
        self.lock().put(world, ground);
    }

    /// Replaces the world by one that was loaded from a document of `bytes` bytes.
    ///
    /// # Errors
    /// The memory for it is not left; the world is as it was.
    pub fn replace(&self, world: World, bytes: usize) -> Result<(), StoreRefusal> {
        let mut held = self.lock();
        let ground = Charge::new(&held.own.memory, LOADED_BYTES_PER_BYTE.saturating_mul(bytes as u64))?;
        held.put(world, Arc::new(ground));
        Ok(())
    }

    /// Lets `answer` see the world and say what it becomes, while nobody else writes. `sent` are the bytes that a change was
    /// sent with; `length` is the length of a world's document.
    ///
    /// # Errors
    /// The memory for the change is not left; the world is as it was.
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
        let due = held.own.bytes.saturating_add(wanted) > held.measure_at;
        if due {
            held.settle(length(&changed));
        }
        if let Err(refusal) = held.own.grow(wanted) {
            if due {
                return Err(refusal);
            }
            held.settle(length(&changed));
            held.own.grow(wanted)?;
        }
        held.world = changed;
        Ok(answered)
    }
}
