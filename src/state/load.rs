//! Loading: a state document becomes the world that a caller wants. The whole document is taken or nothing of it; what is
//! wrong is said by the pointer of the format's own member, because names inside the caller's data are the caller's.
//!
//! What each member must be is in `load_check.rs`. Nothing here reads a file or knows where the document came from.

use super::derived::Derived;
use super::known_absent::{KnownCollection, known_collection, removed_item};
use super::limits::MAX_STATE_DOCUMENT_BYTES;
use super::load_check::{Flaw, Members, NameIndex, check_collection, check_identity, citations};
use super::memo::Memo;
use super::observe::trim_slash;
use super::state_document::{STATE_DOCUMENT_VERSION, state_document_length, types_document};
use super::store::{Document, Entity, World};
use super::tree_write::know_new;
use crate::json::{Pointer, Value, push_index, push_token};
use crate::manifest::Manifest;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Why a document is not loaded. Neither member repeats anything of the document's content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {problem}")]
pub struct LoadProblem {
    /// Where, from the root of the document: a member of the format or an index, never a name that the caller chose.
    pub pointer: Pointer,
    /// What is wrong and what is taken there.
    pub problem: Cow<'static, str>,
}

/// A document that was loaded.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The world.
    pub world: World,
    /// Bytes of its document as it is written back.
    pub bytes: usize,
}

/// Reads a state document (`{"rea_state": {…}}`) into the world it describes. Of `derived` it takes the types, the views'
/// names, the citations and the known collections; clocks, sequences and other history start as they do in
/// `derived.world`.
///
/// An entity or document that equals the Evidence's is the Evidence's, citations and all; any other cites no record.
///
/// # Errors
/// The first problem in the order of the format: version, Evidence id, types, entities, documents, removed,
/// collections; a state that would be written back as more than [`MAX_STATE_DOCUMENT_BYTES`].
pub fn load_state(
    derived: &Derived,
    manifest: &Manifest,
    state_evidence_id: &str,
    document: Value,
) -> Result<Loaded, LoadProblem> {
    let [state] = Members::take(document, ["rea_state"]).map_err(|flaw| flaw.under(""))?.0;
    let state = state.ok_or(Flaw::here("must hold rea_state").under(""))?;
    let names = ["version", "state_evidence_id", "types", "entities", "documents", "removed", "collections"];
    let [version, evidence_id, types, entities, documents, removed, collections] =
        Members::take(state, names).map_err(|flaw| flaw.under("/rea_state"))?.0;
    check_head(derived, state_evidence_id, version, evidence_id, types).map_err(|flaw| flaw.under("/rea_state"))?;
    let mut load = Load::new(derived, manifest);
    for (index, entity) in list(entities, "entities")?.into_iter().enumerate() {
        load.entity(entity).map_err(|flaw| flaw.under(&at("entities", index)))?;
    }
    for (index, document) in list(documents, "documents")?.into_iter().enumerate() {
        load.document(document).map_err(|flaw| flaw.under(&at("documents", index)))?;
    }
    for (index, removed) in list_or_none(removed, "removed")?.into_iter().enumerate() {
        load.removed(removed).map_err(|flaw| flaw.under(&at("removed", index)))?;
    }
    for (index, known) in list_or_none(collections, "collections")?.into_iter().enumerate() {
        load.known(known).map_err(|flaw| flaw.under(&at("collections", index)))?;
    }
    let world = load.finish();
    let bytes = state_document_length(derived, manifest, &world, state_evidence_id);
    if bytes > MAX_STATE_DOCUMENT_BYTES {
        let problem = format!("would be written back as {bytes} bytes; the limit is {MAX_STATE_DOCUMENT_BYTES}");
        return Err(LoadProblem { pointer: "/rea_state".to_owned(), problem: problem.into() });
    }
    Ok(Loaded { world, bytes })
}

/// The pointer of the format's own member that is, or holds, what `pointer` points to: it ends before any name that the
/// caller chose.
pub fn format_pointer(pointer: &str) -> Pointer {
    const MEMBERS: [&str; 13] = [
        "type",
        "collection",
        "id",
        "fields",
        "view_fields",
        "shown_in",
        "record_ordinals",
        "made",
        "view",
        "path",
        "value",
        "from",
        "anew",
    ];
    let mut tokens = pointer.split('/').skip(1);
    let mut kept = Pointer::new();
    let mut keep = |known: &dyn Fn(&str) -> bool| {
        let token = tokens.next().filter(|token| known(token));
        kept.extend(token.iter().flat_map(|token| ["/", token]));
        token
    };
    if keep(&|token| token == "rea_state").is_some()
        && keep(&|token| matches!(token, "types" | "entities" | "documents" | "removed" | "collections"))
            .is_some_and(|list| list != "types")
        && keep(&|token| token.bytes().all(|byte| byte.is_ascii_digit())).is_some()
    {
        keep(&|token| MEMBERS.contains(&token));
    }
    kept
}

fn check_head(
    derived: &Derived,
    state_evidence_id: &str,
    version: Option<Value>,
    evidence_id: Option<Value>,
    types: Option<Value>,
) -> Result<(), Flaw> {
    let served = Value::from(STATE_DOCUMENT_VERSION);
    if !version.is_some_and(|version| version.same_as(&served)) {
        return Err(Flaw::at("version", "must be 1, the version of the format"));
    }
    if evidence_id.is_some_and(|id| id.as_str() != Some(state_evidence_id)) {
        return Err(Flaw::at("state_evidence_id", "must be left out or name the state that is served here"));
    }
    if types.is_some_and(|types| !types.same_as(&types_document(derived))) {
        return Err(Flaw::at("types", "must be left out or be the types of the state that is served here"));
    }
    Ok(())
}

fn list(value: Option<Value>, name: &'static str) -> Result<Vec<Value>, LoadProblem> {
    match value.map(Value::into_plain) {
        Some(Value::Array(items)) => Ok(items),
        _ => Err(Flaw::at(name, "must be an array").under("/rea_state")),
    }
}

/// A list that may be left out.
fn list_or_none(value: Option<Value>, name: &'static str) -> Result<Vec<Value>, LoadProblem> {
    value.map_or_else(|| Ok(Vec::new()), |value| list(Some(value), name))
}

fn at(name: &str, index: usize) -> Pointer {
    let mut pointer = Pointer::from("/rea_state");
    push_token(&mut pointer, name);
    push_index(&mut pointer, index);
    pointer
}

/// A world that is being read.
struct Load<'a> {
    derived: &'a Derived,
    names: NameIndex<'a>,
    /// The entities so far.
    world: World,
    /// The collection of the entity before: mostly that of the next one too.
    last: Option<(usize, Arc<str>)>,
    documents: HashMap<(usize, String), Document>,
    removed: Vec<(usize, Arc<str>, Arc<str>)>,
    /// Collections that are known, with where they were at the start.
    known: Vec<KnownCollection>,
}

impl<'a> Load<'a> {
    fn new(derived: &'a Derived, manifest: &'a Manifest) -> Self {
        Self {
            derived,
            names: NameIndex::new(derived, manifest),
            world: derived.world.emptied(),
            last: None,
            documents: HashMap::new(),
            removed: Vec::new(),
            known: Vec::new(),
        }
    }

    fn entity(&mut self, value: Value) -> Result<(), Flaw> {
        let names = ["type", "collection", "id", "fields", "view_fields", "shown_in", "record_ordinals", "made"];
        let members = Members::take(value, names)?;
        let [kind, collection, id, fields, view_fields, shown_in, record_ordinals, made] = members.0;
        let kind = kind.as_ref().and_then(Value::as_str).and_then(|name| self.names.entity_type(name));
        let kind = kind.ok_or(Flaw::at("type", "must be the collection_template of a type"))?;
        let entity_type = self.derived.types.get(kind).ok_or(Flaw::at("type", "must be a type"))?;
        let collection = collection.as_ref().and_then(Value::as_str);
        let collection = collection.ok_or(Flaw::at("collection", "must be a path as requests spell it"))?;
        let key = self.collection(kind, collection)?;
        let id = id.as_ref().and_then(Value::as_str).ok_or(Flaw::at("id", "must be a text"))?;
        if self.world.collection(kind, &key.1).is_some_and(|held| held.get(id).is_some()) {
            return Err(Flaw::at("id", "must be the only entity of its type, collection and id"));
        }
        let fields = fields.filter(|fields| fields.as_object().is_some());
        let fields = fields.ok_or(Flaw::at("fields", "must be an object"))?;
        let view_fields = self.names.view_fields(kind, view_fields)?;
        let shown_in = self.names.shown_in(kind, shown_in)?;
        let evidence = self.derived.world.collection(kind, &key.1).and_then(|held| held.get(id));
        let shown_in = match (shown_in, evidence) {
            (Some(shown_in), _) => shown_in.into(),
            (None, Some(held)) => Arc::clone(&held.shown_in),
            (None, None) => entity_type.representations.as_slice().into(),
        };
        let made = match made.as_ref().map(Value::as_bool) {
            Some(Some(made)) => made,
            Some(None) => return Err(Flaw::at("made", "must be true or false")),
            None => evidence.is_none_or(|held| held.made),
        };
        let mut entity = Entity {
            collection: Arc::clone(&key.1),
            id: id.into(),
            fields: Arc::new(fields.into_plain()),
            view_fields,
            shown_in,
            record_ordinals: Arc::new([]),
            made,
            memo: Memo::default(),
        };
        let recorded = evidence.filter(|held| held.same_values(&entity));
        if recorded.is_none() {
            // An entity that only a list keyed by identities showed holds none; nor need it when it is changed.
            let holds =
                |held: &Entity| check_identity(entity_type, id, (&held.fields, &held.view_fields), true).is_ok();
            let needed = evidence.is_none_or(|held| holds(held));
            check_identity(entity_type, id, (&entity.fields, &entity.view_fields), needed)?;
        }
        let cited = evidence.map_or(&[][..], |held| &held.record_ordinals);
        if !citations(record_ordinals.as_ref(), cited) {
            let problem = "must be left out, empty, or the records that the Evidence cites for this entity";
            return Err(Flaw::at("record_ordinals", problem));
        }
        let entity = match recorded {
            Some(held) => {
                entity.record_ordinals = Arc::clone(&held.record_ordinals);
                // Spelled alike too, it is held once.
                if **held == entity { Arc::clone(held) } else { Arc::new(entity) }
            }
            // What a write changed is still what the records showed.
            None => {
                if let Some(held) = evidence {
                    entity.record_ordinals = Arc::clone(&held.record_ordinals);
                }
                Arc::new(entity)
            }
        };
        self.world.set_shared(kind, entity);
        Ok(())
    }

    /// The key of a collection, checked when it is named first.
    fn collection(&mut self, kind: usize, path: &str) -> Result<(usize, Arc<str>), Flaw> {
        let path = trim_slash(path);
        if let Some(last) = self.last.as_ref().filter(|last| last.0 == kind && *last.1 == *path) {
            return Ok(last.clone());
        }
        let template = self.derived.types.get(kind).map(|kind| &kind.template);
        let in_tree = self.derived.tree.as_ref().filter(|tree| tree.kind == kind).is_some_and(|tree| tree.holds(path));
        let matches = || template.is_some_and(|of| check_collection(of, path));
        if !in_tree && self.derived.world.collection(kind, path).is_none() && !matches() {
            return Err(Flaw::at("collection", "must match its type segment by segment"));
        }
        let key = (kind, Arc::from(path));
        self.last = Some(key.clone());
        Ok(key)
    }

    fn document(&mut self, value: Value) -> Result<(), Flaw> {
        let [view, path, value, record_ordinal] = Members::take(value, ["view", "path", "value", "record_ordinal"])?.0;
        let tool = view.as_ref().and_then(Value::as_str).and_then(|name| self.names.document_view(name));
        let tool = tool.ok_or(Flaw::at("view", "must be the tool of a document view"))?;
        let path = path.as_ref().and_then(Value::as_str);
        let evidence = path.and_then(|path| self.derived.world.document(tool, path));
        // What a write tells of a document that was not known before is a document of the view, too.
        let path = path.filter(|path| evidence.is_some() || self.derived.has_line(tool, path));
        let path = path.ok_or(Flaw::at("path", "must be the path of one of the view's documents"))?;
        let key = (tool, path.to_owned());
        if self.documents.contains_key(&key) {
            return Err(Flaw::at("path", "must name a document that no earlier one names"));
        }
        let value = value.ok_or(Flaw::at("value", "must be given"))?;
        let ordinal = evidence.and_then(|held| held.record_ordinal);
        let cited: Vec<usize> = ordinal.into_iter().collect();
        if record_ordinal.is_some_and(|ordinal| !citations(Some(&Value::Array(vec![ordinal])), &cited)) {
            let problem = "must be left out, or the record that the Evidence cites for this document";
            return Err(Flaw::at("record_ordinal", problem));
        }
        let record_ordinal = ordinal.filter(|_| evidence.is_some_and(|held| held.value.same_as(&value)));
        let document = Document { value: Arc::new(value.into_plain()), record_ordinal };
        self.documents.insert(key, document);
        Ok(())
    }

    fn removed(&mut self, value: Value) -> Result<(), Flaw> {
        let (kind, collection, id) = removed_item(&self.names, value)?;
        let (kind, collection) = self.collection(kind, &collection)?;
        if self.world.collection(kind, &collection).is_some_and(|held| held.get(&id).is_some()) {
            return Err(Flaw::at("id", "must name no entity that the document holds"));
        }
        self.removed.push((kind, collection, id));
        Ok(())
    }

    fn known(&mut self, value: Value) -> Result<(), Flaw> {
        let KnownCollection { kind, path, from, anew } = known_collection(&self.names, value)?;
        let (_, path) = self.collection(kind, &path)?;
        let from = match from {
            Some(from) => {
                let flaw = Flaw::at("from", "must match its type segment by segment");
                Some(self.collection(kind, &from).map_err(|_| flaw)?.1)
            }
            None => None,
        };
        self.known.push(KnownCollection { kind, path, from, anew });
        Ok(())
    }

    fn finish(self) -> World {
        let mut world = self.world;
        if let Some(tree) = &self.derived.tree {
            know_new(tree, &mut world, &self.derived.world);
        }
        for KnownCollection { kind, path, from, anew } in self.known {
            world.set_origin(kind, &path, from.as_deref().unwrap_or(&path));
            if anew {
                world.note_anew(kind, &path);
            }
        }
        for (kind, collection, id) in self.removed {
            world.note_removed(kind, collection, id);
        }
        for ((tool, path), document) in self.documents {
            world.set_document(tool, &path, document);
        }
        // The document tells the order of its entities; what is made later comes where it always does.
        for kind in 0..self.derived.types.len() {
            world.place_new(kind, self.derived.world.newest_first(kind));
        }
        world
    }
}
