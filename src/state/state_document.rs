//! What a state holds, as documents: types, entities and documents, each in the shape that the state view, `data/get`
//! and `data/add` share. How reads are rendered from it is in `plan_document.rs`.

use super::derived::Derived;
use super::error::StateError;
use super::limits::{MAX_STATE_DOCUMENT_BYTES, MAX_STATE_DOCUMENT_DEPTH};
use super::store::{Document, Entity, World};
use super::types::EntityType;
use crate::json::{Object, Sink, Value, write_compact, write_compact_object};
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

/// One entity: `{type, collection, id, fields, view_fields?, shown_in, record_ordinals}`. `shown_in` names the
/// representations that showed it: a member that one of them has and the entity does not was left out there, and is not
/// merely unknown, so a loaded entity is rendered as the recorded one. `made?` says whether a write made it, where its
/// address does not: what has the address of a recorded entity is that one, and what has another is new.
/// `cited` are the records that its values are from.
pub fn entity_document(
    derived: &Derived,
    manifest: &Manifest,
    (index, kind): (usize, &EntityType),
    entity: &Entity,
    cited: &[usize],
) -> Object {
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
    let document = document
        .with("shown_in", shown_in.into_iter().map(Value::from).collect::<Value>())
        .with("record_ordinals", cited.iter().map(|ordinal| Value::from(*ordinal)).collect::<Value>());
    match entity.made == is_made_at(derived, index, entity) {
        true => document,
        false => document.with("made", entity.made),
    }
}

/// Whether what has the address of an entity is new, as far as the address tells.
fn is_made_at(derived: &Derived, kind: usize, entity: &Entity) -> bool {
    let evidence = derived.world.collection(kind, &entity.collection).and_then(|held| held.get(&entity.id));
    evidence.is_none_or(|held| held.made)
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

/// All entities of a world: types in their order, the entities of each in state order, whatever their collection.
pub fn entities_document(derived: &Derived, manifest: &Manifest, world: &World) -> Value {
    let of_types = derived.types.iter().enumerate();
    of_types
        .flat_map(|(index, kind)| {
            let entities = world.in_order(index).into_iter();
            entities
                .map(move |held| entity_document(derived, manifest, (index, kind), held, &held.record_ordinals).into())
        })
        .collect()
}

/// All documents of a world, by tool and path.
pub fn documents_document(manifest: &Manifest, world: &World) -> Value {
    world
        .documents()
        .filter_map(|(tool, path, document)| document_document(manifest, tool, path, document).map(Value::from))
        .collect()
}

/// Writes the state document of a world, `{"rea_state": {version, state_evidence_id, types, entities, documents, removed?,
/// collections?}}`, entity by entity: the document is never held beside the world. `removed` names what writes made and
/// took away again, and `collections` what is known to be empty or was elsewhere at the start, where that is not known
/// otherwise.
pub fn write_state_document(
    derived: &Derived,
    manifest: &Manifest,
    world: &World,
    state_evidence_id: &str,
    sink: &mut impl Sink,
) {
    sink.put(b"{\"rea_state\":{\"version\":");
    write_compact(&Value::from(STATE_DOCUMENT_VERSION), sink);
    sink.put(b",\"state_evidence_id\":");
    write_compact(&Value::from(state_evidence_id), sink);
    sink.put(b",\"types\":");
    write_compact(&types_document(derived), sink);
    sink.put(b",\"entities\":[");
    let mut first = true;
    for (index, kind) in derived.types.iter().enumerate() {
        for entity in world.in_order(index) {
            if !std::mem::take(&mut first) {
                sink.put(b",");
            }
            let evidence = derived.world.collection(index, &entity.collection);
            let cited = cited_records(evidence.and_then(|held| held.get(&entity.id)), entity);
            write_compact_object(&entity_document(derived, manifest, (index, kind), entity, cited), sink);
        }
    }
    sink.put(b"],\"documents\":");
    let documents = world.documents().filter_map(|(tool, path, held)| {
        let cited = derived.world.document(tool, path).filter(|evidence| evidence.value.same_as(&held.value));
        let held =
            Document { value: Arc::clone(&held.value), record_ordinal: cited.and_then(|held| held.record_ordinal) };
        document_document(manifest, tool, path, &held).map(Value::from)
    });
    write_compact(&documents.collect(), sink);
    let removed = derived.removed_document(world);
    if !removed.is_empty() {
        sink.put(b",\"removed\":");
        write_compact(&Value::from(removed), sink);
    }
    let collections = derived.collections_document(world);
    if !collections.is_empty() {
        sink.put(b",\"collections\":");
        write_compact(&Value::from(collections), sink);
    }
    sink.put(b"}}");
}

/// The records that a held entity is from: those of the Evidence's, as long as it has the same values. A value that was
/// written or loaded is never presented as recorded.
fn cited_records<'e>(evidence: Option<&'e Arc<Entity>>, entity: &Arc<Entity>) -> &'e [usize] {
    match evidence {
        Some(evidence) if Arc::ptr_eq(evidence, entity) || evidence.same_values(entity) => &evidence.record_ordinals,
        _ => &[],
    }
}

/// The length of what [`write_state_document`] writes.
pub fn state_document_length(derived: &Derived, manifest: &Manifest, world: &World, state_evidence_id: &str) -> usize {
    let mut length = Length(0);
    write_state_document(derived, manifest, world, state_evidence_id, &mut length);
    length.0
}

/// Counts bytes.
struct Length(usize);

impl Sink for Length {
    fn put(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }
}

/// Checks that the state at the start is one that loads: not larger and not deeper than what an environment takes.
///
/// # Errors
/// A document over [`MAX_STATE_DOCUMENT_BYTES`] or [`MAX_STATE_DOCUMENT_DEPTH`].
pub fn check_state_document(derived: &Derived, manifest: &Manifest, state_evidence_id: &str) -> Result<(), StateError> {
    let bytes = state_document_length(derived, manifest, &derived.world, state_evidence_id);
    if bytes > MAX_STATE_DOCUMENT_BYTES {
        return Err(StateError::Document { bytes, limit: MAX_STATE_DOCUMENT_BYTES });
    }
    let entities = (0..derived.types.len()).flat_map(|kind| derived.world.collections(kind));
    let shown = entities.flat_map(|(_, collection)| collection.iter()).any(|entity| {
        // Below rea_state, entities, the entity and its member; view fields have one level more.
        depth(&entity.fields, 4) > MAX_STATE_DOCUMENT_DEPTH
            || entity
                .view_fields
                .iter()
                .flat_map(|(_, fields)| fields.iter())
                .any(|(_, value)| depth(value, 6) > MAX_STATE_DOCUMENT_DEPTH)
    });
    if shown || derived.world.documents().any(|(_, _, held)| depth(&held.value, 4) > MAX_STATE_DOCUMENT_DEPTH) {
        return Err(StateError::Depth { limit: MAX_STATE_DOCUMENT_DEPTH });
    }
    Ok(())
}

/// The level of the deepest container of a value under `above` levels.
fn depth(value: &Value, above: usize) -> usize {
    match value.plain() {
        Value::Array(items) => items.iter().map(|item| depth(item, above + 1)).max().unwrap_or(0).max(above + 1),
        Value::Object(object) => {
            object.iter().map(|(_, inner)| depth(inner, above + 1)).max().unwrap_or(0).max(above + 1)
        }
        _ => above,
    }
}

/// Bytes of a document as compact JSON.
pub fn compact_length(value: &Value) -> usize {
    let mut length = Length(0);
    write_compact(value, &mut length);
    length.0
}
