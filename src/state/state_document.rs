//! What a state holds, as documents: types, entities and documents, each in the shape that the state view, `data/get`
//! and `data/add` share. How reads are rendered from it is in `plan_document.rs`.

use super::derived::Derived;
use super::error::StateError;
use super::limits::MAX_STATE_DOCUMENT_BYTES;
use super::store::{Document, Entity, World};
use super::types::EntityType;
use crate::json::{Object, Sink, Value, write_compact};
use crate::manifest::Manifest;
use std::sync::Arc;

/// The version of the state document's format, `rea-state/v1`.
pub const STATE_DOCUMENT_VERSION: u64 = 1;

/// The name of a representation in `view_fields`: its tool's, and for a variant the parameters that select it too
/// (`get_users?expand=roles`).
pub fn representation_name(derived: &Derived, manifest: &Manifest, representation: usize) -> Option<String> {
    let way = derived.representations.get(representation)?;
    let mut name = manifest.tools.get(way.tool)?.name.clone();
    for (index, (key, value)) in way.variant.iter().enumerate() {
        name.push(if index == 0 { '?' } else { '&' });
        name.push_str(key);
        name.push('=');
        name.push_str(value);
    }
    Some(name)
}

/// `types` of a state document: `{collection_template, identity}` for each type. `identity` names the members whose texts
/// make an entity's id (a path inside the entity where one is nested); it is empty where a list's member names are the ids.
pub fn types_document(derived: &Derived) -> Value {
    derived.types.iter().map(|kind| Value::from(type_document(kind))).collect()
}

fn type_document(kind: &EntityType) -> Object {
    let identity = kind.identity.spelling();
    let identity: Value = (!identity.is_empty()).then(|| Value::from(identity)).into_iter().collect();
    Object::new().with("collection_template", kind.collection_template.as_str()).with("identity", identity)
}

/// One entity: `{type, collection, id, fields, view_fields?, shown_in?, record_ordinals}`. `shown_in` names the
/// representations that showed it: a member that one of them has and the entity does not was left out there, and is not
/// merely unknown, so a loaded entity is rendered as the recorded one.
pub fn entity_document(derived: &Derived, manifest: &Manifest, kind: &EntityType, entity: &Entity) -> Object {
    let mut document = Object::new()
        .with("type", kind.collection_template.as_str())
        .with("collection", entity.collection.as_ref())
        .with("id", entity.id.as_ref())
        .with("fields", Value::Shared(Arc::clone(&entity.fields)));
    let mut shown: Vec<(String, &Object)> = entity
        .view_fields
        .iter()
        .filter_map(|(way, fields)| Some((representation_name(derived, manifest, *way)?, fields.as_ref())))
        .collect();
    shown.sort_by(|a, b| a.0.cmp(&b.0));
    if !shown.is_empty() {
        let shown: Object = shown.into_iter().map(|(name, fields)| (name.into(), fields.clone().into())).collect();
        document.push("view_fields", shown);
    }
    let mut shown_in: Vec<String> =
        entity.shown_in.iter().filter_map(|way| representation_name(derived, manifest, *way)).collect();
    shown_in.sort();
    if !shown_in.is_empty() {
        document.push("shown_in", shown_in.into_iter().map(Value::from).collect::<Value>());
    }
    document
        .with("record_ordinals", entity.record_ordinals.iter().map(|ordinal| Value::from(*ordinal)).collect::<Value>())
}

/// One document: `{view, path, value, record_ordinal?}`.
pub fn document_document(manifest: &Manifest, tool: usize, path: &str, document: &Document) -> Option<Object> {
    let held = Object::new()
        .with("view", manifest.tools.get(tool)?.name.as_str())
        .with("path", path)
        .with("value", Value::Shared(Arc::clone(&document.value)));
    Some(match document.record_ordinal {
        Some(ordinal) => held.with("record_ordinal", ordinal),
        None => held,
    })
}

/// All entities of a world: types in their order, collections by path, entities in state order.
pub fn entities_document(derived: &Derived, manifest: &Manifest, world: &World) -> Value {
    let mut entities = Vec::new();
    for (index, kind) in derived.types.iter().enumerate() {
        for (_, collection) in world.collections(index) {
            entities
                .extend(collection.iter().map(|entity| Value::from(entity_document(derived, manifest, kind, entity))));
        }
    }
    entities.into()
}

/// All documents of a world, by tool and path.
pub fn documents_document(manifest: &Manifest, world: &World) -> Value {
    world
        .documents()
        .filter_map(|(tool, path, document)| document_document(manifest, tool, path, document).map(Value::from))
        .collect()
}

/// The state document of a world, `{"rea_state": {version, state_evidence_id, types, entities, documents}}`.
pub fn state_document(derived: &Derived, manifest: &Manifest, world: &World, state_evidence_id: &str) -> Value {
    let state = Object::new()
        .with("version", STATE_DOCUMENT_VERSION)
        .with("state_evidence_id", state_evidence_id)
        .with("types", types_document(derived))
        .with("entities", entities_document(derived, manifest, world))
        .with("documents", documents_document(manifest, world));
    Object::new().with("rea_state", state).into()
}

/// Checks that a state is not larger than what an environment holds.
///
/// # Errors
/// A document over [`MAX_STATE_DOCUMENT_BYTES`].
pub fn check_state_document(document: &Value) -> Result<(), StateError> {
    let bytes = compact_length(document);
    if bytes > MAX_STATE_DOCUMENT_BYTES {
        return Err(StateError::Document { bytes, limit: MAX_STATE_DOCUMENT_BYTES });
    }
    Ok(())
}

/// Bytes of a document as compact JSON.
pub fn compact_length(value: &Value) -> usize {
    struct Length(usize);
    impl Sink for Length {
        fn put(&mut self, bytes: &[u8]) {
            self.0 += bytes.len();
        }
    }
    let mut length = Length(0);
    write_compact(value, &mut length);
    length.0
}
