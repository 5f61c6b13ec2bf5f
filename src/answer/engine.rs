//! The engine: everything immutable that answering needs, and the answer function.

use super::{AnswerError, Call, Catalog, Refusal, Reply, World};
use crate::capture::{Capture, InspectOptions};
use crate::manifest::Manifest;
use std::path::Path;
use std::sync::Arc;

/// How an engine is made.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// Serve replay without deriving a state.
    pub replay_only: bool,
    /// Name to serve under; `None` is the manifest's.
    pub name: Option<String>,
}

/// One environment, immutable.
#[derive(Debug)]
pub struct Engine {
    /// The capture it answers from.
    pub capture: Capture,
    /// The manifest it serves.
    pub manifest: Manifest,
    /// The served name.
    pub name: String,
    /// The served tools.
    pub catalog: Catalog,
}

/// An answered call.
#[derive(Debug)]
pub struct Answered {
    /// The reply, or why the call was refused.
    pub reply: Result<Reply, Refusal>,
    /// The world after the call, when the call changed it.
    pub world: Option<World>,
}

impl Engine {
    /// Prepares an engine: checks that the manifest was projected from the capture, indexes the cited records, admits
    /// the catalog.
    ///
    /// # Errors
    /// A manifest of another capture (both ids named), a catalog over the discovery reservation.
    pub fn new(capture: Capture, manifest: Manifest, options: &EngineOptions) -> Result<Self, AnswerError> {
        todo!("{} {} {options:?}", capture.records.len(), manifest.name)
    }

    /// The world a session starts in.
    pub fn initial_world(&self) -> World {
        World::default()
    }

    /// Answers one call. Pure: the same world and call give the same answer.
    pub fn answer(&self, world: &World, call: &Call) -> Answered {
        todo!("{world:?} {call:?}")
    }
}

/// Loads what `environment-serve`, `-export` and `-compare` take: a manifest with `evidence`, or (when `evidence` is
/// `None`) a capture alone (`.har` or capture Evidence; the manifest is projected with the build's default rules) or a
/// bundle folder.
///
/// # Errors
/// Every refusal of the files, and a manifest whose parent is another capture.
pub fn load_pair(
    path: &Path,
    evidence: Option<&Path>,
    options: &InspectOptions,
) -> Result<(Capture, Manifest), AnswerError> {
    todo!("{path:?} {evidence:?} {options:?}")
}

#[allow(dead_code)]
type _Shared = Arc<Engine>;
