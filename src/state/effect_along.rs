//! What goes along: a removal that takes the entity with it that the removed one names (a session and the process that was
//! started for it). The other way round, where the child names what is removed, is a cascade. Nothing here knows of plans.

use super::derived::Derived;
use super::effect::{Done, EffectRule, remove_beside};
use super::effect_propose::Finder;
use super::generate::Generator;
use super::line::scalar_text;
use super::path::{MemberPath, scalar_paths};
use super::slot::merged;
use super::store::{Entity, World};
use super::write_sample::{Fate, Sample, entity_of};
use super::write_truth::Change;
use std::sync::Arc;

/// A removal that takes what the removed entity names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Along {
    /// The removed type.
    pub parent: usize,
    /// The type that goes with it.
    pub child: usize,
    /// The member of the removed entity that names it.
    pub path: MemberPath,
}

/// Removes what a removed entity named, where nothing else of its type names it.
pub(super) fn take_along(derived: &Derived, world: &mut World, rule: &Along, done: &Done<'_>) {
    let (Some(before), None) = (done.before, done.after) else { return };
    let Some(entity) = rule.named_alone(world, before) else { return };
    remove_beside(derived, world, (rule.child, &entity), done);
}

impl Along {
    fn names(&self, parent: &Entity) -> Option<String> {
        self.path.direct(&merged(parent)).filter(|value| !value.is_null()).and_then(scalar_text)
    }

    /// The only held entity that an entity names, unless another one names it, too.
    fn named_alone(&self, world: &World, parent: &Entity) -> Option<Arc<Entity>> {
        let id = self.names(parent)?;
        let mut named = world.named(self.child, &id);
        let entity = named.next()?.clone();
        let mut others = world.collections(self.parent).flat_map(|(_, held)| held.iter());
        let shared = others.any(|other| {
            (&other.collection, &other.id) != (&parent.collection, &parent.id)
                && self.names(other).as_deref() == Some(&id)
        });
        (named.next().is_none() && !shared).then_some(entity)
    }
}

impl Finder<'_, '_> {
    /// The rule by which a removal took what the removed entity names. An identity that is made at random is named by
    /// nothing else by chance; any other has to be named in two removals.
    pub(super) fn taken_along(&self, change: &Change) -> Option<EffectRule> {
        let id = change.key.2.as_str();
        for removal in self.removals(change).into_iter().filter(|removal| removal.key.0 != change.key.0) {
            let Some(removed) = entity_of(&removal.world, &removal.key) else { continue };
            let all = self.merged(&removed);
            for path in scalar_paths(std::iter::once(all.as_ref())).into_iter().filter(|path| !path.through_array()) {
                if path.direct(&all).and_then(scalar_text).as_deref() != Some(id) {
                    continue;
                }
                let rule = Along { parent: removal.key.0, child: change.key.0, path };
                let took = self.times_taken(&rule);
                if took.is_some_and(|times| times >= 2 || times == 1 && Generator::of_text(id).is_some()) {
                    return Some(EffectRule::Along(Box::new(rule)));
                }
            }
        }
        None
    }

    /// How many removals took what they named; `None` where one left it.
    fn times_taken(&self, rule: &Along) -> Option<usize> {
        let removals =
            self.samples.values().filter(|sample| sample.fate == Fate::Removed && sample.key.0 == rule.parent);
        let named = removals.filter_map(|sample: &&Sample<'_>| {
            let removed = entity_of(&sample.world, &sample.key)?;
            Some((sample, rule.named_alone(&sample.world, &removed)?))
        });
        let mut times = 0;
        for (sample, entity) in named {
            if !self.gone_since(rule.child, &entity, sample) {
                return None;
            }
            times += 1;
        }
        Some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::super::effect::apply_effects;
    use super::super::path::Step;
    use super::*;

    #[test]
    fn a_removal_takes_what_it_alone_names() {
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        let session = |id: &str, at: &str| {
            Entity::new("/sessions", id, value(&format!(r#"{{"id":"{id}","process":{{"id":"{at}"}}}}"#)))
        };
        let rule = Along {
            parent: 0,
            child: 1,
            path: MemberPath(["process", "id"].map(|name| Step::Member(name.into())).to_vec()),
        };
        let derived = Derived { effects: vec![EffectRule::Along(Box::new(rule))], ..Derived::default() };
        let mut was = World::default();
        for (id, at) in [("a", "x"), ("b", "y"), ("c", "y")] {
            was.set_entity(0, session(id, at));
        }
        for id in ["x", "y"] {
            was.set_entity(1, Entity::new("/processes", id, value(&format!(r#"{{"id":"{id}"}}"#))));
        }
        let left = |id: &str| {
            let mut world = was.clone();
            let gone = world.remove_entity(0, "/sessions", id).unwrap();
            apply_effects(&derived, &mut world, &Done::by((0, 0), Some(&gone), None, &was));
            ["x", "y"].map(|id| world.named(1, id).next().is_some())
        };
        assert_eq!(left("a"), [false, true]);
        assert_eq!(left("b"), [true, true]);
    }
}
