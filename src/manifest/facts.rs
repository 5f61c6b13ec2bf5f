//! What one recorded answer shows about the path that it answers: the scalars of its entity or of its items, its kind,
//! its members. Computed once for an answer; the template rules only look things up here.

use super::limits::{MAX_EVIDENCE_MEMBERS, MAX_SCALAR_BYTES};
use crate::json::{Object, Value};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A member name, interned.
pub(super) type Member = u32;

/// The names of members, each with a number. Nested members are written `owner.login`; the key of an object that is a
/// list keyed by identity, and a scalar item of an array, have the empty name.
#[derive(Debug, Default)]
pub(super) struct Members {
    numbers: HashMap<Arc<str>, Member>,
    names: Vec<Arc<str>>,
    /// Numbers of nested members by the outer member and the inner name, so that a known one costs no text.
    nested: HashMap<Member, HashMap<Arc<str>, Member>>,
}

impl Members {
    fn intern(&mut self, name: &str) -> Member {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as Member;
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    fn intern_nested(&mut self, outer: Member, inner: &str) -> Member {
        if let Some(number) = self.nested.get(&outer).and_then(|held| held.get(inner)) {
            return *number;
        }
        let number = self.intern(&format!("{}.{inner}", self.name(outer)));
        self.nested.entry(outer).or_default().insert(inner.into(), number);
        number
    }

    /// The name of a member.
    pub fn name(&self, member: Member) -> &str {
        self.names.get(member as usize).map_or("", |name| name)
    }

    /// Whether the member names its entity from within a part that only holds the entity's own members.
    pub fn is_wrapped_name(&self, member: Member) -> bool {
        self.name(member).split_once('.').is_some_and(|(outer, inner)| is_wrapper(outer) && names_entity(inner))
    }

    /// Whether the member says what sort of thing an entity is (`type`, `kind`) rather than which one.
    pub fn is_discriminator(&self, member: Member) -> bool {
        let name = last_part(self.name(member)).trim_start_matches(['_', '@', '$']).to_ascii_lowercase();
        matches!(
            name.as_str(),
            "type" | "kind" | "object" | "class" | "resource" | "model" | "taxonomy" | "typename" | "category_type"
        ) || name.ends_with("_type")
            || name.ends_with("_kind")
    }
}

/// Whether an object member only holds its owner's own members.
pub(super) fn is_wrapper(name: &str) -> bool {
    matches!(
        name,
        "metadata" | "attributes" | "data" | "fields" | "properties" | "info" | "_source" | "spec" | "meta" | "model"
    )
}

/// The part of a nested member name after the last point.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The kinds of answer that templating tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// An object that is one entity or document.
    Entity,
    /// A list of entities (also one that is empty), in an envelope or not.
    List,
    /// An object without members: nothing is known of it.
    Empty,
    /// A scalar.
    Scalar,
    /// Text that is not JSON.
    Text,
    /// No body.
    Nothing,
}

/// What one answer shows.
#[derive(Debug)]
pub(super) struct Facts {
    /// The kind of answer.
    pub kind: Kind,
    /// Direct member names of the entity, or of all items of the list; ascending.
    pub members: Vec<Member>,
    /// Whether the entity has a member that names it among its like (`id`, `slug`, `experiment_id`).
    pub has_identity: bool,
    /// Digest of the scalars that name the entity.
    pub identity: u64,
    /// Number of items.
    pub items: usize,
    /// Direct scalars, of the entity or of all items: digest of the text and member; ascending, one for each item.
    direct: Vec<(u64, Member)>,
    /// Scalars of nested objects, likewise.
    nested: Vec<(u64, Member)>,
}

/// The digest under which a text is looked up.
pub(super) fn text_digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Facts {
    /// The facts of an answer without a JSON body.
    pub fn bare(kind: Kind) -> Self {
        Self {
            kind,
            members: Vec::new(),
            has_identity: false,
            identity: 0,
            items: 0,
            direct: Vec::new(),
            nested: Vec::new(),
        }
    }

    /// The facts of a JSON body.
    pub fn of(body: &Value, members: &mut Members) -> Self {
        let mut facts = match body.plain() {
            Value::Object(object) if object.is_empty() => return Self::bare(Kind::Empty),
            Value::Object(_) | Value::Array(_) => match find_list(body, 0) {
                Some(Listed::Array(items)) => Self::of_list(items, members),
                Some(Listed::Keyed(object)) => Self::of_keyed(object, members),
                None => Self::of_entity(unwrap_entity(body), members),
            },
            Value::String(_)
            | Value::Number(_)
            | Value::Bool(_)
            | Value::Null
            | Value::Shared(_)
            | Value::Rendered(_) => Self::bare(Kind::Scalar),
        };
        facts.members.sort_unstable();
        facts.members.dedup();
        facts.direct.sort_unstable();
        facts.nested.sort_unstable();
        facts
    }

    fn of_list(items: &[Value], members: &mut Members) -> Self {
        let mut facts = Self::bare(Kind::List);
        facts.items = items.len();
        for item in items {
            match item.as_object() {
                Some(object) => facts.take(object, members),
                None => facts.scalar("", item, members),
            }
        }
        if let [only] = items
            && let Some(object) = only.as_object()
        {
            facts.name_entity(object);
        }
        facts
    }

    fn of_keyed(object: &Object, members: &mut Members) -> Self {
        let mut facts = Self::bare(Kind::List);
        facts.items = object.len();
        let key = members.intern("");
        for (name, item) in object {
            facts.direct.push((text_digest(&name.to_display()), key));
            if let Some(object) = item.as_object() {
                facts.take(object, members);
            }
        }
        facts
    }

    fn of_entity(entity: &Value, members: &mut Members) -> Self {
        let mut facts = Self::bare(Kind::Entity);
        if let Some(object) = entity.as_object() {
            facts.take(object, members);
            facts.name_entity(object);
        }
        facts
    }

    fn name_entity(&mut self, object: &Object) {
        let mut hasher = DefaultHasher::new();
        for (name, value) in object.iter().take(MAX_EVIDENCE_MEMBERS) {
            if names_entity(&name.to_display()) && is_scalar(value) {
                self.has_identity = true;
                name.hash(&mut hasher);
                value.hash(&mut hasher);
            }
        }
        self.identity = hasher.finish();
    }

    fn take(&mut self, object: &Object, members: &mut Members) {
        for (name, value) in object.iter().take(MAX_EVIDENCE_MEMBERS) {
            let name = name.to_display();
            let member = members.intern(&name);
            self.members.push(member);
            match value.as_object() {
                Some(inner) => {
                    for (inner_name, value) in inner.iter().take(MAX_EVIDENCE_MEMBERS) {
                        if let Some(digest) = scalar_digest(value) {
                            let inner = members.intern_nested(member, &inner_name.to_display());
                            self.nested.push((digest, inner));
                        }
                    }
                }
                None => {
                    if let Some(digest) = scalar_digest(value) {
                        self.direct.push((digest, member));
                    }
                }
            }
        }
    }

    fn scalar(&mut self, name: &str, value: &Value, members: &mut Members) {
        if let Some(digest) = scalar_digest(value) {
            self.direct.push((digest, members.intern(name)));
        }
    }

    /// The direct members whose scalar has this digest; in a list each item counts once.
    pub fn with_text(&self, digest: u64) -> impl Iterator<Item = Member> + '_ {
        equal_range(&self.direct, digest)
    }

    /// The same for members of nested objects.
    pub fn nested_with_text(&self, digest: u64) -> impl Iterator<Item = Member> + '_ {
        equal_range(&self.nested, digest)
    }

    /// The direct members that have this text in every item of a list that is not empty.
    pub fn common_with_text(&self, digest: u64) -> Vec<Member> {
        self.common(self.with_text(digest))
    }

    /// The same for members of nested objects.
    pub fn nested_common_with_text(&self, digest: u64) -> Vec<Member> {
        self.common(self.nested_with_text(digest))
    }

    fn common(&self, held: impl Iterator<Item = Member>) -> Vec<Member> {
        let mut found = Vec::new();
        let mut count = 0;
        let mut last = None;
        for member in held {
            count = if last == Some(member) { count + 1 } else { 1 };
            last = Some(member);
            if count == self.items {
                found.push(member);
            }
        }
        found
    }

    /// Whether two answers have the same shape: the same kind and nearly the same direct members.
    pub fn resembles(&self, other: &Self) -> bool {
        self.kind == other.kind && overlap(&self.members, &other.members) >= 0.8
    }

    /// Whether two answers show things of two kinds: each has members that the other lacks, and they share few.
    pub fn is_another_kind(&self, other: &Self) -> bool {
        let lacks =
            |one: &Self, other: &Self| one.members.iter().any(|member| other.members.binary_search(member).is_err());
        self.similarity(other) <= 0.6 && lacks(self, other) && lacks(other, self)
    }

    /// How many of the direct members both have, from 0 to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        overlap(&self.members, &other.members)
    }
}

fn equal_range(sorted: &[(u64, Member)], digest: u64) -> impl Iterator<Item = Member> + '_ {
    let start = sorted.partition_point(|(held, _)| *held < digest);
    sorted.iter().skip(start).take_while(move |(held, _)| *held == digest).map(|(_, member)| *member)
}

fn overlap(a: &[Member], b: &[Member]) -> f64 {
    if a.is_empty() && b.is_empty() {
        return 0.0;
    }
    let shared = a.iter().filter(|member| b.binary_search(member).is_ok()).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}

fn is_scalar(value: &Value) -> bool {
    matches!(value.plain(), Value::String(_) | Value::Number(_))
}

fn scalar_digest(value: &Value) -> Option<u64> {
    match value.plain() {
        Value::String(text) if !text.as_bytes().is_empty() && text.as_bytes().len() <= MAX_SCALAR_BYTES => {
            Some(text_digest(&text.to_display()))
        }
        Value::Number(number) => Some(text_digest(number.as_str())),
        _ => None,
    }
}

/// Whether a member name says which entity this is.
pub(super) fn names_entity(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "id" | "_id" | "uid" | "uuid" | "guid" | "slug" | "key" | "name" | "code" | "login" | "username" | "handle"
    ) || name.ends_with("_id")
        || name.ends_with("Id")
        || name.ends_with("ID")
        || lower.ends_with("_uuid")
        || lower.ends_with("_key")
}

enum Listed<'a> {
    Array(&'a [Value]),
    Keyed(&'a Object),
}

/// The list of an answer: the root array, or the one array of objects that an envelope carries (an envelope may lie in
/// another one), or an object whose members are all objects of one shape. An object that names an entity is no envelope.
fn find_list(value: &Value, depth: usize) -> Option<Listed<'_>> {
    if let Some(items) = value.as_array() {
        return Some(Listed::Array(items));
    }
    let object = value.as_object()?;
    if object
        .iter()
        .take(MAX_EVIDENCE_MEMBERS)
        .any(|(name, value)| names_entity(&name.to_display()) && is_scalar(value))
    {
        return None;
    }
    let mut arrays = object.iter().filter_map(|(_, value)| value.as_array());
    let of_objects = |items: &&[Value]| items.first().is_some_and(|item| item.as_object().is_some());
    let mut lists = arrays.clone().filter(of_objects);
    if let Some(list) = lists.next() {
        return lists.next().is_none().then_some(Listed::Array(list));
    }
    if is_keyed(object) {
        return Some(Listed::Keyed(object));
    }
    if depth < 1 {
        let mut inner = object.iter().map(|(_, value)| value).filter(|value| value.as_object().is_some());
        if let (Some(only), None) = (inner.next(), inner.next())
            && let Some(list) = find_list(only, depth + 1)
        {
            return Some(list);
        }
    }
    let first = arrays.next()?;
    (arrays.next().is_none() && first.is_empty()).then_some(Listed::Array(first))
}

fn is_keyed(object: &Object) -> bool {
    let mut values = object.iter().map(|(_, value)| value.as_object());
    let Some(Some(first)) = values.next() else {
        return false;
    };
    let mut rest = values.peekable();
    first.len() >= 2
        && rest.peek().is_some()
        && rest.all(|other| {
            other.is_some_and(|other| {
                let shared = first.iter().filter(|(name, _)| name.as_str().is_some_and(|n| other.contains(n))).count();
                shared * 2 > first.len().max(other.len())
            })
        })
}

/// The entity of an answer: what is left after envelopes with exactly one object that names something.
fn unwrap_entity(body: &Value) -> &Value {
    let mut entity = body;
    for _ in 0..3 {
        let Some(object) = entity.as_object() else {
            return entity;
        };
        let named = |object: &Object| {
            object
                .iter()
                .take(MAX_EVIDENCE_MEMBERS)
                .any(|(name, value)| names_entity(&name.to_display()) && is_scalar(value))
        };
        if named(object) {
            return entity;
        }
        let mut inner = object.iter().map(|(_, value)| value).filter(|value| value.as_object().is_some());
        let only = match (inner.next(), inner.next()) {
            (Some(only), None) => Some(only),
            _ if object.len() <= 4 => {
                let mut named_inner =
                    object.iter().map(|(_, value)| value).filter(|value| value.as_object().is_some_and(named));
                match (named_inner.next(), named_inner.next()) {
                    (Some(only), None) => Some(only),
                    _ => None,
                }
            }
            _ => None,
        };
        match only {
            Some(only) if object.len() <= 4 => entity = only,
            _ => return entity,
        }
    }
    entity
}
