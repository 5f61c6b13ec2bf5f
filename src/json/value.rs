//! The document: a value and its objects. Nothing here parses or writes.

use super::write::write_compact;
use super::{Number, Text};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A JSON object: members in document order. Lookup is linear; keep an index beside it where objects are large and
/// looked up often. A parsed object never holds a name twice (see [`super::ParseOptions`]).
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Object {
    members: Vec<(Text, Value)>,
}

impl Object {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The value of the member called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The value of the member called `name`, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.members.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Whether a member called `name` exists.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a member: in place when it exists, at the end otherwise. Returns the value it had.
    pub fn set(&mut self, name: impl Into<Text>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        match self.members.iter_mut().find(|(key, _)| *key == name) {
            Some((_, held)) => Some(std::mem::replace(held, value)),
            None => {
                self.members.push((name, value));
                None
            }
        }
    }

    /// Appends a member without looking for one of that name: the caller knows that there is none.
    pub fn push(&mut self, name: impl Into<Text>, value: impl Into<Value>) {
        self.members.push((name.into(), value.into()));
    }

    /// `push` for building literals: `Object::new().with("a", 1).with("b", "x")`.
    #[must_use]
    pub fn with(mut self, name: impl Into<Text>, value: impl Into<Value>) -> Self {
        self.push(name, value);
        self
    }

    /// Removes a member, keeping the order of the others.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let index = self.members.iter().position(|(key, _)| key == name)?;
        Some(self.members.remove(index).1)
    }

    /// Structural equality, as [`Value::same_as`] of two objects.
    pub fn same_as(&self, other: &Object) -> bool {
        self.len() == other.len() && same_members(self, other)
    }

    /// Members in document order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Text, Value)> {
        self.members.iter()
    }

    /// Members in document order, to change.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, (Text, Value)> {
        self.members.iter_mut()
    }
}

impl IntoIterator for Object {
    type Item = (Text, Value);
    type IntoIter = std::vec::IntoIter<(Text, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a (Text, Value);
    type IntoIter = std::slice::Iter<'a, (Text, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.members.iter()
    }
}

impl FromIterator<(Text, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (Text, Value)>>(members: I) -> Self {
        Self { members: members.into_iter().collect() }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.members.iter().map(|(key, value)| (key, value))).finish()
    }
}

/// One JSON value. Equality is literal: number text, member order and all. Structural equality that ignores member
/// order and number spelling is [`Value::same_as`].
///
/// A subtree may be shared ([`Value::Shared`]): cloning it is a reference count, so that state answers and bodies are
/// never copied to be held twice. Readers use the accessors below, which look through the sharing.
#[derive(Clone, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as it was spelled.
    Number(Number),
    /// A text.
    String(Text),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
    /// A value held in several places. Never nested directly in another `Shared`.
    Shared(Arc<Value>),
    /// The same, for a value that is written often: it is printed once.
    Rendered(Arc<Rendered>),
}

/// A value with its compact print, which is made when it is first asked for.
#[derive(Default)]
pub struct Rendered {
    value: Value,
    compact: OnceLock<Box<[u8]>>,
}

impl Rendered {
    /// The value, not printed yet.
    pub fn new(value: Value) -> Self {
        Self { value, compact: OnceLock::new() }
    }

    /// The value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Its print, as [`super::write_compact`] writes it.
    pub fn compact(&self) -> &[u8] {
        self.compact.get_or_init(|| {
            let mut out = Vec::new();
            write_compact(&self.value, &mut out);
            out.into()
        })
    }
}

impl Value {
    /// The value itself, looking through sharing. Match on this, not on `self`.
    pub fn plain(&self) -> &Value {
        match self {
            Value::Shared(inner) => inner.plain(),
            Value::Rendered(inner) => inner.value.plain(),
            other => other,
        }
    }

    /// The value with its own top level, copied out of sharing when needed.
    pub fn plain_mut(&mut self) -> &mut Value {
        if let Value::Shared(inner) = self {
            let owned = std::mem::take(Arc::make_mut(inner));
            *self = owned;
            return self.plain_mut();
        }
        if let Value::Rendered(_) = self {
            *self = std::mem::take(self).into_plain();
        }
        self
    }

    /// The value with its own top level, taken out of sharing (copied when it is held elsewhere too).
    #[must_use]
    pub fn into_plain(self) -> Value {
        match self {
            Value::Shared(inner) => Arc::try_unwrap(inner).unwrap_or_else(|held| Value::clone(&held)).into_plain(),
            Value::Rendered(inner) => match Arc::try_unwrap(inner) {
                Ok(only) => only.value,
                Err(held) => held.value.clone(),
            }
            .into_plain(),
            other => other,
        }
    }

    /// The same value, shared: later clones are reference counts.
    #[must_use]
    pub fn into_shared(self) -> Value {
        match self {
            Value::Array(_) | Value::Object(_) | Value::String(_) => Value::Shared(Arc::new(self)),
            other => other,
        }
    }

    /// The same value, shared, and printed once however often it is written.
    #[must_use]
    pub fn into_rendered(self) -> Value {
        Value::Rendered(Arc::new(Rendered::new(self)))
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.plain(), Value::Null)
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.plain() {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<&Number> {
        match self.plain() {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&Text> {
        match self.plain() {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The text as `str`, if this is a text without unpaired surrogates.
    pub fn as_str(&self) -> Option<&str> {
        self.as_text().and_then(Text::as_str)
    }

    /// The items, if this is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self.plain() {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self.plain() {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The items to change, if this is an array (copied out of sharing).
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self.plain_mut() {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members to change, if this is an object (copied out of sharing).
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self.plain_mut() {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Member `name` of an object.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object().and_then(|object| object.get(name))
    }

    /// The JSON type word: `null`, `boolean`, `number`, `string`, `array`, `object`.
    pub fn type_name(&self) -> &'static str {
        match self.plain() {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) | Value::Shared(_) | Value::Rendered(_) => "object",
        }
    }

    /// Structural equality: member order does not matter, numbers compare by [`Number::same_as`].
    pub fn same_as(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Shared(a), Value::Shared(b)) if Arc::ptr_eq(a, b) => return true,
            (Value::Rendered(a), Value::Rendered(b)) if Arc::ptr_eq(a, b) => return true,
            _ => {}
        }
        match (self.plain(), other.plain()) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a.same_as(b),
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_as(b)),
            (Value::Object(a), Value::Object(b)) => a.same_as(b),
            _ => false,
        }
    }
}

/// Whether two objects of the same size hold the same members, in any order.
fn same_members(a: &Object, b: &Object) -> bool {
    if a.iter().zip(b).all(|((name, _), (other, _))| name == other) {
        return a.iter().zip(b).all(|((_, value), (_, other))| value.same_as(other));
    }
    let (a, b) = (by_name(a), by_name(b));
    a.iter().zip(&b).all(|((name, value), (other_name, other))| name == other_name && value.same_as(other))
}

/// Members ordered by the bytes of their names.
fn by_name(object: &Object) -> Vec<&(Text, Value)> {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_by(|(a, _), (b, _)| a.as_bytes().cmp(b.as_bytes()));
    members
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self.plain(), other.plain()) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a == b,
            (Value::Object(a), Value::Object(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let plain = self.plain();
        plain.type_name().hash(state);
        match plain {
            Value::Bool(value) => value.hash(state),
            Value::Number(number) => number.hash(state),
            Value::String(text) => text.hash(state),
            Value::Array(items) => items.hash(state),
            Value::Object(object) => object.hash(state),
            Value::Null | Value::Shared(_) | Value::Rendered(_) => {}
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plain() {
            Value::Null | Value::Shared(_) | Value::Rendered(_) => f.write_str("null"),
            Value::Bool(value) => fmt::Debug::fmt(value, f),
            Value::Number(number) => f.write_str(number.as_str()),
            Value::String(text) => fmt::Debug::fmt(text, f),
            Value::Array(items) => f.debug_list().entries(items).finish(),
            Value::Object(object) => fmt::Debug::fmt(object, f),
        }
    }
}

macro_rules! value_from {
    ($($from:ty => |$name:ident| $to:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($name: $from) -> Self {
                $to
            }
        })*
    };
}

value_from! {
    bool => |value| Value::Bool(value);
    &str => |value| Value::String(value.into());
    String => |value| Value::String(value.into());
    &String => |value| Value::String(value.as_str().into());
    Text => |value| Value::String(value);
    Number => |value| Value::Number(value);
    Object => |value| Value::Object(value);
    Vec<Value> => |value| Value::Array(value);
    u64 => |value| Value::Number(value.into());
    i64 => |value| Value::Number(value.into());
    usize => |value| Value::Number((value as u64).into());
    u32 => |value| Value::Number(u64::from(value).into());
    u16 => |value| Value::Number(u64::from(value).into());
    i32 => |value| Value::Number(i64::from(value).into());
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Value::Array(items.into_iter().collect())
    }
}
