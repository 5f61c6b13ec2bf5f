//! Items of a list in an entity that name what lies under it (`{"label": "best", "edition": 2}`): they leave the list when
//! what they name is removed, and what is named shows a member of them. Knows nothing of how a write puts one there.

use super::derived::Derived;
use super::effect::{Done, EffectRule, put};
use super::effect_propose::Finder;
use super::effect_relation::{Address, Relation, address, address_of, named_entities, names_entity, relations};
use super::generate::Generator;
use super::line::scalar_text;
use super::slot::{Left, Slot};
use super::store::{Entity, World};
use super::write_history::{Shown, add_showing};
use super::write_sample::{Fate, Sample, entity_of, slot_shown};
use super::write_truth::{Change, Changed};
use crate::json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Items of a list that name entities under its holder.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The type that holds the list.
    pub holder: usize,
    /// The list.
    pub list: Slot,
    /// The type that is named.
    pub of: usize,
    /// How that names the holder.
    pub by: Relation,
    /// The member of an item that is the identity of what it names.
    pub key: Box<str>,
    /// What follows from it.
    pub then: Then,
}

/// What follows from a list that names entities.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// Its items leave it with what they name. What a list is that is empty then: `None` where no recording shows it,
    /// `Some(None)` where it is left out.
    Leave(Option<Option<Value>>),
    /// What they name shows a member of them at a slot: all of them, left out where there are none.
    Show(Slot, Box<str>),
}

/// Removals that took items out, or items that name what is held, at the least: fewer may be so by chance.
const MIN_LEFT: usize = 2;

/// What an entity holds in a slot.
fn held_at<'e>(entity: &'e Entity, slot: &Slot) -> Option<&'e Value> {
    entity.held(slot.source, &slot.name)
}

impl Listed {
    fn names(&self, item: &Value, id: &str) -> bool {
        item.get(&self.key).and_then(scalar_text).as_deref() == Some(id)
    }

    /// What the named one shows.
    fn shown(&self, list: Option<&Value>, id: &str, member: &str) -> Left {
        let items = list.and_then(Value::as_array).unwrap_or_default();
        let shown = items.iter().filter(|item| self.names(item, id)).filter_map(|item| item.get(member).cloned());
        let shown: Vec<Value> = shown.collect();
        if shown.is_empty() { Left::Absent } else { Left::Value(Value::Array(shown)) }
    }
}

/// Takes the items out that name what was removed, or shows them in what they name.
pub(super) fn follow_listed(derived: &Derived, world: &mut World, rule: &Listed, done: &Done<'_>) {
    match &rule.then {
        Then::Leave(empty) if rule.of == done.kind => {
            let (Some(before), None) = (done.before, done.after) else { return };
            for holder in named_entities(derived, world, &rule.by, (rule.of, before), rule.holder) {
                let Some(items) = held_at(&holder, &rule.list).and_then(Value::as_array) else { continue };
                let left: Vec<Value> = items.iter().filter(|item| !rule.names(item, &before.id)).cloned().collect();
                if left.len() == items.len() {
                    continue;
                }
                let left = match (left.is_empty(), empty) {
                    (true, None) => Left::Unknown,
                    (true, Some(None)) => Left::Absent,
                    (true, Some(Some(empty))) => Left::Value(empty.clone()),
                    (false, _) => Left::Value(Value::Array(left)),
                };
                put(derived, world, rule.holder, &holder, vec![(rule.list.clone(), left)]);
            }
        }
        Then::Show(slot, member) if rule.holder == done.kind => {
            let (Some(before), Some(after)) = (done.before, done.after) else { return };
            let (was, is) = (held_at(before, &rule.list), held_at(after, &rule.list));
            let lists = [was, is];
            let named = lists.iter().flatten().filter_map(|list| list.as_array()).flatten();
            let named: Vec<String> = named.filter_map(|item| item.get(&rule.key).and_then(scalar_text)).collect();
            let under = world.collections(rule.of).flat_map(|(_, held)| held.iter());
            let under = under.filter(|entity| named.iter().any(|id| **id == *entity.id));
            let holder = address_of(rule.holder, after);
            let names = |entity: &&Arc<Entity>| names_entity(derived, &rule.by, (rule.of, entity), holder);
            let under: Vec<Arc<Entity>> = under.filter(names).cloned().collect();
            for entity in under {
                let left = rule.shown(is, &entity.id, member);
                let same = match (&left, held_at(&entity, slot)) {
                    (Left::Value(value), Some(held)) => value.same_as(held),
                    (Left::Absent, None) => true,
                    _ => false,
                };
                if !same {
                    put(derived, world, rule.of, &entity, vec![(slot.clone(), left)]);
                }
            }
        }
        _ => {}
    }
}

impl Finder<'_, '_> {
    /// The rule by which items left a list with what they name.
    pub(super) fn left_list(
        &self,
        change: &Change,
        slot: &Slot,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Option<EffectRule> {
        let (was, is) = (before?.as_array()?, after.map_or(Some(&[][..]), Value::as_array)?);
        let gone: Vec<&Value> = was.iter().filter(|item| !is.iter().any(|left| left.same_as(item))).collect();
        if gone.is_empty() || was.len() != is.len() + gone.len() {
            return None;
        }
        let empty = self.emptied(change, slot);
        for removal in self.removals(change) {
            let (of, _, id) = &removal.key;
            let removed = entity_of(&removal.world, &removal.key)?;
            let by = relations(&self.work.derived, (*of, &removed), address(&change.key));
            let by = by.into_iter().find(|_| *of != change.key.0);
            let key = gone[0]
                .as_object()
                .into_iter()
                .flatten()
                .find_map(|(name, value)| name.as_str().filter(|_| scalar_text(value).as_ref() == Some(id)));
            let (Some(by), Some(key)) = (by, key) else { continue };
            let then = Then::Leave(empty.clone());
            let rule = Listed { holder: change.key.0, list: slot.clone(), of: *of, by, key: key.into(), then };
            let explains = gone.iter().all(|item| rule.names(item, id)) && !is.iter().any(|item| rule.names(item, id));
            let made = Generator::of_text(id).is_some();
            let left = || self.times_left(&rule);
            if explains && left().is_some_and(|times| times >= MIN_LEFT || made || self.are_named(&rule)) {
                return Some(EffectRule::Listed(Box::new(rule)));
            }
        }
        None
    }

    /// What a list is that nothing is in: as the changes show that emptied one, else as all holders at the start do.
    fn emptied(&self, change: &Change, slot: &Slot) -> Option<Option<Value>> {
        let is_empty = |value: &Option<Value>| {
            value.as_ref().is_none_or(|value| value.as_array().is_some_and(<[Value]>::is_empty))
        };
        let later = self.changes.iter().filter_map(|other| match &other.what {
            Changed::Slot(held, Some(_), after) if other.key.0 == change.key.0 && held == slot => Some(after.clone()),
            _ => None,
        });
        let later: Vec<Option<Value>> = later.filter(is_empty).collect();
        let derived = &self.work.derived;
        let first = || {
            let holders = derived.world.collections(change.key.0).flat_map(|(_, held)| held.iter());
            holders.filter_map(|holder| slot_shown(derived, holder, slot)).filter(is_empty).collect()
        };
        let shown = if later.is_empty() { first() } else { later };
        let first = shown.first()?;
        let same = |other: &Option<Value>| other.is_some() == first.is_some();
        shown.iter().all(same).then(|| first.clone())
    }

    /// How many removals took the items out that named what they removed; `None` where the next read of a holder shows one
    /// of them still, and no write of the holder came before it.
    fn times_left(&self, rule: &Listed) -> Option<usize> {
        let derived = &self.work.derived;
        let mut times = 0;
        for sample in self.samples.values().filter(|sample| sample.fate == Fate::Removed && sample.key.0 == rule.of) {
            let (world, id) = (&sample.world, &sample.key.2);
            let Some(removed) = entity_of(world, &sample.key) else { continue };
            let names = |list: Option<&Value>| {
                let items = list.and_then(Value::as_array).unwrap_or_default();
                items.iter().any(|item| rule.names(item, id))
            };
            for holder in named_entities(derived, world, &rule.by, (rule.of, &removed), rule.holder) {
                if !names(held_at(&holder, &rule.list)) {
                    continue;
                }
                let key = (rule.holder, holder.collection.to_string(), holder.id.to_string());
                let addressed = |seen: usize| {
                    let mut writes = self.samples.range(sample.index + 1..seen);
                    writes.any(|(_, other)| other.key == key || other.key == sample.key)
                };
                let shown = self.history.of(&key).iter().filter(|showing| showing.seen > sample.index);
                let shown = shown.filter_map(|showing| {
                    let mut slots = Shown::new();
                    add_showing(self.work, showing, &mut slots);
                    Some((showing.seen, slots.remove(&rule.list)?))
                });
                let Some((_, list)) = shown.into_iter().next().filter(|(seen, _)| !addressed(*seen)) else { continue };
                if names(list.as_ref()) {
                    return None;
                }
                times += 1;
            }
        }
        Some(times)
    }

    /// Whether the items of lists name what lies under their holders: two of them at the least, and all, at the start and
    /// before each write of what is named.
    fn are_named(&self, rule: &Listed) -> bool {
        let derived = &self.work.derived;
        let written = self.samples.values().filter(|sample| [rule.of, rule.holder].contains(&sample.key.0));
        let mut named: BTreeSet<(Arc<str>, Arc<str>, String)> = BTreeSet::new();
        for world in std::iter::once(&derived.world).chain(written.map(|sample| &sample.world)) {
            for holder in world.collections(rule.holder).flat_map(|(_, held)| held.iter()) {
                let at = address_of(rule.holder, holder);
                for item in held_at(holder, &rule.list).and_then(Value::as_array).unwrap_or_default() {
                    let id = item.get(&rule.key).and_then(scalar_text).unwrap_or_default();
                    let is_under = |entity: &Arc<Entity>| names_entity(derived, &rule.by, (rule.of, entity), at);
                    if !world.named(rule.of, &id).any(is_under) {
                        return false;
                    }
                    named.insert((Arc::clone(&holder.collection), Arc::clone(&holder.id), id));
                }
            }
        }
        named.len() >= MIN_LEFT
    }

    /// How often what lies under a holder shows what the holder's list says of it, at the start and at its first showing after
    /// each write of a holder: items that name it, or that none does any more. `None` where it shows something else.
    fn times_shown(&self, rule: &Listed, slot: &Slot, member: &str) -> Option<usize> {
        let derived = &self.work.derived;
        let told = |left: &Left, shown: Option<&Value>| match (left, shown) {
            (Left::Value(value), Some(shown)) => value.same_as(shown),
            (Left::Absent, shown) => shown.is_none_or(|shown| shown.as_array().is_some_and(<[Value]>::is_empty)),
            _ => false,
        };
        let mut times = 0;
        for holder in derived.world.collections(rule.holder).flat_map(|(_, held)| held.iter()) {
            let Some(list) = slot_shown(derived, holder, &rule.list) else { continue };
            for entity in self.under(rule, &derived.world, address_of(rule.holder, holder)) {
                let Some(shown) = slot_shown(derived, &entity, slot) else { continue };
                let left = rule.shown(list.as_ref(), &entity.id, member);
                if !told(&left, shown.as_ref()) {
                    return None;
                }
                times += usize::from(matches!(left, Left::Value(_)));
            }
        }
        let written = |sample: &&Sample<'_>| sample.key.0 == rule.holder && sample.fate == Fate::Changed;
        for sample in self.samples.values().copied().filter(written) {
            let Some(after) = sample.after.get(&rule.list) else { continue };
            let before = entity_of(&sample.world, &sample.key).and_then(|held| held_at(&held, &rule.list).cloned());
            for entity in self.under(rule, &sample.world, address(&sample.key)) {
                let left = rule.shown(after.as_ref(), &entity.id, member);
                let key = (rule.of, entity.collection.to_string(), entity.id.to_string());
                let mut shown = self.history.of(&key).iter().filter(|showing| showing.seen > sample.index);
                let shown = shown.find_map(|showing| {
                    let mut slots = Shown::new();
                    add_showing(self.work, showing, &mut slots);
                    Some((showing.seen, slots.remove(slot)?))
                });
                let addressed = |seen: usize| {
                    let mut between = self.samples.range(sample.index + 1..seen);
                    between.any(|(_, other)| other.key == key || other.key == sample.key)
                };
                let Some((_, shown)) = shown.filter(|(seen, _)| !addressed(*seen)) else { continue };
                if !told(&left, shown.as_ref()) {
                    return None;
                }
                let was = rule.shown(before.as_ref(), &entity.id, member);
                times += usize::from(matches!(left, Left::Value(_)) || matches!(was, Left::Value(_)));
            }
        }
        Some(times)
    }

    /// What lies under a holder.
    fn under(&self, rule: &Listed, world: &World, holder: Address<'_>) -> Vec<Arc<Entity>> {
        let names = |entity: &&Arc<Entity>| names_entity(&self.work.derived, &rule.by, (rule.of, entity), holder);
        world.collections(rule.of).flat_map(|(_, held)| held.iter()).filter(names).cloned().collect()
    }

    /// The rule by which an entity shows a member of the items that name it in a list of what it lies under.
    pub(super) fn named_in_list(&self, change: &Change, slot: &Slot, after: Option<&Value>) -> Option<EffectRule> {
        let shown = after?.as_array().filter(|items| !items.is_empty())?;
        let (of, _, id) = &change.key;
        let entity = entity_of(&change.world, &change.key)?;
        let writes = change.writes.iter().rev().filter_map(|write| self.samples.get(write).copied());
        for sample in writes.filter(|sample| sample.key.0 != *of) {
            let by = relations(&self.work.derived, (*of, &entity), address(&sample.key));
            let Some(by) = by.into_iter().next() else { continue };
            let Some(holder) = entity_of(&change.world, &sample.key) else { continue };
            for list in sample.after.keys() {
                let Some(first) = held_at(&holder, list).and_then(Value::as_array).and_then(<[Value]>::first) else {
                    continue;
                };
                let names: Vec<&str> =
                    first.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str()).collect();
                for key in &names {
                    for member in names.iter().filter(|member| *member != key) {
                        let then = Then::Show(slot.clone(), (*member).into());
                        let (list, by, key) = (list.clone(), by.clone(), Box::from(*key));
                        let rule = Listed { holder: sample.key.0, list, of: *of, by, key, then };
                        let made = rule.shown(held_at(&holder, &rule.list), id, member);
                        if matches!(made, Left::Value(Value::Array(made)) if made.len() == shown.len()
                            && made.iter().zip(shown).all(|(made, shown)| made.same_as(shown)))
                            && self.times_shown(&rule, slot, member).is_some_and(|times| times >= MIN_LEFT)
                        {
                            return Some(EffectRule::Listed(Box::new(rule)));
                        }
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::effect::apply_effects;
    use super::*;

    #[test]
    fn items_follow_what_they_name() {
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        let slot = |name: &str| Slot { name: name.into(), source: None };
        let rule = |then: Then| {
            let (list, by) = (slot("labels"), Relation::Segment(1));
            EffectRule::Listed(Box::new(Listed { holder: 0, list, of: 1, by, key: "edition".into(), then }))
        };
        let effects = vec![rule(Then::Leave(Some(None))), rule(Then::Show(slot("called"), "label".into()))];
        let derived = Derived { effects, ..Derived::default() };
        let book = |name: &str, labels: &str| Entity::new("/books", name, value(labels));
        let listed = r#"{"labels":[{"label":"best","edition":"2"}]}"#;
        let mut world = World::default();
        for (home, id) in [("/books/a/editions", "1"), ("/books/a/editions", "2"), ("/books/b/editions", "2")] {
            world.set_entity(1, Entity::new(home, id, value("{}")));
        }
        let (before, after) = (book("a", "{}"), book("a", listed));
        world.set_entity(0, after.clone());
        world.set_entity(0, book("b", listed));
        let was = world.clone();
        apply_effects(&derived, &mut world, &Done::by((0, 0), Some(&before), Some(&after), &was));
        let held = |world: &World, kind: usize, home: &str, id: &str| {
            let entity = world.collection(kind, home).and_then(|held| held.get(id)).cloned();
            entity.map(|entity| entity.fields.to_compact())
        };
        assert_eq!(held(&world, 1, "/books/a/editions", "2").as_deref(), Some(r#"{"called":["best"]}"#));
        assert_eq!(held(&world, 1, "/books/a/editions", "1").as_deref(), Some("{}"));
        assert_eq!(held(&world, 1, "/books/b/editions", "2").as_deref(), Some("{}"));
        let edition = world.collection(1, "/books/a/editions").and_then(|held| held.get("2")).cloned().unwrap();
        let was = world.clone();
        world.remove_entity(1, "/books/a/editions", "2");
        apply_effects(&derived, &mut world, &Done::by((0, 1), Some(&edition), None, &was));
        assert_eq!(held(&world, 0, "/books", "a").as_deref(), Some("{}"));
        assert_eq!(held(&world, 0, "/books", "b").as_deref(), Some(listed));
    }
}
