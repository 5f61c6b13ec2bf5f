//! Clocks that effects set elsewhere, in a replay: nothing there says what they came to be, so that they are taken over
//! from the read that shows them. Otherwise a clock that one write set would speak against every later one.

use super::derive::Derivation;
use super::derived::Derived;
use super::effect::{Done, EffectRule, follow, put};
use super::effect_follow::Sets;
use super::slot::{Left, Slot, entity_with};
use super::store::{Entity, World};
use super::write_history::{EntityKey, Showing, Shown, add_showing};
use super::write_sample::{entity_of, slot_shown};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The slots of types whose clocks effects set.
pub(super) fn set_elsewhere(derived: &Derived) -> BTreeSet<(usize, Slot)> {
    let mut found = BTreeSet::new();
    for rule in &derived.effects {
        match rule {
            EffectRule::Touch(rule) if matches!(rule.sets, Sets::Clock(_)) => {
                found.insert((rule.holder, rule.slot.clone()));
            }
            EffectRule::Move(rule) => found.extend(rule.clocks.iter().map(|(slot, _)| (rule.holder, slot.clone()))),
            EffectRule::Shift(rule) => found.extend(rule.clocks.iter().map(|(slot, _)| (rule.of, slot.clone()))),
            _ => {}
        }
    }
    found
}

impl Derivation<'_> {
    /// What a read shows of such slots of an entity, where the world holds something else.
    pub(super) fn moved_clocks(
        &self,
        elsewhere: &BTreeSet<(usize, Slot)>,
        (key, showing): &(EntityKey, Showing<'_>),
        world: &World,
    ) -> Vec<(Slot, Left)> {
        if !elsewhere.iter().any(|(kind, _)| *kind == key.0) {
            return Vec::new();
        }
        let Some(held) = entity_of(world, key) else { return Vec::new() };
        let mut shown = Shown::new();
        add_showing(self, showing, &mut shown);
        let of_kind = elsewhere.iter().filter(|(kind, _)| *kind == key.0);
        of_kind
            .filter_map(|(_, slot)| {
                let now = shown.get(slot)?.as_ref()?;
                let same = matches!(slot_shown(&self.derived, &held, slot), Some(Some(held)) if held.same_as(now));
                (!same).then(|| (slot.clone(), Left::Value(now.clone())))
            })
            .collect()
    }

    /// The world with other clocks of an entity, and what is made of them.
    pub(super) fn settle(&self, world: &mut World, key: &EntityKey, clocks: &[(Slot, Left)]) {
        let Some(held) = entity_of(world, key) else { return };
        let was = world.clone();
        put(&self.derived, world, key.0, &held, clocks.to_vec());
        let done = Done::by((usize::MAX, key.0), Some(&held), Some(&held), &was);
        follow(&self.derived, world, key.0, (&was, &held), &done);
    }

    /// An entity with other clocks.
    pub(super) fn settled(&self, key: &EntityKey, held: &Entity, clocks: &[(Slot, Left)]) -> Arc<Entity> {
        let place = (Arc::clone(&held.collection), Arc::clone(&held.id));
        Arc::new(entity_with(&self.derived, key.0, place, Some(held), clocks.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock_format::ClockFormat;
    use super::super::effect_follow::Touch;
    use super::super::effect_relation::Relation;
    use super::*;
    use crate::json::Value;

    #[test]
    fn clocks_that_other_writes_set_are_known_and_marks_are_not() {
        let slot = |name: &str| Slot { name: name.into(), source: None };
        let touch = |name: &str, sets: Sets| {
            let by = Relation::Segment(1);
            EffectRule::Touch(Box::new(Touch {
                holder: 2,
                slot: slot(name),
                of: 3,
                by,
                on: [true; 3],
                left: false,
                sets,
            }))
        };
        let format = ClockFormat::of(&Value::from("2026-01-01T00:00:00Z")).unwrap();
        let effects = vec![touch("changed", Sets::Clock(format)), touch("mark", Sets::Value(Value::from("x")))];
        let derived = Derived { effects, ..Derived::default() };
        assert_eq!(set_elsewhere(&derived), BTreeSet::from([(2, slot("changed"))]));
    }
}
