//! The state of an environment as data: the document that a caller loads and reads back. Only an engine that serves from a
//! state has one.

use super::{Engine, StateStatus, World};
use crate::json::{Sink, Value};
use crate::state::{Derived, LoadProblem, Loaded, load_state, state_document_length, write_state_document};

impl Engine {
    /// Whether the environment's state can be loaded and read.
    pub fn has_state(&self) -> bool {
        self.state_served().is_some()
    }

    /// The world that a state document describes; `None` when the environment replays.
    pub fn load(&self, document: Value) -> Option<Result<Loaded, LoadProblem>> {
        let (derived, evidence_id) = self.state_served()?;
        Some(load_state(derived, &self.manifest, evidence_id, document))
    }

    /// Writes the state document of a world, which [`Engine::load`] takes; nothing when the environment replays.
    pub fn write_state(&self, world: &World, sink: &mut impl Sink) {
        if let Some((derived, evidence_id)) = self.state_served() {
            write_state_document(derived, &self.manifest, world, evidence_id, sink);
        }
    }

    /// Bytes of what [`Engine::write_state`] writes.
    pub fn state_length(&self, world: &World) -> usize {
        self.state_served()
            .map_or(0, |(derived, evidence_id)| state_document_length(derived, &self.manifest, world, evidence_id))
    }

    fn state_served(&self) -> Option<(&Derived, &str)> {
        match (&self.derived, &self.state) {
            (Some(derived), StateStatus::Served { evidence_id }) => Some((derived, evidence_id)),
            _ => None,
        }
    }
}
