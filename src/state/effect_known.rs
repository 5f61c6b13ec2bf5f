//! What the search for effects knows of each entity, worked out once: all its values, and which texts are somewhere in
//! them. It asks for the same entities again and again, in every world in which something changed.

use super::effect_relation::Relation;
use super::slot::merged;
use super::store::Entity;
use crate::json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// One entity, with all its values and the sorted hashes of the texts in them.
struct Known {
    /// Held, so that no other takes its address.
    _entity: Arc<Entity>,
    values: Arc<Value>,
    texts: Box<[u64]>,
}

/// Entities by address.
#[derive(Default)]
pub(super) struct KnownEntities(RefCell<HashMap<usize, Known>>);

impl KnownEntities {
    fn with<R>(&self, entity: &Arc<Entity>, read: impl FnOnce(&Known) -> R) -> R {
        let mut held = self.0.borrow_mut();
        let known = held.entry(Arc::as_ptr(entity).addr()).or_insert_with(|| {
            let values = Arc::new(merged(entity));
            let mut texts = Vec::new();
            hashes(&values, &mut texts);
            texts.sort_unstable();
            texts.dedup();
            Known { _entity: Arc::clone(entity), values, texts: texts.into() }
        });
        read(known)
    }

    /// All values of an entity.
    pub(super) fn values(&self, entity: &Arc<Entity>) -> Arc<Value> {
        self.with(entity, |known| Arc::clone(&known.values))
    }

    /// Whether a scalar of an entity may have a text: true wherever one has.
    pub(super) fn may_hold(&self, entity: &Arc<Entity>, text: &str) -> bool {
        self.with(entity, |known| known.texts.binary_search(&hash(text)).is_ok())
    }

    /// Whether an entity may name another: true wherever it does.
    pub(super) fn may_name(&self, by: &Relation, entity: &Arc<Entity>, id: &str) -> bool {
        matches!(by, Relation::Segment(_)) || self.may_hold(entity, id)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The hashes of the texts of all scalars, spelled as [`super::line::scalar_text`] spells them.
fn hashes(value: &Value, into: &mut Vec<u64>) {
    match value.plain() {
        Value::Object(object) => object.iter().for_each(|(_, inner)| hashes(inner, into)),
        Value::Array(items) => items.iter().for_each(|item| hashes(item, into)),
        Value::Null => into.push(hash("null")),
        Value::Bool(value) => into.push(hash(if *value { "true" } else { "false" })),
        Value::Number(number) => into.push(hash(number.as_str())),
        Value::String(text) => into.extend(text.as_str().map(hash)),
        Value::Shared(_) | Value::Rendered(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::scalar_text;
    use super::super::path::scalar_paths;
    use super::*;

    #[test]
    fn every_scalar_is_known() {
        let text = br#"{"a":1,"b":[{"c":"x"},null,true],"d":{"e":{"f":1.50,"g":[false]}},"h":""}"#;
        let entity = Arc::new(Entity::new("/a", "1", crate::json::parse(text).unwrap()));
        let known = KnownEntities::default();
        let values = known.values(&entity);
        for path in scalar_paths(std::iter::once(values.as_ref())) {
            path.visit(&values, &mut |scalar| {
                assert!(known.may_hold(&entity, &scalar_text(scalar).unwrap()), "{}", path.spelling());
                true
            });
        }
        assert!(!known.may_hold(&entity, "y"));
        assert!(!known.may_name(&Relation::Member(Default::default()), &entity, "y"));
        assert!(known.may_name(&Relation::Segment(0), &entity, "y"));
    }
}
