//! Writes that do one thing to what others refer to and another to what nothing does: a delete that only deactivates what
//! is in use. Which relation tells them apart is found from the recorded calls: it holds for all of the one kind and for
//! none of the other.

use super::derive::Derivation;
use super::derived::Derived;
use super::effect_relation::{Address, Relation, address, names_entity};
use super::store::World;
use super::write_plan::Part;
use super::write_sample::{Fate, Sample};

/// What a part asks of its target.
#[derive(Clone, Debug, PartialEq)]
pub struct Referred {
    /// Whether something has to refer to it, or nothing may.
    pub holds: bool,
    /// The types that may refer to it, and how.
    pub by: Vec<(usize, Relation)>,
}

impl Part {
    /// Whether the part is about an entity in a world.
    pub(super) fn is_about(&self, derived: &Derived, world: &World, target: Address<'_>) -> bool {
        let told = |referred: &Referred| is_referred(derived, &referred.by, world, target) == referred.holds;
        self.referred.as_ref().is_none_or(told)
    }
}

fn is_referred(derived: &Derived, by: &[(usize, Relation)], world: &World, target: Address<'_>) -> bool {
    by.iter().any(|(kind, relation)| {
        let mut entities = world.collections(*kind).flat_map(|(_, held)| held.iter());
        entities.any(|entity| names_entity(derived, relation, (*kind, entity), target))
    })
}

impl Derivation<'_> {
    /// The relations that tell what a tool changes from what it removes: each holds for some that it changes and for none
    /// that it removes, together for all that it changes.
    pub(super) fn told_apart(&self, kind: usize, samples: &[Sample<'_>]) -> Option<Vec<(usize, Relation)>> {
        let of = |fate: Fate| samples.iter().filter(move |sample| sample.fate == fate);
        if of(Fate::Changed).next().is_none() || of(Fate::Removed).next().is_none() {
            return None;
        }
        let held = |by: &[(usize, Relation)], sample: &Sample<'_>| {
            is_referred(&self.derived, by, &sample.world, address(&sample.key))
        };
        let others = (0..self.derived.types.len()).filter(|other| *other != kind);
        let ways =
            others.flat_map(|other| self.ways_to_refer(other, kind).into_iter().map(move |relation| (other, relation)));
        let by: Vec<(usize, Relation)> = ways
            .filter(|way| {
                let way = std::slice::from_ref(way);
                of(Fate::Changed).any(|sample| held(way, sample)) && !of(Fate::Removed).any(|sample| held(way, sample))
            })
            .collect();
        (!by.is_empty() && of(Fate::Changed).all(|sample| held(&by, sample))).then_some(by)
    }
}
