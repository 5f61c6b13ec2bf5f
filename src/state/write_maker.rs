//! Makers: where a write's generated values come from. A served call makes them from the state's name and its count; a
//! replayed one takes what the recording shows.

use super::clock_format::ClockFormat;
use super::derived::Derived;
use super::generate::{Generator, SequenceScope, count_value, counted};
use super::line::scalar_text;
use super::member_rule::{Given, Makings, Miss};
use super::path::MemberPath;
use super::sequence_across::largest_of;
use super::slot::merged;
use super::store::{Entity, World};
use super::write_apply::Maker;
use crate::json::{Number, Value};
use std::sync::Arc;

/// Generated values of a served call.
pub(super) struct LiveMaker<'a> {
    derived: &'a Derived,
    world: &'a World,
    /// The state's Evidence id and the tool's name.
    named: (&'a str, &'a str),
    kind: usize,
    collection: Arc<str>,
    places: Vec<(String, &'static str)>,
    counted: Vec<((usize, Arc<str>), i64)>,
    /// What the write made beside its target.
    aside: Vec<(usize, Entity)>,
    /// Which of the single calls of a bulk call it is: each makes texts of its own.
    round: u64,
}

/// Attempts to make a text that the state does not hold.
const MAX_ATTEMPTS: u64 = 64;

impl<'a> LiveMaker<'a> {
    /// A maker for one call of a tool.
    pub(super) fn new(derived: &'a Derived, world: &'a World, named: (&'a str, &'a str)) -> Self {
        Self {
            derived,
            world,
            named,
            kind: 0,
            collection: "".into(),
            places: Vec::new(),
            counted: Vec::new(),
            aside: Vec::new(),
            round: 0,
        }
    }

    /// Whether an entity of the type has the identity.
    fn holds(&self, id: &str) -> bool {
        self.held_by(self.kind, id)
    }

    fn held_by(&self, kind: usize, id: &str) -> bool {
        self.world.named(kind, id).next().is_some()
    }

    /// The world, and the one of the start where that holds something else of the type.
    fn worlds(&self) -> impl Iterator<Item = &'a World> {
        let (world, first) = (self.world, &self.derived.world);
        let same = world.population(self.kind).zip(first.population(self.kind));
        let same = same.is_some_and(|(held, first)| held.collections.ptr_eq(&first.collections));
        [Some(world), (!same).then_some(first)].into_iter().flatten()
    }

    /// A made text in the place behind all that the type holds.
    fn risen(&mut self, generator: &Generator, text: &str, at: &str) -> Option<String> {
        let key = (self.kind, Arc::from(format!("\u{0}{at}")));
        let known = self.counted.iter().find(|(held, _)| *held == key).map(|(_, height)| *height);
        let highest = known.or_else(|| self.world.made().sequences.get(&key).copied());
        let highest =
            highest.or_else(|| self.worlds().filter_map(|world| highest_held(world, self.kind, generator)).max());
        let Some(height) = highest.map(|height| height.saturating_add(1)) else { return Some(text.to_owned()) };
        self.counted.retain(|(held, _)| *held != key);
        self.counted.push((key, height));
        generator.raised(text, height)
    }

    fn next_number(&mut self, scope: &SequenceScope, start: i64, at: &str, given: &Given<'_>) -> i64 {
        let shared = match scope {
            SequenceScope::Type | SequenceScope::Shared => None,
            SequenceScope::Collection => Some(self.collection.to_string()),
            SequenceScope::Member(member) => member.direct(given.after).map(Value::to_compact),
        };
        let identity: String = self.derived.types.get(self.kind).map(|kind| kind.identity.place()).unwrap_or_default();
        let at = if *scope == SequenceScope::Shared { identity.as_str() } else { at };
        // Identities may go on where those of other types are.
        let kinds = match shared.is_none() && at == identity {
            true => self.derived.counted_with(self.kind),
            false => vec![self.kind],
        };
        let first = kinds.first().copied().filter(|_| kinds.len() > 1);
        let key = match first {
            Some(first) => (first, Arc::from("\u{0}across")),
            None => (self.kind, Arc::from(format!("{}\u{0}{at}", shared.as_deref().unwrap_or_default()))),
        };
        let known = self.counted.iter().find(|(held, _)| *held == key).map(|(_, number)| *number);
        let largest = known.or_else(|| self.world.made().sequences.get(&key).copied()).unwrap_or_else(|| {
            let path = pointed(at);
            let held = match first {
                Some(_) => {
                    let worlds = [self.world, &self.derived.world].into_iter();
                    worlds.filter_map(|world| largest_of(self.derived, world, &kinds)).max()
                }
                None => self
                    .worlds()
                    .filter_map(|world| largest_held(world, self.kind, scope, shared.as_deref(), &path))
                    .max(),
            };
            held.map_or(start.saturating_sub(1), |held| held.max(start.saturating_sub(1)))
        });
        let mut next = largest.saturating_add(1);
        if matches!(scope, SequenceScope::Type | SequenceScope::Shared) {
            while kinds.iter().any(|kind| self.held_by(*kind, &next.to_string())) && next < i64::MAX {
                next += 1;
            }
        }
        self.counted.retain(|(held, _)| *held != key);
        self.counted.push((key, next));
        next
    }
}

/// The highest beginning of the identities that a type holds.
pub(super) fn highest_held(world: &World, kind: usize, generator: &Generator) -> Option<i64> {
    let entities = world.collections(kind).flat_map(|(_, collection)| collection.iter());
    entities.filter_map(|entity| generator.height(&entity.id)).max()
}

/// The largest number that entities of one scope hold at a path; an identity that no member shows counts, too.
pub(super) fn largest_held(
    world: &World,
    kind: usize,
    scope: &SequenceScope,
    shared: Option<&str>,
    path: &MemberPath,
) -> Option<i64> {
    let entities = world
        .collections(kind)
        .filter(|(held, _)| *scope != SequenceScope::Collection || Some(*held) == shared)
        .flat_map(|(_, collection)| collection.iter());
    entities
        .filter_map(|entity| {
            let all = merged(entity);
            if let SequenceScope::Member(member) = scope
                && member.direct(&all).map(Value::to_compact).as_deref() != shared
            {
                return None;
            }
            match path.direct(&all) {
                Some(held) => counted(held).map(|(number, _)| number),
                None => entity.id.parse().ok(),
            }
        })
        .max()
}

/// The member path of a slot pointer.
fn pointed(at: &str) -> MemberPath {
    MemberPath(at.split('/').skip(1).map(|name| super::path::Step::Member(name.into())).collect())
}

/// The text, with the first number behind it that no entity of the type holds at the path.
fn unique_text(world: &World, kind: usize, path: &MemberPath, text: &str) -> String {
    let mut held: std::collections::HashSet<String> = std::collections::HashSet::new();
    for entity in world.collections(kind).flat_map(|(_, collection)| collection.iter()) {
        let value = path.direct(&entity.fields).and_then(Value::as_str);
        held.extend(value.filter(|value| value.starts_with(text)).map(str::to_owned));
    }
    if !held.contains(text) {
        return text.to_owned();
    }
    (2u64..).map(|number| format!("{text}-{number}")).find(|text| !held.contains(text)).unwrap_or_default()
}

/// The entity of a type that a value names.
pub(super) fn named_entity(world: &World, kind: usize, by: &MemberPath, value: &Value) -> Option<Value> {
    if by.0.is_empty() {
        let id = scalar_text(value)?;
        return world.named(kind, &id).next().map(|held| merged(held));
    }
    let mut entities = world.collections(kind).flat_map(|(_, collection)| collection.iter());
    entities.find(|entity| by.direct(&entity.fields).is_some_and(|held| held.same_as(value))).map(|held| merged(held))
}

impl Makings for LiveMaker<'_> {
    fn made(&mut self, generator: &Generator, renewed: bool, at: &str, given: &Given<'_>) -> Result<Value, Miss> {
        let value = match generator {
            Generator::Sequence { scope, start, digits } => {
                count_value(self.next_number(scope, *start, at, given), *digits)
            }
            _ => {
                let count = self.world.made().writes + 1;
                let named = [self.named.0, self.named.1, at];
                let first = self.round.saturating_sub(1) * MAX_ATTEMPTS;
                let made = (first..first + MAX_ATTEMPTS)
                    .filter_map(|attempt| generator.text(&named, count, attempt))
                    .find(|text| !self.holds(text));
                let made = match generator {
                    Generator::Rising(_) => made.and_then(|text| self.risen(generator, &text, at)),
                    _ => made,
                };
                Value::from(generator.around(made.ok_or(Miss::Unknown)?, given.after).ok_or(Miss::Unknown)?)
            }
        };
        self.places.push((at.to_owned(), generator.word(renewed)));
        Ok(value)
    }

    fn clock(&mut self, format: &ClockFormat, _: &str) -> Result<Value, Miss> {
        let count = i64::try_from(self.world.made().writes).unwrap_or(i64::MAX);
        let clock = self.derived.write_clock.ok_or(Miss::Unknown)?;
        format.spell(clock.saturating_add(count).saturating_add(1)).ok_or(Miss::Clock)
    }

    fn gathered(&mut self, empty: &Value, _: &str) -> Result<Value, Miss> {
        Ok(empty.clone())
    }

    fn unique(&self, text: &str, at: &str) -> String {
        unique_text(self.world, self.kind, &pointed(at), text)
    }

    fn entity(&self, kind: usize, by: &MemberPath, value: &Value) -> Option<Value> {
        named_entity(self.world, kind, by, value).or_else(|| {
            let named = |entity: &Entity| match by.0.is_empty() {
                true => scalar_text(value).as_deref() == Some(&*entity.id),
                false => by.direct(&entity.fields).is_some_and(|held| held.same_as(value)),
            };
            self.aside.iter().find(|(of, entity)| *of == kind && named(entity)).map(|(_, entity)| merged(entity))
        })
    }
}

impl Maker for LiveMaker<'_> {
    fn begin(&mut self, kind: usize, collection: &str) {
        self.kind = kind;
        self.collection = collection.into();
        self.places.clear();
        self.round += 1;
    }

    fn beside(&mut self, made: &[(usize, Entity)]) {
        self.aside = made.to_vec();
    }

    fn answering(&mut self) {}

    fn made_places(&self) -> &[(String, &'static str)] {
        &self.places
    }

    fn makes_more(&self) -> bool {
        true
    }

    fn take_number(&mut self, start: i64) {
        let nothing = Value::Null;
        let given = Given { sent: &nothing, params: &[], before: None, after: &nothing, item: None, beside: None };
        self.next_number(&SequenceScope::Shared, start, "", &given);
    }

    fn finish(&self, world: &mut World) {
        let made = world.made_mut();
        made.writes += 1;
        for (key, number) in &self.counted {
            made.sequences.insert(key.clone(), *number);
        }
    }
}

/// Generated values of a replayed call: those that the recording shows.
pub(super) struct RecordedMaker<'a> {
    world: &'a World,
    /// What reads and the answer show of the entity after the write, by slot key.
    after: Value,
    /// The identity, and where it is.
    identity: (Value, String),
    /// The recorded answer.
    answer: Option<&'a Value>,
    kind: usize,
    /// Whether the answer is being made: a place is then one of its places.
    answering: bool,
}

impl<'a> RecordedMaker<'a> {
    /// A maker of what was recorded.
    pub(super) fn new(
        world: &'a World,
        after: Value,
        (identity, place): (&str, String),
        answer: Option<&'a Value>,
    ) -> Self {
        Self { world, after, identity: (Value::from(identity), place), answer, kind: 0, answering: false }
    }

    /// What the recording shows at a place of the entity, or of the answer while that is made.
    fn shown(&self, at: &str) -> Option<Value> {
        if self.answering {
            return self.answer.and_then(|answer| crate::json::resolve(answer, at)).cloned();
        }
        self.recorded(at)
    }

    fn recorded(&self, at: &str) -> Option<Value> {
        let path = pointed(at);
        let mut value = Some(&self.after);
        for name in path.names() {
            value = value.and_then(|value| match value.as_array() {
                Some(items) => items.get(name.parse::<usize>().ok()?),
                None => value.get(name),
            });
        }
        value.cloned()
    }
}

impl Makings for RecordedMaker<'_> {
    fn made(&mut self, generator: &Generator, _: bool, at: &str, _: &Given<'_>) -> Result<Value, Miss> {
        let identity = || {
            let text = self.identity.0.as_str()?;
            match generator {
                Generator::Sequence { digits: None, .. } => Number::from_literal(text).map(Value::Number),
                _ => Some(Value::from(text)),
            }
        };
        self.shown(at).or_else(|| if at == self.identity.1 { identity() } else { None }).ok_or(Miss::Unknown)
    }

    fn clock(&mut self, _: &ClockFormat, at: &str) -> Result<Value, Miss> {
        self.shown(at).ok_or(Miss::Unknown)
    }

    fn gathered(&mut self, _: &Value, at: &str) -> Result<Value, Miss> {
        self.shown(at).ok_or(Miss::Unknown)
    }

    fn unique(&self, text: &str, at: &str) -> String {
        // Entities that no read showed may have made the application count on.
        match self.recorded(at) {
            Some(recorded) if recorded.as_str().is_some_and(|held| held.starts_with(text)) => {
                recorded.as_str().unwrap_or(text).to_owned()
            }
            _ => unique_text(self.world, self.kind, &pointed(at), text),
        }
    }

    fn entity(&self, kind: usize, by: &MemberPath, value: &Value) -> Option<Value> {
        named_entity(self.world, kind, by, value)
    }
}

impl Maker for RecordedMaker<'_> {
    fn begin(&mut self, kind: usize, _: &str) {
        self.kind = kind;
    }

    fn answering(&mut self) {
        self.answering = true;
    }

    fn made_places(&self) -> &[(String, &'static str)] {
        &[]
    }

    fn finish(&self, _: &mut World) {}
}
