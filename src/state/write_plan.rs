//! Write plans as data: what a write tool addresses, what it leaves in the entity, what it answers, what it accepts; or why
//! it is withheld. Found in `write_propose.rs`, checked in `write_replay.rs`, applied in `write_apply.rs`.

use super::absence::Absence;
use super::coverage::Effect;
use super::document_change::DocumentChange;
use super::member_rule::MemberExpr;
use super::path::MemberPath;
use super::precondition::Precondition;
use super::slot::Slot;
use super::types::ItemView;
use super::write_bulk::Bulk;
use super::write_reason::WriteReason;
use super::write_referred::Referred;
use crate::json::Value;
use std::sync::Arc;

/// What is known of one write tool.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteState {
    /// Its effect is confirmed.
    Served(Arc<WritePlan>),
    /// It is not served.
    Withheld {
        /// What its method and place say it does.
        effect: Effect,
        /// Why.
        reason: WriteReason,
        /// The member in question, as a pointer into the entity or the answer.
        pointer: Option<String>,
        /// The recorded call that a plan would take its answer from.
        exemplar_ordinal: Option<usize>,
        /// The record that disagrees.
        contradicted_by: Option<usize>,
    },
}

/// A write tool's plan. A tool may create what is absent and update what is held.
#[derive(Clone, Debug, PartialEq)]
pub struct WritePlan {
    /// The tool.
    pub tool: usize,
    /// What it is about.
    pub target: Target,
    /// Where the body holds the entity's members.
    pub envelope: BodyEnvelope,
    /// What it does with a body that is about several entities.
    pub bulk: Option<Bulk>,
    /// What it does: where its target is absent (creates) and where it is held, by the query of the calls.
    pub parts: Vec<Part>,
    /// Recorded answers to calls whose target was absent: the best fit first.
    pub absences: Vec<Absence>,
    /// What the state must not hold.
    pub preconditions: Vec<Precondition>,
}

/// What a write addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The type; [`NO_TYPE`] where the place is a document.
    pub entity_type: usize,
    /// The entity, the collection or the document.
    pub place: TargetPlace,
}

/// Where a write's target is.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetPlace {
    /// A new entity of a collection.
    Collection,
    /// The entity that the path or the line addresses.
    Entity(Box<EntityAddress>),
    /// The documents of a read tool at the path.
    Document(DocumentAddress),
    /// An item of the tree, at the path of the call.
    Tree,
}

/// How a write addresses documents: by the path of the read that shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentAddress {
    /// The read tool.
    pub read_tool: usize,
    /// Segments of its path; what follows names the action.
    pub segments: usize,
}

/// The type of a target that is a document: none.
pub const NO_TYPE: usize = usize::MAX;

/// How a write addresses an entity: as an item route does.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityAddress {
    /// The tool whose address it is (the read's, or its own where no read has the route).
    pub item_tool: usize,
    /// Segments of the path that address the entity; what follows names the action.
    pub segments: usize,
    /// Path parameters among them.
    pub parameters: usize,
    /// The address.
    pub view: ItemView,
}

/// Where a request body holds the entity's members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyEnvelope {
    /// The only member around them, if any.
    pub member: Option<Box<str>>,
    /// Whether they are the only item of a list there.
    pub one_element: bool,
}

impl Target {
    /// A call's query, sorted, without what addresses the entity.
    pub(super) fn other_query(&self, query: &[(String, String)]) -> Vec<(String, String)> {
        let mut query: Vec<(String, String)> = match &self.place {
            TargetPlace::Collection | TargetPlace::Document(_) | TargetPlace::Tree => query.to_vec(),
            TargetPlace::Entity(address) => {
                let addresses = |name: &str| {
                    let mut slots = address.view.address.iter();
                    slots.any(|(slot, _)| matches!(slot, super::types::Slot::Key(key) if key == name))
                };
                query.iter().filter(|(name, _)| !addresses(name)).cloned().collect()
            }
        };
        query.sort();
        query
    }

    /// The path of the documents that a call addresses.
    pub(super) fn document_path<'p>(&self, path: &'p str) -> &'p str {
        match &self.place {
            TargetPlace::Document(address) => super::document_apply::read_path(path, address.segments),
            TargetPlace::Collection | TargetPlace::Entity(_) | TargetPlace::Tree => super::observe::trim_slash(path),
        }
    }
}

impl BodyEnvelope {
    /// The members inside; `None` when the body is not wrapped so.
    pub fn open<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        let inner = match &self.member {
            None => body,
            Some(name) => {
                let object = body.as_object().filter(|object| object.len() == 1)?;
                object.get(name)?
            }
        };
        if !self.one_element {
            return Some(inner);
        }
        match inner.as_array()? {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// One thing that a tool does.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What.
    pub effect: Effect,
    /// The new entity's identity, for a create.
    pub identity: Option<MemberExpr>,
    /// What the write leaves in the entity's slots; others are kept.
    pub slots: Vec<(Slot, MemberExpr)>,
    /// What the members of the body may be.
    pub accepted: Vec<AcceptedMember>,
    /// The answer's body; `None` where the recorded body is repeated (or there is none).
    pub answer: Option<MemberExpr>,
    /// Index of the record whose status and content type it answers with.
    pub record: usize,
    /// Its ordinal.
    pub ordinal: usize,
    /// Its answer and the identity of what it was about: where the answer has a member that nothing gives.
    pub example: Option<Arc<Example>>,
    /// For a create that finds the entity there already: the sent member by which it is the same.
    pub same_by: Option<MemberPath>,
    /// The query of the recorded calls, sorted, without what addresses the entity.
    pub query: Vec<(String, String)>,
    /// What has to refer to the target, or may not, where the tool does one thing to the one and another to the other.
    pub referred: Option<Referred>,
    /// What it does to a document, where the target is one.
    pub document: Option<DocumentChange>,
    /// Ordinals of the reads that confirmed it.
    pub confirmed_by: Vec<usize>,
}

/// The recorded call whose answer stands for what nothing gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The body.
    pub body: Arc<Value>,
    /// The identity of its target.
    pub id: Box<str>,
}

/// A member that a write's body may have.
#[derive(Clone, Debug, PartialEq)]
pub struct AcceptedMember {
    /// Its name.
    pub name: Box<str>,
    /// Recorded JSON types.
    pub types: Vec<&'static str>,
    /// Whether every recorded call had it and the result cannot be told without.
    pub required: bool,
    /// The recorded values, when only these are known to do what was seen.
    pub only: Vec<Value>,
}

impl Part {
    /// A part that says no more than what it does.
    pub(super) fn new(effect: Effect, record: usize, ordinal: usize) -> Self {
        let (slots, accepted, query, confirmed_by) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (identity, answer, example, same_by, referred, document) = (None, None, None, None, None, None);
        Self {
            effect,
            identity,
            slots,
            accepted,
            answer,
            example,
            record,
            ordinal,
            same_by,
            query,
            referred,
            document,
            confirmed_by,
        }
    }
}

impl WritePlan {
    /// A plan of some parts, with nothing recorded of absent targets.
    pub(super) fn new(tool: usize, target: Target, parts: Vec<Part>) -> Self {
        let (envelope, absences, preconditions) = (BodyEnvelope::default(), Vec::new(), Vec::new());
        Self { tool, target, envelope, bulk: None, parts, absences, preconditions }
    }

    /// The effect that names the tool: of what it does to a held entity, else that it creates.
    pub fn effect(&self) -> Effect {
        let first = self.parts.iter().find(|part| part.effect != Effect::Create).or(self.parts.first());
        first.map_or(Effect::Update, |part| part.effect)
    }
}
