//! Making room: what is put at a place that another of its collection has moves that one on (a priority, a position), by
//! one. Knows nothing of how a write says the place.

use super::clock_format::ClockFormat;
use super::derive::Derivation;
use super::derived::Derived;
use super::effect::{Done, EffectRule, follow, put};
use super::effect_move::set_clocks;
use super::generate::{count_value, counted};
use super::slot::{Left, Slot, merged};
use super::store::{Entity, World};
use super::write_apply::Maker;
use super::write_history::History;
use super::write_sample::{Fate, Sample};
use super::write_truth::{Change, Changed, Truth};
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A number that says the place of an entity in its collection, and makes room for a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// The type.
    pub of: usize,
    /// The slot that holds the number.
    pub slot: Slot,
    /// What moves on.
    pub behind: Behind,
    /// Clocks of what moves, which are set to the write's time.
    pub clocks: Vec<(Slot, ClockFormat)>,
}

/// What moves on for a new entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// What has its place, and what has the place that this one comes to, and so on to the first gap.
    ToGap,
    /// All that has its place or a later one.
    All,
    /// One of both: no recording has a gap that tells them apart, and what lies behind one is not known then.
    Either,
}

/// What moves, and to where: `None` where that is not known.
type Moved = Vec<(Arc<Entity>, Option<Value>)>;

impl Shift {
    /// Whether it sets a slot of what moves.
    pub(super) fn sets(&self, slot: &Slot) -> bool {
        self.slot == *slot || self.clocks.iter().any(|(clock, _)| clock == slot)
    }

    /// What a new entity at a place moves in its collection, and to where.
    fn moved(&self, world: &World, collection: &str, id: &str, place: i64) -> Moved {
        let key = self.slot.key();
        let held = world.collection(self.of, collection).into_iter().flat_map(|held| held.iter());
        let others = held.filter(|entity| entity.id.as_ref() != id);
        let mut others: Vec<(i64, Option<usize>, &Arc<Entity>)> = others
            .filter_map(|entity| {
                let (number, digits) = merged(entity).get(&key).and_then(counted)?;
                (number >= place).then_some((number, digits, entity))
            })
            .collect();
        others.sort_by_key(|(number, _, _)| *number);
        if others.first().is_none_or(|(number, _, _)| *number != place) {
            return Vec::new();
        }
        let (mut end, mut joined) = (place, true);
        let mut moved = Vec::new();
        for (number, digits, entity) in others {
            joined &= number <= end;
            end = number.saturating_add(1);
            if !joined && self.behind == Behind::ToGap {
                break;
            }
            let known = joined || self.behind == Behind::All;
            moved.push((Arc::clone(entity), known.then(|| count_value(number.saturating_add(1), digits))));
        }
        moved
    }

    /// An entity as other rules of the write left it.
    fn held_now(&self, world: &World, entity: &Entity) -> Option<Arc<Entity>> {
        world.collection(self.of, &entity.collection)?.get(&entity.id).cloned()
    }

    fn of_done(&self, done: &Done<'_>) -> Moved {
        let (None, Some(after)) = (done.before, done.after) else { return Vec::new() };
        let place = merged(after).get(&self.slot.key()).and_then(counted);
        place.map_or_else(Vec::new, |(place, _)| self.moved(done.was, &after.collection, &after.id, place))
    }
}

/// Moves what a new entity moves.
pub(super) fn shift(derived: &Derived, world: &mut World, rule: &Shift, done: &Done<'_>) {
    for (entity, number) in rule.of_done(done) {
        let Some(held) = rule.held_now(world, &entity) else { continue };
        let was = world.clone();
        put(derived, world, rule.of, &held, vec![(rule.slot.clone(), number.map_or(Left::Unknown, Left::Value))]);
        follow(derived, world, rule.of, (&was, &held), done);
    }
}

/// Sets the clocks of what a new entity moved.
pub(super) fn shift_clocks(derived: &Derived, world: &mut World, done: &Done<'_>, maker: &mut dyn Maker) {
    for rule in &derived.effects {
        let EffectRule::Shift(rule) = rule else { continue };
        if rule.of != done.kind || rule.clocks.is_empty() {
            continue;
        }
        for (entity, number) in rule.of_done(done) {
            let Some(held) = rule.held_now(world, &entity) else { continue };
            let was = world.clone();
            if number.is_some() {
                set_clocks(derived, world, (rule.of, &held), &rule.clocks, maker);
            } else {
                let clocks = rule.clocks.iter().map(|(slot, _)| (slot.clone(), Left::Unknown));
                put(derived, world, rule.of, &held, clocks.collect());
            }
            follow(derived, world, rule.of, (&was, &held), done);
        }
    }
}

/// The numbers that make room for what is created with a sent one.
pub(super) fn propose_shifts(work: &Derivation<'_>, history: &History<'_>, truth: &Truth<'_>) -> Vec<EffectRule> {
    let created: Vec<&Sample<'_>> =
        truth.samples.values().flatten().filter(|sample| sample.fate == Fate::Created).collect();
    let mut slots: BTreeSet<(usize, Slot)> = BTreeSet::new();
    // Clocks that are set with a create beside what it makes: whose, and by which.
    let mut stamped: Vec<(&Change, &Slot, ClockFormat, &Sample<'_>)> = Vec::new();
    for change in &truth.changes {
        let Changed::Slot(slot, Some(before), Some(after)) = &change.what else { continue };
        let of = change.key.0;
        let maker = created.iter().rev().find(|sample| {
            change.writes.contains(&sample.index)
                && (sample.key.0, &sample.key.1) == (of, &change.key.1)
                && sample.key.2 != change.key.2
        });
        let Some(maker) = maker else { continue };
        if let Some(format) = ClockFormat::stamped(after, maker.call.span) {
            stamped.push((change, slot, format, *maker));
        } else if let (Some((was, _)), Some((is, _))) = (counted(before), counted(after))
            && is == was.saturating_add(1)
            && place_of(maker, slot).is_some()
        {
            slots.insert((of, slot.clone()));
        }
    }
    let rule = |(of, slot): (usize, Slot)| {
        let shift = |behind| Shift { of, slot: slot.clone(), behind, clocks: Vec::new() };
        let shown = [Behind::ToGap, Behind::All].map(shift).map(|rule| is_shown(work, history, &rule, &created));
        let behind = match shown {
            [true, true] => Behind::Either,
            [true, false] => Behind::ToGap,
            [false, true] => Behind::All,
            [false, false] => return None,
        };
        let mut rule = shift(behind);
        // Only clocks of what moved are set with the move.
        let moves = |change: &Change, maker: &Sample<'_>| {
            let place = place_of(maker, &rule.slot);
            let moved = place.map(|place| rule.moved(&maker.world, &maker.key.1, &maker.key.2, place));
            moved.is_some_and(|moved| moved.iter().any(|(entity, _)| *entity.id == *change.key.2))
        };
        let of_moved = stamped.iter().filter(|(change, _, _, maker)| change.key.0 == of && moves(change, maker));
        let clocks: BTreeMap<Slot, ClockFormat> =
            of_moved.map(|(_, slot, format, _)| ((*slot).clone(), format.clone())).collect();
        rule.clocks = clocks.into_iter().collect();
        Some(EffectRule::Shift(Box::new(rule)))
    };
    slots.into_iter().filter_map(rule).collect()
}

/// The place that a create was sent and left.
fn place_of(sample: &Sample<'_>, slot: &Slot) -> Option<i64> {
    let (place, _) = counted(sample.after.get(slot)?.as_ref()?)?;
    let mut sent = sample.sent.as_object()?.iter().filter_map(|(_, value)| counted(value));
    sent.any(|(number, _)| number == place).then_some(place)
}

/// Whether the first reads after each create show what a rule says of the others in its collection, and one moved.
fn is_shown(work: &Derivation<'_>, history: &History<'_>, rule: &Shift, created: &[&Sample<'_>]) -> bool {
    let mut moved = 0;
    let of_type = || created.iter().filter(|sample| sample.key.0 == rule.of);
    let holds = of_type().all(|sample| {
        let Some(place) = place_of(sample, &rule.slot) else { return true };
        let (_, home, id) = &sample.key;
        let next = of_type().map(|other| other.index).filter(|index| *index > sample.index).min();
        let predicted = rule.moved(&sample.world, home, id, place);
        let others = sample.world.collection(rule.of, home).into_iter().flat_map(|held| held.iter());
        others.filter(|entity| entity.id.as_ref() != id).all(|entity| {
            let new = predicted.iter().find(|(held, _)| held.id == entity.id).and_then(|(_, number)| number.clone());
            let held = merged(entity).get(&rule.slot.key()).cloned();
            let key = (rule.of, home.clone(), entity.id.to_string());
            let shown = history.shown_between(&work.derived, &key, &rule.slot.name, (sample.index, next));
            let (Some(shown), Some(expected)) = (shown, new.as_ref().or(held.as_ref())) else { return true };
            moved += usize::from(new.is_some());
            shown.same_as(expected)
        })
    });
    holds && moved > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::to_the_gap(Behind::ToGap, 1, [2, 3, 5])]
    #[case::all_behind(Behind::All, 1, [2, 3, 6])]
    #[case::a_free_place(Behind::All, 3, [1, 2, 5])]
    #[case::at_the_end(Behind::ToGap, 5, [1, 2, 6])]
    #[case::behind_a_gap_that_nothing_tells(Behind::Either, 1, [2, 3, -1])]
    #[case::without_a_gap(Behind::Either, 5, [1, 2, 6])]
    fn what_is_put_between_makes_room(#[case] behind: Behind, #[case] place: i64, #[case] expected: [i64; 3]) {
        let mut was = World::default();
        let with = |place: i64| Value::Object(crate::json::Object::new().with("place", place));
        for (id, place) in [("a", 1), ("b", 2), ("c", 5)] {
            was.set_entity(0, Entity::new("/queues", id, with(place)));
        }
        was.set_entity(0, Entity::new("/others", "d", with(1)));
        let new = Entity::new("/queues", "new", with(place));
        let mut world = was.clone();
        world.set_entity(0, new.clone());
        let slot = Slot { name: "place".into(), source: None };
        let rule = EffectRule::Shift(Box::new(Shift { of: 0, slot, behind, clocks: Vec::new() }));
        let derived = Derived { effects: vec![rule], ..Derived::default() };
        super::super::effect::apply_effects(&derived, &mut world, &Done::by((0, 0), None, Some(&new), &was));
        let place = |home: &str, id: &str| {
            let held = world.collection(0, home).and_then(|held| held.get(id)).unwrap();
            held.fields.get("place").and_then(Value::as_number).and_then(crate::json::Number::as_i64).unwrap_or(-1)
        };
        assert_eq!(["a", "b", "c"].map(|id| place("/queues", id)), expected);
        assert_eq!(place("/others", "d"), 1);
    }
}
