//! What is worked out from an entity once and read often: the value that queries see, and how representations show it.
//! A memo never decides anything: an entity without one answers the same.

use super::store::Entity;
use crate::json::{Object, Text, Value};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// How a representation shows an entity, or why it cannot.
pub type Shown = Result<Value, &'static str>;

/// The memo of one entity value. A copy begins empty, since copies are made to be changed.
#[derive(Default)]
pub struct Memo {
    /// `None` where queries see just the stored fields.
    whole: OnceLock<Option<Arc<Value>>>,
    /// All values as one object; `None` where the stored fields are all.
    merged: OnceLock<Option<Arc<Value>>>,
    /// By the representation's place among those of its type.
    shown: OnceLock<Box<[OnceLock<Shown>]>>,
}

impl Clone for Memo {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// All memos are equal: they say nothing that the entity does not.
impl PartialEq for Memo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("_")
    }
}

impl Entity {
    /// The value that filters, searches and orders see: the stored fields, then members that only views show.
    pub fn whole(&self) -> &Arc<Value> {
        self.memo.whole.get_or_init(|| merged(self)).as_ref().unwrap_or(&self.fields)
    }

    /// All values as one object, where `make` makes one of more than the stored fields.
    pub(super) fn merged(&self, make: impl FnOnce() -> Option<Value>) -> Value {
        let made = self.memo.merged.get_or_init(|| make().map(Arc::new));
        Value::Shared(Arc::clone(made.as_ref().unwrap_or(&self.fields)))
    }

    /// How the representation at a place of its type's `count` shows the entity; `make` works it out the first time.
    pub fn shown(&self, place: usize, count: usize, make: impl FnOnce() -> Shown) -> Shown {
        let all = self.memo.shown.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        match all.get(place) {
            Some(slot) => slot.get_or_init(|| make().map(Value::into_rendered)).clone(),
            None => make(),
        }
    }
}

/// The stored fields with the members that only views show; `None` when there is none.
fn merged(entity: &Entity) -> Option<Arc<Value>> {
    let shown = entity.view_fields.iter().flat_map(|(_, fields)| fields.iter());
    let more: Vec<&(Text, Value)> =
        shown.filter(|(name, _)| name.as_str().is_some_and(|name| entity.fields.get(name).is_none())).collect();
    if more.is_empty() {
        return None;
    }
    let mut merged: Object = entity.fields.as_object().cloned().unwrap_or_default();
    for (name, value) in more {
        if name.as_str().is_some_and(|name| !merged.contains(name)) {
            merged.push(name.clone(), value.clone());
        }
    }
    Some(Arc::new(Value::Object(merged)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity() -> Entity {
        Entity {
            view_fields: vec![
                (3, Arc::new(Object::new().with("a", 9u64).with("b", 2u64))),
                (5, Arc::new(Object::new().with("b", 3u64).with("c", 4u64))),
            ],
            ..Entity::new("/x", "1", Value::Object(Object::new().with("a", 1u64)))
        }
    }

    #[test]
    fn queries_see_what_views_show_beside_the_fields() {
        assert_eq!(entity().whole().to_compact(), r#"{"a":1,"b":2,"c":4}"#);
        let plain = Entity { view_fields: Vec::new(), ..entity() };
        assert!(Arc::ptr_eq(plain.whole(), &plain.fields));
    }

    #[test]
    fn a_changed_copy_forgets_what_was_worked_out() {
        let one = entity();
        assert_eq!(one.shown(0, 1, || Ok(Value::from("first"))), Ok(Value::from("first")));
        assert_eq!(one.shown(0, 1, || Ok(Value::from("second"))), Ok(Value::from("first")));
        assert_eq!(one.shown(1, 1, || Err("no place")), Err("no place"));
        one.whole();
        let other = Entity { fields: Arc::new(Value::Object(Object::new().with("a", 7u64))), ..one.clone() };
        assert_eq!(other.shown(0, 1, || Ok(Value::from("second"))), Ok(Value::from("second")));
        assert_eq!(other.whole().to_compact(), r#"{"a":7,"b":2,"c":4}"#);
    }
}
