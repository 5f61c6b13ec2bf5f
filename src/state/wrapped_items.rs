//! Lists whose items wrap the entities that other reads show bare (`{"_id": "7", "_source": {"id": 7, …}}`, `{"node": {…}}`).
//! What is around an entity says nothing that is not in it: the state is derived as if the list showed the entities alone,
//! and an answer is wrapped again at the very end. Knows nothing of views and writes.

use super::derived::Derived;
use super::entity::{IDENTITY_NAMES, at_place, entity_at, listed_at};
use super::envelope::set_at;
use super::line::scalar_text;
use super::observe::Observed;
use super::types::{Place, Shape};
use crate::capture::is_success;
use crate::json::{Object, Value};
use crate::manifest::Manifest;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How the items of a list wrap its entities.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wrap {
    /// Where the list is.
    place: Place,
    /// The members of an item, in their order.
    members: Vec<(Box<str>, Part)>,
}

/// What a member of a wrapping item is.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// The entity.
    Entity,
    /// One constant.
    Fixed(Value),
    /// A member of the entity.
    Copy(Box<str>),
    /// The text of one.
    Text(Box<str>),
}

/// Entities that both a wrapping list and a bare answer have to show.
const MIN_SHOWN: usize = 2;
/// Members that both have to show of each, the identity among them.
const MIN_SHARED: usize = 2;

/// The entities that a tool shows bare, by the member that tells them apart and its text.
type Bare<'a> = HashMap<(&'static str, String), &'a Value>;

/// The wrapping lists of a capture, by tool.
pub(super) fn find_wraps(manifest: &Manifest, shapes: &[Shape], observed: &Observed) -> BTreeMap<usize, Wrap> {
    let written = |index: &usize| {
        let seen = &observed.seen[*index];
        seen.wrote(manifest)
    };
    let first = (0..observed.seen.len()).find(written).unwrap_or(observed.seen.len());
    let mut found = BTreeMap::new();
    let mut bare: Option<BTreeMap<usize, Bare<'_>>> = None;
    for (tool, shape) in shapes.iter().enumerate() {
        let Shape::List { place, keyed: false } = shape else { continue };
        let indexes = observed.by_tool.get(tool).into_iter().flatten().copied();
        let indexes: Vec<usize> = indexes.filter(|index| is_success(observed.seen[*index].status)).collect();
        let items = |until: usize| -> Vec<&Value> {
            let bodies = indexes.iter().filter(|index| **index < until);
            let bodies = bodies.filter_map(|index| observed.seen[*index].body.as_deref());
            bodies.flat_map(|body| listed_at(body, place, false)).map(|(_, item)| item).collect()
        };
        let (all, early) = (items(usize::MAX), items(first));
        let Some(member) = all.first().and_then(|item| only_object(item)) else { continue };
        if all.iter().any(|item| only_object(item) != Some(member)) {
            continue;
        }
        let inner: Vec<&Value> = early.iter().filter_map(|item| item.get(member)).collect();
        let bare = bare.get_or_insert_with(|| shown_bare(shapes, observed, first));
        if !bare.iter().any(|(other, bare)| *other != tool && is_shown_bare(&inner, bare)) {
            continue;
        }
        if let Some(members) = parts(&all, member) {
            found.insert(tool, Wrap { place: place.clone(), members });
        }
    }
    found
}

/// The name of the only member of an item that is an object, where the others are scalars.
fn only_object(item: &Value) -> Option<&str> {
    let object = item.as_object()?;
    let mut objects = object.iter().filter(|(_, value)| value.as_object().is_some());
    let (name, _) = objects.next()?;
    let plain = |(_, value): &(_, Value)| value.as_object().is_some() || value.as_array().is_none();
    (objects.next().is_none() && object.iter().all(plain)).then(|| name.as_str())?
}

/// What lists and items show bare before a call, by tool.
fn shown_bare<'a>(shapes: &[Shape], observed: &'a Observed, before: usize) -> BTreeMap<usize, Bare<'a>> {
    let mut found: BTreeMap<usize, Bare<'a>> = BTreeMap::new();
    for seen in observed.seen.iter().take(before).filter(|seen| is_success(seen.status)) {
        let Some(body) = seen.body.as_deref() else { continue };
        let shown: Vec<&Value> = match &shapes[seen.tool] {
            Shape::List { place, keyed: false } => {
                listed_at(body, place, false).into_iter().map(|(_, item)| item).collect()
            }
            Shape::Item { place, one_element, .. } => entity_at(body, place, *one_element).into_iter().collect(),
            _ => continue,
        };
        for entity in shown {
            for name in IDENTITY_NAMES {
                if let Some(id) = entity.get(name).and_then(scalar_text) {
                    found.entry(seen.tool).or_default().entry((name, id)).or_insert(entity);
                }
            }
        }
    }
    found
}

/// Whether what is wrapped is what another tool shows bare: all of it that has an identity of theirs agrees.
fn is_shown_bare(inner: &[&Value], bare: &Bare<'_>) -> bool {
    let Some(name) = IDENTITY_NAMES
        .into_iter()
        .find(|name| !inner.is_empty() && inner.iter().all(|entity| entity.get(name).and_then(scalar_text).is_some()))
    else {
        return false;
    };
    let mut agreeing: BTreeMap<String, bool> = BTreeMap::new();
    for entity in inner {
        let Some(id) = entity.get(name).and_then(scalar_text) else { return false };
        let Some(other) = bare.get(&(name, id.clone())) else { continue };
        let shared = entity.as_object().into_iter().flatten();
        let shared: Vec<bool> =
            shared.filter_map(|(name, value)| Some(other.get(name.as_str()?)?.same_as(value))).collect();
        agreeing.insert(id, shared.len() >= MIN_SHARED && shared.iter().all(|same| *same));
    }
    agreeing.len() >= MIN_SHOWN && agreeing.values().all(|agrees| *agrees)
}

/// What the members of all items are; `None` where one of them says what is not in the entity.
fn parts(items: &[&Value], wrapping: &str) -> Option<Vec<(Box<str>, Part)>> {
    let first = items.first()?.as_object()?;
    let same_names = |item: &&Value| {
        item.as_object().is_some_and(|object| {
            object.len() == first.len() && object.iter().zip(first.iter()).all(|((name, _), (other, _))| name == other)
        })
    };
    if !items.iter().all(same_names) {
        return None;
    }
    let part = |name: &str, value: &Value| -> Option<Part> {
        if name == wrapping {
            return Some(Part::Entity);
        }
        if items.iter().all(|item| item.get(name).is_some_and(|other| other.same_as(value))) {
            return Some(Part::Fixed(value.clone()));
        }
        let inner = items.first()?.get(wrapping)?.as_object()?;
        let candidates = inner.iter().filter_map(|(held, _)| Some(Box::from(held.as_str()?)));
        let candidates = candidates.flat_map(|held: Box<str>| [Part::Copy(held.clone()), Part::Text(held)]);
        let fits = |part: &Part| {
            items.iter().all(|item| {
                let made = item.get(wrapping).and_then(|entity| part.of(entity));
                made.zip(item.get(name)).is_some_and(|(made, shown)| made.same_as(shown))
            })
        };
        candidates.into_iter().find(fits)
    };
    first.iter().map(|(name, value)| Some((name.as_str()?.into(), part(name.as_str()?, value)?))).collect()
}

impl Part {
    fn of(&self, entity: &Value) -> Option<Value> {
        match self {
            Self::Entity => Some(entity.clone()),
            Self::Fixed(value) => Some(value.clone()),
            Self::Copy(name) => entity.get(name).cloned(),
            Self::Text(name) => entity.get(name).and_then(scalar_text).map(Value::from),
        }
    }
}

impl Wrap {
    fn around(&self, entity: &Value) -> Option<Value> {
        let members = self.members.iter().map(|(name, part)| Some((name.as_ref().into(), part.of(entity)?)));
        Some(Value::Object(members.collect::<Option<Object>>()?))
    }

    /// A list's answer with its entities wrapped; `None` where one of them lacks what is around it.
    pub(super) fn wrapped(&self, mut body: Value) -> Option<Value> {
        let list: Value = match at_place(&body, &self.place).and_then(Value::as_array) {
            Some(items) => items.iter().map(|entity| self.around(entity)).collect::<Option<Value>>()?,
            None => return Some(body),
        };
        set_at(&mut body, &self.place, Some(list));
        Some(body)
    }

    fn bare(&self, body: &Value) -> Option<Value> {
        let (member, _) = self.members.iter().find(|(_, part)| *part == Part::Entity)?;
        let items = at_place(body, &self.place)?.as_array()?;
        let list: Value = items.iter().filter_map(|item| item.get(member).cloned()).collect();
        let mut body = body.clone();
        set_at(&mut body, &self.place, Some(list));
        Some(body)
    }
}

/// The calls as they would be if lists showed their entities alone.
pub(super) fn unwrapped(observed: &Observed, wraps: &BTreeMap<usize, Wrap>) -> Observed {
    let mut bare = observed.clone();
    for seen in bare.seen.iter_mut().filter(|seen| is_success(seen.status)) {
        let Some(wrap) = wraps.get(&seen.tool) else { continue };
        if let Some(body) = seen.body.as_deref().and_then(|body| wrap.bare(body)) {
            seen.body = Some(Arc::new(body));
        }
    }
    bare
}

impl Derived {
    /// A list's answer as the tool gives it.
    pub(super) fn wrapped(&self, tool: usize, body: Value) -> Result<Value, &'static str> {
        match self.wraps.get(&tool) {
            Some(wrap) => wrap.wrapped(body).ok_or("incomplete-entity"),
            None => Ok(body),
        }
    }
}
