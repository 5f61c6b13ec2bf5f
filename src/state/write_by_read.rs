//! Writes by reads: a line of a read tool that changes the entity which it addresses (`GET /watches/{id}?paused=paused`).
//! Found from what the entity shows right before and right after; what changes beside words, flags and clocks is not known
//! afterwards. Knows nothing of plans and bodies.

use super::addressed::find_addressed;
use super::clock_format::ClockFormat;
use super::derive::Derivation;
use super::derived::Derived;
use super::effect::Done;
use super::entity::at_place;
use super::evaluate::{Read, StateTarget};
use super::line::{Line, Param};
use super::member_fit_switch::tells_apart;
use super::member_rule::Makings;
use super::observe::{Seen, is_read, trim_slash};
use super::slot::{Left, Slot, entity_with};
use super::store::{Entity, World};
use super::types::{ItemView, Slot as AddressSlot, View};
use super::write_apply::{Maker, Written, type_name};
use super::write_entity::follow_up;
use super::write_maker::LiveMaker;
use crate::capture::is_success;
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A parameter of a read tool that changes what the line addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteByRead {
    /// The tool.
    pub tool: usize,
    /// The parameter.
    pub key: String,
    /// What each of its values does.
    pub ways: Vec<Way>,
}

/// What one value does.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The value.
    pub text: String,
    /// Index of the record that gives the answer.
    pub record: usize,
    /// What members of the entity are afterwards.
    pub sets: Vec<(Box<str>, Set)>,
    /// Ordinals of the reads that show it.
    pub confirmed_by: Vec<usize>,
}

/// What a member is afterwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Set {
    /// A value.
    To(Value),
    /// When it was written.
    Clock(ClockFormat),
    /// It was another one, and nothing says which.
    Unknown,
}

/// A call with what its entity showed before and after it.
struct Sample<'a> {
    call: &'a Seen,
    before: &'a Object,
    after: &'a Object,
    /// Ordinal of the later reading.
    shown_by: usize,
}

impl Sample<'_> {
    fn changed(&self, name: &str) -> bool {
        match (self.before.get(name), self.after.get(name)) {
            (Some(before), Some(after)) => !before.same_as(after),
            (None, None) => false,
            _ => true,
        }
    }

    fn changes(&self) -> impl Iterator<Item = &str> {
        let names = self.before.iter().chain(self.after.iter()).filter_map(|(name, _)| name.as_str());
        names.filter(|name| self.changed(name))
    }
}

/// What a tool's lines showed of its entities, in timeline order, by path and line.
type Readings<'a> = BTreeMap<(&'a str, &'a Vec<Param>), Vec<(&'a Seen, &'a Object)>>;

/// The only parameter of an item's line that does not address, where it says nothing of how the item is shown.
fn strange<'l>(view: &ItemView, line: &'l Line) -> Option<&'l Param> {
    let addresses =
        |key: &str| view.address.iter().any(|(slot, _)| matches!(slot, AddressSlot::Key(held) if *held == key));
    let mut rest = line.params.iter().filter(|param| !addresses(&param.key));
    let only = rest.next().filter(|param| !line.repeated && !view.query.roles.contains_key(&param.key))?;
    rest.next().is_none().then_some(only)
}

/// The parameter of a call that may write: what it is answered is no item.
fn asked<'a>(view: &ItemView, seen: &'a Seen) -> Option<&'a Param> {
    let body = seen.body.as_deref().map(Value::plain);
    let plain = !matches!(body, Some(Value::Object(_) | Value::Array(_)));
    seen.line.as_ref().filter(|_| plain && is_success(seen.status)).and_then(|line| strange(view, line))
}

impl Derivation<'_> {
    /// Finds the lines of item tools that write.
    pub(super) fn writes_by_reads(&mut self) {
        let tools = 0..self.manifest.tools.len();
        self.derived.by_reads = tools.flat_map(|tool| self.written_by(tool)).collect();
    }

    fn written_by(&self, tool: usize) -> Vec<WriteByRead> {
        let Some(View::Item(view)) = self.derived.views.get(tool) else { return Vec::new() };
        let asking: Vec<(&Seen, &Param)> =
            self.observed.of_tool(tool).filter_map(|call| Some((call, asked(view, call)?))).collect();
        if asking.is_empty() {
            return Vec::new();
        }
        let mut readings: Readings<'_> = BTreeMap::new();
        for seen in self.observed.of_tool(tool).filter(|seen| is_success(seen.status)) {
            let line = seen.line.as_ref().filter(|line| !line.repeated && asked(view, seen).is_none());
            let shown = line
                .zip(at_place(seen.body.as_deref().unwrap_or(&Value::Null), &view.place).and_then(Value::as_object));
            if let Some((line, shown)) = shown {
                readings.entry((trim_slash(&seen.path), &line.params)).or_default().push((seen, shown));
            }
        }
        let mut keys: BTreeMap<&str, BTreeMap<&str, Vec<Sample<'_>>>> = BTreeMap::new();
        for (call, param) in asking {
            let ways = keys.entry(&param.key).or_default().entry(&param.text).or_default();
            ways.extend(self.around(&readings, call, &param.key));
        }
        let rules = keys.into_iter().filter_map(|(key, ways)| {
            let changed: BTreeSet<&str> = ways.values().flatten().flat_map(Sample::changes).collect();
            let ways: Vec<Way> = ways.iter().filter_map(|(text, samples)| way(text, samples, &changed)).collect();
            (!ways.is_empty()).then(|| WriteByRead { tool, key: key.to_owned(), ways })
        });
        rules.collect()
    }

    /// What the entity of a call showed last before it and first after it, where nothing in between may have written to it:
    /// only what addresses another entity, by other path parameters, is surely no write to this one.
    fn around<'s>(&'s self, readings: &Readings<'s>, call: &'s Seen, key: &str) -> Option<Sample<'s>> {
        let line = call.line.as_ref()?.without(key);
        let shown = readings.get(&(trim_slash(&call.path), &line.params))?;
        let at = shown.partition_point(|(seen, _)| seen.time < call.time);
        let ((first, before), (last, after)) = (shown.get(at.checked_sub(1)?)?, shown.get(at)?);
        let seen = &self.observed.seen;
        let from = seen.partition_point(|other| other.time <= first.time);
        let to = seen.partition_point(|other| other.time < last.time);
        let writes = |other: &Seen| {
            let view = match self.derived.views.get(other.tool) {
                Some(View::Item(view)) => asked(view, other).is_some(),
                _ => false,
            };
            let elsewhere = !other.parameters.is_empty()
                && !other.parameters.iter().any(|parameter| call.parameters.last() == Some(parameter));
            other.time != call.time
                && !elsewhere
                && is_success(other.status)
                && (view || !is_read(&self.manifest.tools[other.tool]))
        };
        let alone = !seen.get(from..to)?.iter().any(writes);
        alone.then_some(Sample { call, before, after, shown_by: last.ordinal })
    }
}

/// What one value of a parameter does to the members that its values change.
fn way(text: &str, samples: &[Sample<'_>], changed: &BTreeSet<&str>) -> Option<Way> {
    let first = samples.first()?;
    let set = |name: &str| {
        let turned: Vec<&Sample<'_>> = samples.iter().filter(|sample| sample.changed(name)).collect();
        // What this value never turned is left as it is, whatever other values do.
        turned.first()?;
        let value = first.after.get(name);
        let same = |sample: &Sample<'_>| match (sample.after.get(name), value) {
            (Some(one), Some(other)) => one.same_as(other),
            _ => false,
        };
        if value.is_some_and(tells_apart) && samples.iter().all(same) {
            return value.cloned().map(Set::To);
        }
        let mut formats = turned.iter().map(|sample| ClockFormat::stamped(sample.after.get(name)?, sample.call.span));
        let format = formats.next().flatten().filter(|first| formats.all(|other| other.as_ref() == Some(first)));
        Some(format.map_or(Set::Unknown, Set::Clock))
    };
    let sets: Vec<(Box<str>, Set)> = changed.iter().filter_map(|name| Some(((*name).into(), set(name)?))).collect();
    let tells = sets.iter().any(|(_, set)| matches!(set, Set::To(_)));
    let confirmed_by = samples.iter().map(|sample| sample.shown_by).collect();
    tells.then(|| Way { text: text.to_owned(), record: first.call.record, sets, confirmed_by })
}

/// Where an entity holds a member: with its stored fields, and in views that show it otherwise.
fn slots_named(entity: &Entity, name: &str) -> Vec<Slot> {
    let views = entity.view_fields.iter().filter(|(_, fields)| fields.contains(name));
    let mut slots: Vec<Slot> = views.map(|(way, _)| Slot { name: name.into(), source: Some(*way) }).collect();
    if slots.is_empty() || entity.fields.get(name).is_some() {
        slots.push(Slot { name: name.into(), source: None });
    }
    slots
}

impl Derived {
    /// Whether lines of a read tool write.
    pub fn writes_by_read(&self, tool: usize) -> bool {
        self.by_reads.iter().any(|rule| rule.tool == tool)
    }

    /// What a read does to the entity that it addresses; `None` where it only reads, or nothing is there. `named` is the
    /// state's Evidence id and the tool's name.
    pub fn write_by_read(&self, world: &World, read: Read<'_>, named: (&str, &str)) -> Option<Written> {
        let mut rules = self.by_reads.iter().filter(|rule| rule.tool == read.tool).peekable();
        rules.peek()?;
        let (View::Item(view), Some(line)) = (self.views.get(read.tool)?, read.line) else { return None };
        let param = strange(view, line)?;
        let way = rules.find(|rule| rule.key == param.key)?.ways.iter().find(|way| way.text == param.text)?;
        let held = find_addressed(self, world, view, read, line)?;
        let kind = view.entity_type;
        let mut maker = LiveMaker::new(self, world, named);
        maker.begin(kind, &held.collection);
        let mut found: Vec<(Slot, Left)> = Vec::new();
        for (name, set) in &way.sets {
            let left = match set {
                Set::To(value) => Left::Value(value.clone()),
                Set::Clock(format) => maker.clock(format, &format!("/{name}")).map_or(Left::Unknown, Left::Value),
                Set::Unknown => Left::Unknown,
            };
            found.extend(slots_named(&held, name).into_iter().map(|slot| (slot, left.clone())));
        }
        let key = (Arc::clone(&held.collection), Arc::clone(&held.id));
        let entity = entity_with(self, kind, key, Some(&held), found);
        let mut next = world.clone();
        next.set_entity(kind, entity.clone());
        follow_up(self, &mut next, &Done::by((read.tool, kind), Some(&held), Some(&entity), world), &mut maker);
        let (collection, id) = (held.collection.to_string(), held.id.to_string());
        let target = StateTarget::Item { entity_type: type_name(self, kind), collection, id };
        Some(Written { world: Some(next), ..Written::unchanged(way.record, None, "update", target) })
    }
}
