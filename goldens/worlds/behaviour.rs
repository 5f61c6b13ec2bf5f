//! What a behaviour may change: the hooks, in the order in which a world calls them. Every hook has a default that
//! changes nothing, so a behaviour says only what it is about.

use super::http::{Request, Response};
use super::json::Json;
use super::query::Listing;
use super::recorder::Recorder;
use super::spec::{OrderKey, WorldSpec};
use super::world::{Entity, World};
use super::write::Write;

/// Where an entity is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The item read.
    Item,
    /// A list's entry.
    List,
    /// The answer of a create.
    Created,
    /// The answer of an update or an action.
    Updated,
}

/// The part of a script a behaviour may add calls to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The capture's reads, before its first write.
    Reads,
    /// The capture's writes.
    Writes,
    /// The reads probe.
    ProbeReads,
    /// The writes probe.
    ProbeCrud,
}

/// What of an answer no recording of the world could tell, whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknowable {
    /// All of it.
    Answer,
    /// The members at these pointers.
    Members(&'static [&'static str]),
    /// All of it where the recording does not hold this very request: it has to be answered from the recording, and a
    /// state that answers it guesses, even if it guesses well.
    Unrecorded,
}

/// One switchable behaviour.
pub trait Behaviour: Sync {
    /// Its name: that of its file.
    fn name(&self) -> &'static str;

    /// What it decides alone: two behaviours that share a slot cannot go together.
    fn slots(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether only writes show it: its reads are those of the plain world.
    fn needs_writes(&self) -> bool {
        false
    }

    /// Changes the spec before the world is seeded.
    fn shape(&self, _spec: &mut WorldSpec) {}

    /// Changes the seeded world.
    fn seed(&self, _world: &mut World) {}

    /// Answers a request before the world's own routes.
    fn intercept(&self, _world: &mut World, _request: &Request) -> Option<Response> {
        None
    }

    /// Changes what one view shows of an entity.
    fn show(&self, _world: &World, _entity: &Entity, _view: View, _shown: &mut Json) {}

    /// Takes entities out of a list, or refuses it.
    fn narrow(&self, _world: &World, _listing: &mut Listing) {}

    /// The order a list's query asks for.
    fn arrange(&self, _world: &World, _listing: &Listing) -> Option<Vec<OrderKey>> {
        None
    }

    /// Changes the shown entity by the query (projections).
    fn trim(&self, _world: &World, _pairs: &[(String, String)], _view: View, _shown: &mut Json) {}

    /// Changes the finished list answer.
    fn wrap_list(&self, _world: &mut World, _listing: &Listing, _answer: &mut Json) {}

    /// Changes the finished item answer.
    fn wrap_item(&self, _world: &mut World, _view: View, _answer: &mut Json) {}

    /// The answer to a missing entity.
    fn absent(&self, _world: &mut World, _method: &str, _type: usize, _key: &str) -> Option<Response> {
        None
    }

    /// Changes an error's body.
    fn wrap_error(&self, _world: &mut World, _status: u16, _answer: &mut Json) {}

    /// Adds members to a body that the script sends to create an entity.
    fn draft(&self, _world: &World, _type: usize, _at: usize, _body: &mut Json) {}

    /// Adds members to a body that the script sends to update an entity.
    fn complete_update(&self, _entity: &Entity, _body: &mut Json) {}

    /// Changes what is stored of the sent members.
    fn prepare(&self, _world: &mut World, _write: &mut Write) {}

    /// Refuses a write.
    fn check(&self, _world: &mut World, _write: &Write) -> Option<Response> {
        None
    }

    /// Instead of removing an entity. True when the removal was handled.
    fn remove(&self, _world: &mut World, _type: usize, _index: usize) -> bool {
        false
    }

    /// What else a write changes.
    fn after(&self, _world: &mut World, _write: &Write) {}

    /// What of the answer to a request no recording tells: measures leave it out, and nothing else. The reason is in the
    /// behaviour.
    fn unknowable(&self, _world: &World, _request: &Request) -> Option<Unknowable> {
        None
    }

    /// Calls it adds to a script.
    fn record(&self, _phase: Phase, _recorder: &mut Recorder) {}

    /// Reads it adds after a write of an entity.
    fn look(&self, _recorder: &mut Recorder, _type: usize, _key: &str) {}
}
