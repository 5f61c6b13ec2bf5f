//! Effects between an entity and the one that it names: a value that is a member of the named entity and follows it, and a
//! clock or a mark of the named entity that the writes of what names it set. Applied here and proposed here, both from what
//! reads show alone: nothing here knows of plans.

use super::clock_format::ClockFormat;
use super::derive::Derivation;
use super::derived::Derived;
use super::effect::{Done, EffectRule, put, set_path, slot_of_key};
use super::effect_propose::{Finder, differences, explains};
use super::effect_relation::{
    Relation, address, address_of, may_name, named_entities, named_ids, names_entity, relations,
};
use super::effect_told::Told;
use super::path::{MemberPath, Step};
use super::slot::{Left, Slot, merged};
use super::store::{Entity, World};
use super::write_apply::Maker;
use super::write_history::History;
use super::write_sample::{Fate, Sample, entity_of};
use super::write_truth::{Change, Changed, Truth};
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A value that is a member of the entity that its holder names, or a text with that in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Follow {
    /// The type that holds it.
    pub holder: usize,
    /// Where, by slot key.
    pub path: MemberPath,
    /// The named type.
    pub of: usize,
    /// How a holder names the other.
    pub by: Relation,
    /// The member of the other, by slot key.
    pub member: Box<str>,
    /// How the value shows it.
    pub told: Told,
}

/// What a write sets in what its target names.
#[derive(Clone, Debug, PartialEq)]
pub enum Sets {
    /// The write's time, spelled so.
    Clock(ClockFormat),
    /// One value, which stays when what set it is removed.
    Value(Value),
}

/// A clock, or a mark, that the writes of another type set.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// The type that holds it.
    pub holder: usize,
    /// The slot.
    pub slot: Slot,
    /// The type whose writes set it.
    pub of: usize,
    /// How what is written names the holder.
    pub by: Relation,
    /// Whether creates, changes and removals do.
    pub on: [bool; 3],
    /// Whether a change that names another holder sets that of the one it named before, too.
    pub left: bool,
    /// What they set.
    pub sets: Sets,
}

/// Entities that have to show what a rule says at the least.
const MIN_SHOWN: usize = 2;

/// Follows a change of a named entity in those that name it.
pub(super) fn follow_member(derived: &Derived, world: &mut World, rule: &Follow, done: &Done<'_>) {
    let (Some(before), Some(after)) = (done.before, done.after) else { return };
    let (was, is) = (merged(before), merged(after));
    let (was, is) = (was.get(&rule.member), is.get(&rule.member));
    let left = |held: &Value| match (was, is) {
        (Some(was), Some(is)) => rule.told.follow(held, was, is).filter(|_| !was.same_as(is)),
        // What is not known of the named entity, or no longer, is not known here.
        (Some(other), None) | (None, Some(other)) => {
            let stays = was.is_none() && rule.told.is_in(held, other);
            let shows = was.is_none() || rule.told.is_in(held, other);
            (shows && !stays).then_some(Left::Unknown)
        }
        (None, None) => None,
    };
    let holders: Vec<(Arc<Entity>, Left)> = world
        .collections(rule.holder)
        .flat_map(|(_, held)| held.iter())
        .filter(|entity| names_entity(derived, &rule.by, (rule.holder, entity), address_of(rule.of, after)))
        .filter_map(|entity| Some((Arc::clone(entity), left(rule.path.direct(&merged(entity))?)?)))
        .collect();
    let slot = || match rule.path.0.first() {
        Some(Step::Member(key)) => slot_of_key(key),
        _ => None,
    };
    for (holder, left) in holders {
        match (left, slot()) {
            (Left::Value(value), _) => set_path(derived, world, rule.holder, &holder, &rule.path, value),
            (left, Some(slot)) => put(derived, world, rule.holder, &holder, vec![(slot, left)]),
            (_, None) => {}
        }
    }
}

fn place_of(before: bool, after: bool) -> usize {
    match (before, after) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => 2,
    }
}

/// Sets the clocks that a write sets in what its target names.
pub(super) fn touch(derived: &Derived, world: &mut World, done: &Done<'_>, maker: &mut dyn Maker) {
    for rule in &derived.effects {
        let EffectRule::Touch(rule) = rule else { continue };
        if rule.of != done.kind || !rule.on[place_of(done.before.is_some(), done.after.is_some())] {
            continue;
        }
        let now = match &rule.sets {
            Sets::Clock(format) => maker.clock(format, &format!("/{}\u{0}beside", rule.slot.key())),
            Sets::Value(value) => Ok(value.clone()),
        };
        let Ok(now) = now else { continue };
        let before = done.before.filter(|_| rule.left || done.after.is_none());
        let mut named: Vec<Arc<Entity>> = Vec::new();
        for entity in before.iter().chain(&done.after) {
            named.extend(named_entities(derived, world, &rule.by, (rule.of, entity), rule.holder));
        }
        named.dedup_by(|one, other| Arc::ptr_eq(one, other));
        for held in named {
            put(derived, world, rule.holder, &held, vec![(rule.slot.clone(), Left::Value(now.clone()))]);
        }
    }
}

impl Finder<'_, '_> {
    /// A value that showed a member of an entity which its holder names, and shows what that member is since.
    pub(super) fn followed(&self, change: &Change, slot: &Slot, before: &Value, after: &Value) -> Option<EffectRule> {
        let texts = |(_, was, is): &(MemberPath, Value, Value)| was.as_str().is_some() && is.as_str().is_some();
        let mut places = differences(slot, before, after).into_iter().filter(texts);
        places.find_map(|(path, before, after)| self.followed_at(change, &path, &before, &after))
    }

    fn followed_at(&self, change: &Change, path: &MemberPath, before: &Value, after: &Value) -> Option<EffectRule> {
        let holder = change.key.0;
        let entity = entity_of(&change.world, &change.key)?;
        let changed = change.writes.iter().rev().filter_map(|write| self.samples.get(write));
        let changed = changed.filter(|sample| sample.fate == Fate::Changed && sample.key.0 != holder);
        for (told, sample) in Told::ALL.into_iter().flat_map(|told| changed.clone().map(move |sample| (told, sample))) {
            let members = sample.before.iter().filter(|(member, was)| {
                let is = sample.after.get(*member).and_then(Option::as_ref);
                let told_of = was.as_ref().zip(is).filter(|(was, is)| told.is_telling(was) && told.is_telling(is));
                let left = told_of.and_then(|(was, is)| told.follow(before, was, is));
                matches!(left, Some(Left::Value(made)) if made.same_as(after))
            });
            for (member, _) in members {
                for by in relations(&self.work.derived, (holder, &entity), address(&sample.key)) {
                    if by == Relation::Member(path.clone()) {
                        continue;
                    }
                    let (of, member) = (sample.key.0, member.key().into());
                    let rule = Follow { holder, path: path.clone(), of, by, member, told };
                    if self.is_shown(&rule) {
                        return Some(EffectRule::Follow(Box::new(rule)));
                    }
                }
            }
        }
        None
    }

    /// Whether all holders at the start show what a rule says.
    fn is_shown(&self, rule: &Follow) -> bool {
        let world = &self.work.derived.world;
        let mut shown = 0;
        let all = world.collections(rule.holder).flat_map(|(_, held)| held.iter()).all(|entity| {
            named_entities(&self.work.derived, world, &rule.by, (rule.holder, entity), rule.of).iter().all(|named| {
                let (own, other) = (self.merged(entity), self.merged(named));
                let (Some(own), Some(other)) = (rule.path.direct(&own), other.get(&rule.member)) else { return true };
                shown += usize::from(rule.told.is_telling(other));
                rule.told.is_in(own, other)
            })
        });
        all && shown >= MIN_SHOWN
    }
}

/// The clocks that writes of what names their holder set.
pub(super) fn propose_touches(work: &Derivation<'_>, history: &History<'_>, truth: &Truth<'_>) -> Vec<EffectRule> {
    let samples: Vec<&Sample<'_>> =
        truth.samples.values().flatten().filter(|sample| sample.fate != Fate::Missed).collect();
    let mut found: BTreeMap<(usize, String, usize), (Touch, usize)> = BTreeMap::new();
    let mut other: BTreeSet<(usize, String, usize)> = BTreeSet::new();
    for change in &truth.changes {
        let Changed::Slot(slot, Some(_), Some(after)) = &change.what else { continue };
        for sample in samples.iter().filter(|sample| change.writes.contains(&sample.index)) {
            let Some(sets) = set_by(after, sample) else { continue };
            let Some(by) = written(&change.world, sample)
                .and_then(|entity| {
                    let by = relations(&work.derived, (sample.key.0, &entity), address(&change.key));
                    by.into_iter().next()
                })
                .filter(|_| sample.key.0 != change.key.0)
            else {
                continue;
            };
            let of = sample.key.0;
            let touch = Touch { holder: change.key.0, slot: slot.clone(), of, by, on: [false; 3], left: true, sets };
            let (held, count) = found.entry((change.key.0, slot.key(), of)).or_insert_with(|| (touch.clone(), 0));
            held.on[fate_place(sample)] = true;
            *count += 1;
            // Clocks may be cut at any digit; a mark is always the same.
            if matches!(&held.sets, Sets::Value(_)) && held.sets != touch.sets {
                other.insert((change.key.0, slot.key(), of));
            }
        }
    }
    let mut rules = Vec::new();
    let explained: Vec<(usize, Box<str>)> = work.derived.effects.iter().filter_map(explains).collect();
    for (key, (mut touch, count)) in found {
        let ruled = || explained.iter().any(|(kind, slot)| (*kind, slot.as_ref()) == (key.0, key.1.as_str()));
        if matches!(touch.sets, Sets::Value(_)) && (other.contains(&key) || ruled() || !is_marked(work, &touch)) {
            continue;
        }
        for sample in samples.iter().filter(|sample| sample.key.0 == touch.of) {
            let (kept, left) = holders_of(&touch, sample);
            if leaves_clock(history, work, &touch, sample, &kept) {
                touch.on[fate_place(sample)] = false;
            } else if leaves_clock(history, work, &touch, sample, &left) {
                touch.left = false;
            }
        }
        if count >= MIN_SHOWN && touch.on.contains(&true) {
            rules.push(EffectRule::Touch(Box::new(touch)));
        }
    }
    rules
}

/// What a value may be that a write set: its time, or for a create a word or a list that numbers nothing.
fn set_by(value: &Value, sample: &Sample<'_>) -> Option<Sets> {
    if let Some(format) = ClockFormat::stamped(value, sample.call.span) {
        return Some(Sets::Clock(format));
    }
    let word = value.as_str().is_some_and(|text| !text.is_empty() && ClockFormat::of(value).is_none());
    let filled = value.as_array().is_some_and(|list| !list.is_empty());
    (sample.fate == Fate::Created && (word || filled)).then(|| Sets::Value(value.clone()))
}

/// Whether all that is named at the start shows the mark, and something is.
fn is_marked(work: &Derivation<'_>, touch: &Touch) -> bool {
    let Sets::Value(mark) = &touch.sets else { return false };
    let (world, key) = (&work.derived.world, touch.slot.key());
    let mut named = world
        .collections(touch.of)
        .flat_map(|(_, held)| held.iter())
        .flat_map(|entity| named_entities(&work.derived, world, &touch.by, (touch.of, entity), touch.holder))
        .filter_map(|holder| merged(&holder).get(&key).cloned())
        .peekable();
    named.peek().is_some() && named.all(|held| held.same_as(mark))
}

fn fate_place(sample: &Sample<'_>) -> usize {
    place_of(sample.fate != Fate::Created, sample.fate != Fate::Removed)
}

/// The entity that a write was about: as it is since, or as it was.
fn written(world: &World, sample: &Sample<'_>) -> Option<Arc<Entity>> {
    entity_of(&sample.world, &sample.key).or_else(|| entity_of(world, &sample.key))
}

/// The holders that a write's target names since, or named where it was removed; and those that it named before only.
fn holders_of(touch: &Touch, sample: &Sample<'_>) -> (Vec<String>, Vec<String>) {
    let before = entity_of(&sample.world, &sample.key).map(|entity| named_ids(&touch.by, &entity)).unwrap_or_default();
    let after = Entity::new(&sample.key.1, &sample.key.2, Sample::object(&sample.after));
    let after = named_ids(&touch.by, &after);
    if sample.fate == Fate::Removed || after.is_empty() {
        return (before, Vec::new());
    }
    let left = before.into_iter().filter(|id| !after.contains(id)).collect();
    (after, left)
}

/// Whether a read after a write shows a clock of holders that is earlier than the write, or no mark.
fn leaves_clock(
    history: &History<'_>,
    work: &Derivation<'_>,
    touch: &Touch,
    sample: &Sample<'_>,
    holders: &[String],
) -> bool {
    let start = sample.call.span.map(|(start, _)| start);
    if start.is_none() && matches!(touch.sets, Sets::Clock(_)) {
        return true;
    }
    holders.iter().any(|id| {
        let homes = history.homes.get(&(touch.holder, id.clone())).map(Vec::as_slice).unwrap_or_default();
        let child = (touch.of, sample.key.1.as_str());
        let mut homes = homes.iter().filter(|home| may_name(&work.derived, &touch.by, child, (touch.holder, home)));
        homes.any(|home| {
            let shown = history.of(&(touch.holder, home.clone(), id.clone())).iter();
            let first = shown.filter(|showing| showing.seen > sample.index).find_map(|showing| {
                let way = work.derived.representations.get(showing.way)?;
                way.members.iter().find(|member| member.name == touch.slot.name)?;
                showing.value.get(&touch.slot.name)
            });
            let Some(first) = first else { return false };
            if let Sets::Value(mark) = &touch.sets {
                return !first.same_as(mark);
            }
            // A second is what a clock without fractions may lie before.
            let seconds = super::clock_format::clock_seconds(first);
            seconds.zip(start).is_some_and(|(seconds, start)| seconds + 1.0 < start / 1000.0)
        })
    })
}
