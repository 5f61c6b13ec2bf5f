//! Named ones: entities of another type that a write makes because a list that it sends names them, and nothing of that
//! name is held yet (the tags of a new article). They are made as a create that sends the name alone would make them.
//! Nothing here knows how the write itself refers to them: it finds them by their names as it finds all others.

use super::derive::Derivation;
use super::derived::Derived;
use super::effect::{Done, EffectRule, apply_effects};
use super::line::scalar_text;
use super::member_fit_named::NAMING;
use super::member_rule::Given;
use super::path::MemberPath;
use super::slot::{entity_with, merged};
use super::store::{Entity, World};
use super::write_apply::{Maker, Write};
use super::write_entity::{seed_identity, slots};
use super::write_history::History;
use super::write_maker::named_entity;
use super::write_plan::Part;
use super::write_propose::made_part;
use super::write_sample::{Fate, Sample, entity_of, shown_of};
use super::write_truth::{Changed, Truth};
use crate::json::{Object, Value};
use crate::manifest::Segment;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Entities that a write makes by their names.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedOnes {
    /// The type that the write is about.
    pub parent: usize,
    /// The sent member that lists names.
    pub list: Box<str>,
    /// The type of what is made.
    pub child: usize,
    /// The member that holds the name.
    pub by: Box<str>,
    /// Its collection.
    pub home: Box<str>,
    /// What a create with the name alone leaves.
    pub part: Part,
}

/// Makes what a write names and the world does not hold, by type; the world itself is left as it is.
pub(super) fn made_aside(
    derived: &Derived,
    world: &World,
    kind: usize,
    (write, sent): (&Write<'_>, &Value),
    maker: &mut dyn Maker,
) -> Vec<(usize, Entity)> {
    let mut made: Vec<(usize, Entity)> = Vec::new();
    if !maker.makes_more() {
        return made;
    }
    for rule in &derived.effects {
        let EffectRule::Named(rule) = rule else { continue };
        if rule.parent != kind {
            continue;
        }
        let by = MemberPath::member(&rule.by);
        for name in names_in(sent.get(&rule.list), &rule.by) {
            let value = Value::from(name);
            let same =
                |(_, entity): &(usize, Entity)| by.direct(&entity.fields).is_some_and(|held| held.same_as(&value));
            if named_entity(world, rule.child, &by, &value).is_some() || made.iter().any(same) {
                continue;
            }
            maker.begin(rule.child, &rule.home);
            made.extend(born(derived, rule, write, name, maker).map(|entity| (rule.child, entity)));
        }
    }
    maker.beside(&made);
    made
}

/// Puts what was made aside into the world after a write, one after the other, each with what follows from it.
pub(super) fn put_aside(derived: &Derived, world: &mut World, tool: usize, made: &[(usize, Entity)]) {
    for (kind, entity) in made {
        let was = world.clone();
        world.set_entity(*kind, entity.clone());
        apply_effects(derived, world, &Done::by((tool, *kind), None, Some(entity), &was));
    }
}

fn born(derived: &Derived, rule: &NamedOnes, write: &Write<'_>, name: &str, maker: &mut dyn Maker) -> Option<Entity> {
    let identity = rule.part.identity.as_ref().filter(|identity| !identity.reads_after())?;
    let sent = Value::from(Object::new().with(rule.by.as_ref(), name));
    let mut after = Value::Object(Object::new());
    let at = derived.types.get(rule.child)?.identity.place();
    let given = Given { sent: &sent, params: &[], before: None, after: &after, item: None, beside: None };
    let identity = identity.value(&given, maker, &at).ok()??;
    let id = scalar_text(&identity)?;
    seed_identity(derived, rule.child, &mut after, identity);
    let found = slots(&rule.part, write, &sent, None, &mut after, maker).ok()?;
    Some(entity_with(derived, rule.child, (Arc::from(rule.home.as_ref()), Arc::from(id)), None, found))
}

/// The names in a sent list: texts, or objects with the name alone.
fn names_in<'v>(list: Option<&'v Value>, by: &str) -> Vec<&'v str> {
    let items = list.and_then(Value::as_array).unwrap_or_default().iter();
    items
        .filter_map(|item| match item.as_object() {
            Some(object) => object.get(by).filter(|_| object.len() == 1)?.as_str(),
            None => item.as_str(),
        })
        .filter(|name| !name.is_empty())
        .collect()
}

/// The names in all lists that were sent, whatever member holds such names.
pub(super) fn names_listed(sent: &Value) -> impl Iterator<Item = &str> {
    let lists = sent.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_array());
    lists.flatten().filter_map(Value::as_str).filter(|name| !name.is_empty())
}

/// What is made by name: the written type, the sent list, the made type, the member with the name.
type Place = (usize, Box<str>, usize, Box<str>);

/// The rules by which writes of a capture made what they name.
pub(super) fn propose_named(work: &Derivation<'_>, history: &History<'_>, truth: &Truth<'_>) -> Vec<EffectRule> {
    let mut seen: BTreeMap<Place, Vec<Sample<'_>>> = BTreeMap::new();
    let written: BTreeMap<usize, &Sample<'_>> =
        truth.samples.values().flatten().map(|sample| (sample.index, sample)).collect();
    for change in truth.changes.iter().filter(|change| matches!(change.what, Changed::Appeared)) {
        let child = change.key.0;
        let segments = &work.derived.types[child].template.segments;
        let Some(entity) = entity_of(&change.world, &change.key) else { continue };
        if !segments.iter().all(|segment| matches!(segment, Segment::Literal(_))) {
            continue;
        }
        let all = merged(&entity);
        let writes = change.writes.iter().filter_map(|write| written.get(write));
        // The first that names it made it.
        let mut found = writes.filter(|sample| sample.key.0 != child).filter_map(|sample| {
            let (list, by, name) = naming(&sample.sent, &all)?;
            Some((sample, list, by, name))
        });
        let Some((sample, list, by, name)) = found.next() else { continue };
        let made = Sample {
            index: sample.index,
            call: sample.call,
            key: change.key.clone(),
            fate: Fate::Created,
            sent: Object::new().with(by, name).into(),
            before: BTreeMap::new(),
            after: shown_of(&work.derived, child, &entity),
            only_answered: BTreeSet::new(),
            answer_agrees: BTreeMap::new(),
            lags: BTreeMap::new(),
            world: sample.world.clone(),
            renamed: None,
        };
        seen.entry((sample.key.0, list.into(), child, by.into())).or_default().push(made);
    }
    let rules = seen.into_iter().filter(|(place, _)| !refuted(history, truth, place));
    rules.filter_map(|(place, made)| rule(work, truth, place, &made)).map(EffectRule::Named).collect()
}

fn rule(
    work: &Derivation<'_>,
    truth: &Truth<'_>,
    (parent, list, child, by): Place,
    made: &[Sample<'_>],
) -> Option<Box<NamedOnes>> {
    let home: Box<str> = made.first()?.key.1.as_str().into();
    // The creates of its own tool say more than what came of the name in passing.
    let own: Vec<&Sample<'_>> = truth
        .samples
        .values()
        .flatten()
        .filter(|sample| sample.fate == Fate::Created && sample.key.0 == child)
        .filter(|sample| sample.sent.get(&by).and_then(Value::as_str).is_some())
        .collect();
    let samples = if own.is_empty() { made.iter().collect() } else { own };
    let part = made_part(work, samples.first()?.call.tool, child, &samples)?;
    Some(Box::new(NamedOnes { parent, list, child, by, home, part }))
}

/// The sent list that names an entity, the member that holds its name, and the name.
fn naming<'v>(sent: &'v Value, entity: &Value) -> Option<(&'v str, &'static str, &'v str)> {
    let lists = sent.as_object()?.iter().filter(|(_, value)| value.as_array().is_some());
    lists.filter_map(|(list, value)| Some((list.as_str()?, value))).find_map(|(list, value)| {
        NAMING.into_iter().find_map(|by| {
            let held = entity.get(by)?.as_str()?;
            names_in(Some(value), by).into_iter().find(|name| *name == held).map(|name| (list, by, name))
        })
    })
}

/// Whether a write named what was not held, and later reads of the type do not show it either.
fn refuted(history: &History<'_>, truth: &Truth<'_>, (parent, list, child, by): &Place) -> bool {
    let path = MemberPath::member(by);
    truth.samples.values().flatten().filter(|sample| sample.key.0 == *parent).any(|sample| {
        names_in(sample.sent.get(list), by).into_iter().any(|name| {
            let value = Value::from(name);
            let later = || {
                let calls = history.by_call.iter().filter(|(index, _)| **index > sample.index);
                calls.flat_map(|(_, shown)| shown).filter(|(key, _)| key.0 == *child)
            };
            named_entity(&sample.world, *child, &path, &value).is_none()
                && later().next().is_some()
                && !later().any(|(_, showing)| showing.value.get(by).is_some_and(|held| held.same_as(&value)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::effect_gather::{Gather, GatherOrder, Gathered};
    use super::super::effect_relation::Relation;
    use super::*;

    /// A shelf that counts its books, and one write that makes two of them.
    #[test]
    fn each_of_several_made_ones_counts_once() {
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        let rule = Gather {
            holder: 0,
            path: MemberPath::member("books"),
            of: 1,
            by: Relation::Member(MemberPath::member("shelf")),
            only: None,
            made: Gathered::Number,
            order: GatherOrder::Held,
            empty: None,
        };
        let derived = Derived { effects: vec![EffectRule::Gather(Box::new(rule))], ..Derived::default() };
        let book = |id: &str| Entity::new("/books", id, value(r#"{"shelf":7}"#));
        let mut world = World::default();
        world.set_entity(0, Entity::new("/shelves", "7", value(r#"{"books":1}"#)));
        world.set_entity(1, book("1"));
        put_aside(&derived, &mut world, 0, &[(1, book("2")), (1, book("3"))]);
        let shelf = world.named(0, "7").next().unwrap();
        assert_eq!(shelf.fields.to_compact(), r#"{"books":3}"#);
    }
}
