//! The engine: everything immutable that answering needs, and the answer function.

use super::StateProvenance;
use super::describe::{StateBacking, describe_read, describe_replay, describe_write};
use super::index::ToolIndex;
use super::limits::{DISCOVERY_RESERVATION_BYTES, RESERVED_BYTES_FOR_DATA};
use super::replay::{Recording, Recordings};
use super::schema::input_schema;
use super::select::select;
use super::state_reads::answer_read;
use super::state_writes::{Ground, answer_write, answer_write_by_read};
use super::{Annotations, AnswerError, Call, Catalog, CatalogTool, Refusal, Reply, StateStatus, World};
use crate::capture::{Capture, Record};
use crate::evidence::ErrorDocument;
use crate::manifest::{Manifest, Tool};
use crate::state::{
    Derived, View, WritePlan, check_state_document, is_read, names_query, prepare_state, state_evidence,
};
use std::collections::HashMap;
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
    /// The derived state; `None` when the environment serves replay.
    pub derived: Option<Derived>,
    /// Whether answers come from the state, and why not.
    pub state: StateStatus,
    indexes: Vec<ToolIndex>,
    recordings: Recordings,
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
    /// Prepares an engine: checks that the manifest was projected from the capture, indexes the cited records, derives the
    /// state unless only replay is asked for, admits the catalog. A state that cannot be served does not stop the
    /// environment: it replays, and [`Engine::state`] says why.
    ///
    /// # Errors
    /// A manifest of another capture (both ids named), a blank name, a cited record that the capture does not hold, a
    /// replay catalog over the discovery reservation.
    pub fn new(capture: Capture, manifest: Manifest, options: &EngineOptions) -> Result<Self, AnswerError> {
        check_parent(&capture, &manifest)?;
        let name = options.name.clone().unwrap_or_else(|| manifest.name.clone());
        if name.trim().is_empty() {
            return Err(AnswerError::BlankName);
        }
        let indexes = index_tools(&capture.records, &manifest.tools)?;
        let recordings = Recordings::new(&capture.evidence.evidence_id, capture.records.len());
        let (catalog, state) = (Catalog::new(Vec::new()), StateStatus::ReplayOnly);
        let mut engine = Self { capture, manifest, name, catalog, derived: None, state, indexes, recordings };
        if !options.replay_only {
            match engine.serve_state() {
                Ok(()) => return Ok(engine),
                Err(refusal) => {
                    engine.derived = None;
                    engine.state = StateStatus::unavailable(&refusal);
                }
            }
        }
        engine.catalog = engine.replay_catalog();
        engine.admit(&engine.catalog)?;
        Ok(engine)
    }

    /// Derives the state and takes the catalog of an engine that serves from it. The catalog is checked first, with the
    /// longest description of each read, so that no state is derived for one that cannot be listed.
    fn serve_state(&mut self) -> Result<(), ErrorDocument> {
        let refused = |error: AnswerError| ErrorDocument::from(&error);
        self.admit_reads().map_err(refused)?;
        let unavailable = |error| ErrorDocument::from(&error);
        let derived = prepare_state(&self.capture, &self.manifest).map_err(unavailable)?;
        let evidence = state_evidence(&derived, &self.capture, &self.manifest).map_err(unavailable)?;
        check_state_document(&derived, &self.manifest, &evidence.evidence_id).map_err(unavailable)?;
        self.catalog = self.state_catalog(
            |index, tool| derived.only_reads(index, tool),
            |index| backing(derived.views.get(index)),
            |index| derived.plan(index),
        );
        let writing = self.catalog.tools.iter_mut().filter(|served| derived.writes_by_read(served.tool));
        writing.for_each(|served| (served.annotations.read_only, served.annotations.idempotent) = (false, false));
        self.admit_with_state(&self.catalog).map_err(refused)?;
        self.state = StateStatus::Served { evidence_id: evidence.evidence_id };
        self.derived = Some(derived);
        Ok(())
    }

    /// Checks the catalog of the read tools, each described as it would be at most.
    fn admit_reads(&self) -> Result<(), AnswerError> {
        let most = StateBacking::ALL
            .into_iter()
            .map(|backing| self.state_catalog(|_, tool| is_read(tool) || names_query(tool), |_| backing, |_| None));
        let longest = most.max_by_key(|catalog| catalog.reservation(&self.name));
        longest.map_or(Ok(()), |catalog| self.admit_with_state(&catalog))
    }

    /// The catalog of an engine that serves from a state: the read tools, and the writes whose effect the capture
    /// confirmed.
    fn state_catalog<'p>(
        &self,
        serves: impl Fn(usize, &Tool) -> bool,
        backing: impl Fn(usize) -> StateBacking,
        plan: impl Fn(usize) -> Option<&'p WritePlan>,
    ) -> Catalog {
        let evidence_id = &self.capture.evidence.evidence_id;
        let tools = self.manifest.tools.iter().enumerate().filter_map(|(index, tool)| {
            let (description, annotations) = match plan(index) {
                Some(plan) => (describe_write(tool, evidence_id, self.cited(index), plan), Annotations::of(tool)),
                None if serves(index, tool) => (
                    describe_read(tool, evidence_id, self.cited(index), backing(index)),
                    Annotations { read_only: true, ..Annotations::of(tool) },
                ),
                None => return None,
            };
            let (name, input_schema) = (tool.name.clone(), input_schema(tool));
            Some(CatalogTool { tool: index, name, description, input_schema, annotations })
        });
        Catalog::new(tools.collect())
    }

    /// The catalog of an engine that replays every tool.
    fn replay_catalog(&self) -> Catalog {
        let evidence_id = &self.capture.evidence.evidence_id;
        let tools = self.manifest.tools.iter().enumerate().map(|(index, tool)| CatalogTool {
            tool: index,
            name: tool.name.clone(),
            description: describe_replay(tool, evidence_id, self.cited(index)),
            input_schema: input_schema(tool),
            annotations: Annotations::of(tool),
        });
        Catalog::new(tools.collect())
    }

    /// Checks that the whole catalog fits the discovery reservation under the served name.
    fn admit(&self, catalog: &Catalog) -> Result<(), AnswerError> {
        Self::admit_bytes(catalog, catalog.reservation(&self.name))
    }

    /// As [`Engine::admit`], for a card that declares the data plane too.
    fn admit_with_state(&self, catalog: &Catalog) -> Result<(), AnswerError> {
        Self::admit_bytes(catalog, catalog.reservation(&self.name) + RESERVED_BYTES_FOR_DATA)
    }

    fn admit_bytes(catalog: &Catalog, reserved: usize) -> Result<(), AnswerError> {
        if reserved > DISCOVERY_RESERVATION_BYTES {
            let (tools, limit) = (catalog.tools.len(), DISCOVERY_RESERVATION_BYTES);
            return Err(AnswerError::Discovery { tools, reserved, limit });
        }
        Ok(())
    }

    /// A tool's cited recordings, in manifest order.
    fn cited(&self, tool: usize) -> impl Iterator<Item = &Recording> {
        let index = self.indexes.get(tool);
        let positions = index.into_iter().flat_map(|index| index.cited.iter());
        positions.filter_map(|position| self.recordings.get(&self.capture.records, *position)).map(Arc::as_ref)
    }

    /// The world a session starts in.
    pub fn initial_world(&self) -> World {
        self.derived.as_ref().map(|derived| derived.world.clone()).unwrap_or_default()
    }

    /// Answers one call. Pure: the same world and call give the same answer.
    pub fn answer(&self, world: &World, call: &Call) -> Answered {
        let state = match (&self.derived, self.manifest.tools.get(call.tool)) {
            (Some(derived), Some(tool)) if is_read(tool) => {
                if let StateStatus::Served { evidence_id } = &self.state
                    && derived.writes_by_read(call.tool)
                {
                    let (records, recordings) = (self.capture.records.as_ref(), &self.recordings);
                    let ground = Ground { derived, evidence_id, records, recordings };
                    if let Some(answered) = answer_write_by_read(&ground, world, tool, call) {
                        return answered;
                    }
                }
                match answer_read(derived, world, tool, call, &self.capture.records, &self.recordings) {
                    Ok(reply) => return Answered { reply, world: None },
                    Err(reason) => Some(StateProvenance::Recording { reason }),
                }
            }
            (Some(derived), Some(tool)) => match (derived.plan(call.tool), &self.state) {
                (Some(plan), StateStatus::Served { evidence_id }) => {
                    let (records, recordings) = (self.capture.records.as_ref(), &self.recordings);
                    let ground = Ground { derived, evidence_id, records, recordings };
                    return answer_write(&ground, world, plan, tool, call);
                }
                _ => Some(StateProvenance::Recording { reason: "query-body" }),
            },
            _ => None,
        };
        Answered { reply: self.replay(call).map(|reply| Reply { state, ..reply }), world: None }
    }

    /// Answers a call with the best recording of its tool.
    fn replay(&self, call: &Call) -> Result<Reply, Refusal> {
        let records = &self.capture.records;
        let tool = self.manifest.tools.get(call.tool).zip(self.indexes.get(call.tool));
        let selected = tool.and_then(|(tool, index)| select(index, &tool.parameters, call, records));
        selected.and_then(|selected| self.recordings.reply(records, selected)).ok_or_else(|| Refusal {
            code: "invalid_arguments",
            message: format!("the environment has no tool {}", call.tool),
            retryable: false,
            hint: None,
        })
    }
}

/// What a view backs of its tool.
fn backing(view: Option<&View>) -> StateBacking {
    match view {
        Some(View::Item(_) | View::Part(_) | View::Tree) => StateBacking::Item,
        Some(View::List(_) | View::Count(_)) => StateBacking::List,
        Some(View::Document(_)) => StateBacking::Document,
        Some(View::Recorded { .. } | View::Write) | None => StateBacking::Recorded,
    }
}

/// Refuses a manifest that was projected from another capture.
fn check_parent(capture: &Capture, manifest: &Manifest) -> Result<(), AnswerError> {
    let parent = manifest.evidence.normalized_result.get("parent_evidence_id");
    let parent = parent.and_then(|parent| parent.as_str()).unwrap_or_default();
    if parent != capture.evidence.evidence_id {
        let (parent, capture) = (parent.to_owned(), capture.evidence.evidence_id.clone());
        return Err(AnswerError::OtherCapture { parent, capture });
    }
    Ok(())
}

fn index_tools(records: &[Record], tools: &[Tool]) -> Result<Vec<ToolIndex>, AnswerError> {
    let positions: HashMap<usize, usize> =
        records.iter().enumerate().map(|(position, record)| (record.ordinal, position)).collect();
    let index_tool = |tool: &Tool| {
        if tool.records.is_empty() {
            return Err(AnswerError::NoRecords { tool: tool.name.clone() });
        }
        let cited = tool.records.iter().map(|ordinal| {
            let position = positions.get(ordinal).copied();
            position
                .filter(|position| records.get(*position).is_some_and(|record| record.request.is_some()))
                .ok_or_else(|| AnswerError::CitedRecord { tool: tool.name.clone(), ordinal: *ordinal })
        });
        Ok(ToolIndex::new(records, cited.collect::<Result<_, _>>()?, &tool.parameters))
    };
    tools.iter().map(index_tool).collect()
}
