//! Matches: a member that shows what of another type has a pattern that matches its holder (a queue shows the name of the
//! policy whose pattern is in the queue's name). Applied here and proposed here, from what reads show alone.

use super::derived::Derived;
use super::effect::{Done, EffectRule, put};
use super::effect_propose::Finder;
use super::pattern::Pattern;
use super::slot::{Left, Slot, merged};
use super::store::{Entity, World};
use super::write_sample::{entity_of, slot_shown};
use super::write_truth::{Change, Changed};
use crate::json::Value;
use std::sync::Arc;

/// A member that shows what has a pattern that matches its holder. Members are spelled by slot key.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The type that holds it.
    pub holder: usize,
    /// The slot.
    pub slot: Slot,
    /// The member of the holder that is matched.
    pub text: Box<str>,
    /// The type that has patterns.
    pub of: usize,
    /// Its member that is a pattern.
    pub pattern: Box<str>,
    /// Its member that is shown.
    pub shown: Box<str>,
    /// A member of both: only those match that have the same value there.
    pub scope: Option<Box<str>>,
    /// The number that tells which one of several is shown, and whether the largest does.
    pub rank: Option<(Box<str>, bool)>,
    /// What all have that were seen to match: what has something else may mean something else.
    pub alike: Vec<(Box<str>, Value)>,
    /// The value where none matches; `None` is no member.
    pub none: Option<Value>,
}

/// Holders that show a match, and holders that show none, at the least.
const MIN_SHOWN: (usize, usize) = (2, 1);
/// Changes that are looked at as evidence.
const MAX_CHANGES: usize = 60;

/// An entity with a pattern.
struct Matching {
    pattern: Option<Pattern>,
    values: Value,
}

impl Match {
    /// What has patterns, as far as it may match one of some holders.
    fn patterns(&self, world: &World, scopes: Option<&[Option<Value>]>) -> Vec<Matching> {
        let entities = world.collections(self.of).flat_map(|(_, held)| held.iter()).map(|entity| merged(entity));
        let near = |values: &Value| scopes.is_none_or(|scopes| scopes.contains(&self.scope_of(values)));
        let pattern = |values: &Value| values.get(&self.pattern).and_then(Value::as_str).and_then(Pattern::of);
        entities.filter(near).map(|values| Matching { pattern: pattern(&values), values }).collect()
    }

    fn scope_of(&self, values: &Value) -> Option<Value> {
        self.scope.as_ref().and_then(|scope| values.get(scope)).cloned()
    }

    /// The one that matches a holder: the outer `None` is what is not known, the inner one that none does.
    #[allow(clippy::option_option)]
    fn find<'m>(&self, all: &'m [Matching], holder: &Value) -> Option<Option<&'m Value>> {
        let text = holder.get(&self.text)?.as_str()?;
        let scope = self.scope_of(holder);
        let mut found: Vec<&Value> = Vec::new();
        for one in all.iter().filter(|one| self.scope_of(&one.values) == scope) {
            if one.pattern.as_ref()?.is_in(text)? {
                self.is_alike(&one.values).then_some(())?;
                found.push(&one.values);
            }
        }
        let Some((first, rest)) = found.split_first() else { return Some(None) };
        if rest.is_empty() {
            return Some(Some(first));
        }
        let (rank, largest) = self.rank.as_ref()?;
        let ranks: Option<Vec<f64>> = found.iter().map(|one| Some(one.get(rank)?.as_number()?.to_f64())).collect();
        let ranks = ranks?;
        let ahead = |one: f64, other: f64| if *largest { one > other } else { one < other };
        let best = (0..ranks.len()).find(|at| {
            let others = ranks.iter().enumerate().filter(|(other, _)| other != at);
            others.into_iter().all(|(_, other)| ahead(ranks[*at], *other))
        });
        Some(Some(found[best?]))
    }

    fn is_alike(&self, values: &Value) -> bool {
        self.alike.iter().all(|(name, value)| values.get(name).is_some_and(|held| held.same_as(value)))
    }

    /// What the slot of a holder is.
    fn left(&self, all: &[Matching], holder: &Value) -> Left {
        match self.find(all, holder) {
            None => Left::Unknown,
            Some(None) => self.none.clone().map_or(Left::Absent, Left::Value),
            Some(Some(one)) => one.get(&self.shown).cloned().map_or(Left::Unknown, Left::Value),
        }
    }
}

/// Matches again what a write may have changed: its target, or all that its target may match.
pub(super) fn match_again(derived: &Derived, world: &mut World, rule: &Match, done: &Done<'_>) {
    let values: Vec<Value> = done.before.iter().chain(&done.after).map(|entity| merged(entity)).collect();
    let scopes: Vec<Option<Value>> = values.iter().map(|values| rule.scope_of(values)).collect();
    let holders: Vec<Arc<Entity>> = if done.kind == rule.holder {
        let Some(after) = done.after else { return };
        if let [was, is] = &values[..]
            && was.get(&rule.text) == is.get(&rule.text)
            && scopes[0] == scopes[1]
        {
            return;
        }
        world
            .collection(rule.holder, &after.collection)
            .and_then(|held| held.get(&after.id))
            .cloned()
            .into_iter()
            .collect()
    } else {
        let all = world.collections(rule.holder).flat_map(|(_, held)| held.iter());
        all.filter(|entity| rule.scope.is_none() || scopes.contains(&rule.scope_of(&merged(entity)))).cloned().collect()
    };
    let patterns = rule.patterns(world, Some(&scopes));
    let key = rule.slot.key();
    for holder in holders {
        let values = merged(&holder);
        let left = rule.left(&patterns, &values);
        let same = match &left {
            Left::Value(value) => values.get(&key).is_some_and(|held| held.same_as(value)),
            Left::Absent => values.get(&key).is_none(),
            Left::Unknown => false,
        };
        if !same {
            put(derived, world, rule.holder, &holder, vec![(rule.slot.clone(), left)]);
        }
    }
}

impl Derived {
    /// What a new entity has in a slot that a match fills, before that is looked for.
    pub(super) fn left_to_a_match(&self, kind: usize, slot: &Slot) -> Option<Option<&Value>> {
        self.effects.iter().find_map(|rule| match rule {
            EffectRule::Match(rule) if rule.holder == kind && rule.slot == *slot => Some(rule.none.as_ref()),
            _ => None,
        })
    }
}

impl Finder<'_, '_> {
    /// The rule by which a changed slot shows what has a pattern that matches its holder.
    pub(super) fn matched(
        &self,
        change: &Change,
        slot: &Slot,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Option<EffectRule> {
        let holder = self.merged(&entity_of(&change.world, &change.key)?);
        let initial = &self.work.derived.world;
        let worlds = [(after, &change.world), (before, initial), (before, &change.world)];
        let worlds = worlds.into_iter().filter_map(|(shown, world)| Some((shown?.as_str()?, world)));
        for (shown, world) in worlds {
            for of in (0..self.work.derived.types.len()).filter(|of| *of != change.key.0) {
                let entities = world.collections(of).flat_map(|(_, held)| held.iter());
                for entity in entities.filter(|entity| self.known.may_hold(entity, shown)) {
                    let found = self.matching((change, slot), &holder, (of, &self.merged(entity)), shown);
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    /// The rule by which an entity is shown for its pattern.
    fn matching(
        &self,
        (change, slot): (&Change, &Slot),
        holder: &Value,
        (of, values): (usize, &Value),
        shown: &str,
    ) -> Option<EffectRule> {
        let shows: Vec<&str> = texts(values).filter(|(_, text)| *text == shown).map(|(name, _)| name).collect();
        let patterns = texts(values).filter(|(_, text)| Pattern::is_telling(text));
        for (pattern, read) in patterns.filter_map(|(name, text)| Some((name, Pattern::of(text)?))) {
            let key = slot.key();
            let matched = texts(holder).filter(|(name, text)| *name != key && read.is_in(text) == Some(true));
            for (text, _) in matched {
                for shown in shows.iter().filter(|shown| **shown != pattern) {
                    let both = texts(values).filter(|(name, value)| {
                        ![pattern, shown, text].contains(name)
                            && holder.get(name).and_then(Value::as_str) == Some(value)
                    });
                    let scopes: Vec<Option<&str>> =
                        std::iter::once(None).chain(both.map(|(name, _)| Some(name))).collect();
                    let ranks = members(values).filter(|(_, value)| value.as_number().is_some());
                    let ranks = ranks.flat_map(|(name, _)| [Some((name.into(), true)), Some((name.into(), false))]);
                    for rank in std::iter::once(None).chain(ranks) {
                        for scope in &scopes {
                            let rule = Match {
                                holder: change.key.0,
                                slot: slot.clone(),
                                text: text.into(),
                                of,
                                pattern: pattern.into(),
                                shown: (*shown).into(),
                                scope: scope.map(Into::into),
                                rank: rank.clone(),
                                alike: Vec::new(),
                                none: None,
                            };
                            if let Some(rule) = self.proved(rule, change) {
                                return Some(EffectRule::Match(Box::new(rule)));
                            }
                        }
                    }
                }
            }
        }
        None
    }

    /// The rule, with what all that match have in common, where all holders at the start and most changes show it.
    fn proved(&self, mut rule: Match, change: &Change) -> Option<Match> {
        let derived = &self.work.derived;
        let patterns = rule.patterns(&derived.world, None);
        let mut matched: Vec<&Value> = Vec::new();
        let mut none: Option<Option<Value>> = None;
        let (mut shown, mut others) = (0, 0);
        for entity in derived.world.collections(rule.holder).flat_map(|(_, held)| held.iter()) {
            let Some(held) = slot_shown(derived, entity, &rule.slot) else { continue };
            match rule.find(&patterns, &self.merged(entity))? {
                Some(one) => {
                    shown += 1;
                    held.filter(|held| one.get(&rule.shown).is_some_and(|shown| shown.same_as(held)))?;
                    if !matched.iter().any(|held| held.same_as(one)) {
                        matched.push(one);
                    }
                }
                None => {
                    others += 1;
                    let same = none.get_or_insert_with(|| held.clone());
                    (*same == held).then_some(())?;
                }
            }
        }
        let telling = |one: &&&Value| one.get(&rule.pattern).and_then(Value::as_str).is_some_and(Pattern::is_telling);
        if shown < MIN_SHOWN.0 || others < MIN_SHOWN.1 || matched.iter().filter(telling).count() < MIN_SHOWN.0 {
            return None;
        }
        rule.none = none?;
        if rule.none.as_ref().is_some_and(|none| !none.is_null() && none.as_str() != Some("")) {
            return None;
        }
        let own = [Some(&rule.pattern), Some(&rule.shown), rule.scope.as_ref()];
        let (first, rest) = matched.split_first()?;
        let alike = members(first).filter(|(name, value)| {
            let word = value.as_str().is_some() || value.as_bool().is_some();
            word && !own.iter().flatten().any(|own| own.as_ref() == *name)
                && rest.iter().all(|one| one.get(name).is_some_and(|held| held.same_as(value)))
        });
        rule.alike = alike.map(|(name, value)| (name.into(), value.clone())).collect();
        let shows = |change: &Change| {
            let Some(entity) = entity_of(&change.world, &change.key) else { return true };
            let Some(held) = slot_shown(derived, &entity, &rule.slot) else { return true };
            match rule.left(&rule.patterns(&change.world, None), &self.merged(&entity)) {
                Left::Value(value) => held.is_some_and(|held| held.same_as(&value)),
                Left::Absent => held.is_none(),
                Left::Unknown => false,
            }
        };
        let same_slot = |other: &&Change| {
            other.key.0 == rule.holder && matches!(&other.what, Changed::Slot(slot, _, _) if *slot == rule.slot)
        };
        let changes: Vec<bool> = self.changes.iter().filter(same_slot).take(MAX_CHANGES).map(shows).collect();
        let held = changes.iter().filter(|held| **held).count();
        (shows(change) && held * 10 >= changes.len() * 6).then_some(rule)
    }
}

/// The members of an object.
fn members(values: &Value) -> impl Iterator<Item = (&str, &Value)> {
    values.as_object().into_iter().flatten().filter_map(|(name, value)| Some((name.as_str()?, value)))
}

/// The members that are texts.
fn texts(values: &Value) -> impl Iterator<Item = (&str, &str)> {
    members(values).filter_map(|(name, value)| Some((name, value.as_str().filter(|text| !text.is_empty())?)))
}
