//! Effects elsewhere: what a write changes beside its target, as rules about types. Each was needed by a recording that
//! would have come out different without it, and nothing contradicted it (`effect_propose.rs`).

use super::derived::Derived;
use super::effect_along::{Along, take_along};
use super::effect_companion::Companion;
use super::effect_copy::{copy, replace_in};
use super::effect_document::{DocumentCount, count_in_document};
use super::effect_empty::{Emptied, empty};
use super::effect_follow::{Follow, Touch, follow_member};
use super::effect_gather::{Gather, gather};
use super::effect_listed::{Listed, follow_listed};
use super::effect_match::{Match, match_again};
use super::effect_move::{Move, move_along};
use super::effect_named::NamedOnes;
use super::effect_only::{Only, take_from_others};
use super::effect_relation::{Relation, names_entity};
use super::effect_shift::{Shift, shift};
use super::generate::counted;
use super::line::scalar_text;
use super::path::{MemberPath, Step};
use super::slot::{Left, Slot, entity_with, merged};
use super::store::{Entity, World};
use crate::json::{Number, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectRule {
    /// What is removed takes the entities with it that name it.
    Cascade {
        /// The removed type.
        parent: usize,
        /// The type that goes with it.
        child: usize,
        /// How a child names its parent.
        by: Relation,
    },
    /// What is removed takes the entity with it that it names.
    Along(Box<Along>),
    /// What comes to have a value hides the entities that name it: no list shows them from then on.
    Hide {
        /// The type that is changed.
        parent: usize,
        /// The type that is hidden with it.
        child: usize,
        /// How a child names its parent.
        by: Relation,
        /// The slot of the parent that changes.
        slot: Slot,
        /// What it is then.
        value: Value,
    },
    /// A number counts entities of another type that name its holder.
    Count {
        /// The type that holds the number.
        holder: usize,
        /// Where, by slot key.
        path: MemberPath,
        /// The counted type.
        of: usize,
        /// The member of a counted entity that names the holder.
        member: MemberPath,
        /// Only entities whose member has this value count.
        only: Option<(MemberPath, Value)>,
    },
    /// An object inside an entity shows members of another entity.
    Copy {
        /// The type that holds it.
        holder: usize,
        /// Where, by slot key; through a list where there are several.
        path: MemberPath,
        /// The type that is shown.
        of: usize,
        /// The member of the object that holds the identity.
        key: Box<str>,
        /// The members that are copies.
        names: Vec<Box<str>>,
        /// What becomes of it when the shown entity is removed.
        gone: Gone,
    },
    /// A value inside an entity names another entity.
    Reference {
        /// The type that holds it.
        holder: usize,
        /// Where, by slot key; through a list where there are several.
        path: MemberPath,
        /// The named type.
        of: usize,
        /// What becomes of it when the named entity is removed.
        gone: Gone,
        /// Slots that go with it, and what they are then.
        also: Vec<(Slot, Value)>,
    },
    /// A value inside an entity names another entity, and follows it to a new name.
    Renamed {
        /// The type that holds it.
        holder: usize,
        /// Where, by slot key; through a list where there are several.
        path: MemberPath,
        /// The named type.
        of: usize,
    },
    /// What lies under an entity moves with it to a new name.
    Move(Box<Move>),
    /// The first item of a list inside an entity stands beside the list, too, and follows it.
    First {
        /// The type that holds both.
        holder: usize,
        /// The slot of the item.
        slot: Slot,
        /// The slot of the list.
        list: Slot,
    },
    /// A member is made of the entities that name its holder.
    Gather(Box<Gather>),
    /// A value is a member of the entity that its holder names.
    Follow(Box<Follow>),
    /// A member shows what of another type has a pattern that matches its holder.
    Match(Box<Match>),
    /// A clock is set by the writes of what names its holder.
    Touch(Box<Touch>),
    /// A number in a document counts entities.
    DocumentCount(Box<DocumentCount>),
    /// A write of a tool changes a document in a way that nothing explains: from there on it is not known.
    ForgetDocument {
        /// The tool that writes.
        cause: usize,
        /// The tool that reads the document.
        tool: usize,
        /// Its key in the world.
        key: Box<str>,
    },
    /// A write empties the document at its path.
    Emptied(Box<Emptied>),
    /// A create makes another entity with its own.
    Companion(Box<Companion>),
    /// Items of a list that name what lies under its holder.
    Listed(Box<Listed>),
    /// What is created at a place moves what has it.
    Shift(Box<Shift>),
    /// A value that only one has.
    Only(Box<Only>),
    /// A write makes what it names and what is not held.
    Named(Box<NamedOnes>),
    /// A write of a tool changes a slot of other entities in a way that nothing explains: from there on it is not known.
    Forget {
        /// The tool.
        tool: usize,
        /// The type.
        kind: usize,
        /// The slot.
        slot: Slot,
        /// Whether only entities are meant that name the target or that it names.
        related: bool,
    },
}

/// What becomes of what names a removed entity.
#[derive(Clone, Debug, PartialEq)]
pub enum Gone {
    /// It stays as it is.
    Keep,
    /// It leaves its list.
    Remove,
    /// It leaves its list; a list that is empty then is this one.
    RemoveElse(Value),
    /// It is null.
    Null,
    /// Its slot has this value.
    Fixed(Value),
}

/// What a write did to its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done<'a> {
    /// The tool.
    pub tool: usize,
    /// The type.
    pub kind: usize,
    /// The target before.
    pub before: Option<&'a Entity>,
    /// The target after.
    pub after: Option<&'a Entity>,
    /// The world before.
    pub was: &'a World,
    /// Whether it is the target itself, and not what was removed, moved or made otherwise with it.
    pub is_target: bool,
    /// Through how many values that are made of others it came: 0 is the write, and what it removes or moves.
    pub depth: usize,
    /// What the named entity was called and is called since, where what lies under it only moved with it.
    pub renamed: Option<(&'a str, &'a str)>,
}

impl<'a> Done<'a> {
    /// What a write of a tool did to an entity of a type: made it, changed it, took it away.
    pub(super) fn by(
        (tool, kind): (usize, usize),
        before: Option<&'a Entity>,
        after: Option<&'a Entity>,
        was: &'a World,
    ) -> Self {
        Self { tool, kind, before, after, was, is_target: true, depth: 0, renamed: None }
    }
}

/// Effects of effects that are followed.
const MAX_DEPTH: usize = 3;

/// Applies all effects of a write to the world after it.
pub(super) fn apply_effects(derived: &Derived, world: &mut World, done: &Done<'_>) {
    for rule in &derived.effects {
        match rule {
            EffectRule::Cascade { parent, child, by } => {
                if *parent == done.kind
                    && done.after.is_none()
                    && let Some(before) = done.before
                {
                    cascade(derived, world, (*parent, *child), by, before, done);
                }
            }
            EffectRule::Along(rule) if rule.parent == done.kind => take_along(derived, world, rule, done),
            EffectRule::Hide { parent, child, by, slot, value } if *parent == done.kind => {
                hide(derived, world, (*child, by), (slot, value), done);
            }
            EffectRule::Reference { holder, path, of, gone, also } if *of == done.kind => {
                if done.after.is_none()
                    && let Some(before) = done.before
                {
                    let id = before.id.to_string();
                    let named = |value: &Value| scalar_text(value).as_deref() == Some(&id);
                    let was = world.clone();
                    let changed = replace_in(derived, world, (*holder, path), &named, &|_| None, gone, also);
                    changed.iter().for_each(|held| follow(derived, world, *holder, (&was, held), done));
                }
            }
            EffectRule::Renamed { holder, path, of } if *of == done.kind => {
                if let (Some(before), Some(after)) = (done.before, done.after)
                    && before.id != after.id
                {
                    let named = |value: &Value| value.as_str() == Some(before.id.as_ref());
                    let new = Value::from(after.id.as_ref());
                    replace_in(derived, world, (*holder, path), &named, &|_| Some(new.clone()), &Gone::Keep, &[]);
                }
            }
            EffectRule::Move(rule) if rule.of == done.kind => move_along(derived, world, rule, done),
            EffectRule::Shift(rule) if rule.of == done.kind => shift(derived, world, rule, done),
            EffectRule::Only(rule) if rule.of == done.kind => take_from_others(derived, world, rule, done),
            EffectRule::Match(rule) if [rule.of, rule.holder].contains(&done.kind) => {
                match_again(derived, world, rule, done)
            }
            EffectRule::DocumentCount(rule) if rule.of == done.kind => count_in_document(world, rule, done),
            EffectRule::ForgetDocument { cause, tool, key } if *cause == done.tool => {
                world.remove_document(*tool, key);
            }
            EffectRule::Emptied(rule) => empty(derived, world, rule, done),
            EffectRule::Forget { tool, kind, slot, related } if *tool == done.tool => {
                forget(derived, world, *kind, slot, *related, done);
            }
            _ => apply_made(derived, world, rule, done),
        }
    }
}

/// Applies a rule about what is made of entities, if it is one: a count, a copy, a gathered member.
fn apply_made(derived: &Derived, world: &mut World, rule: &EffectRule, done: &Done<'_>) {
    match rule {
        EffectRule::Count { holder, path, of, member, only } if *of == done.kind => {
            count(derived, world, *holder, path, member, only.as_ref(), done);
        }
        EffectRule::Copy { holder, path, of, key, names, gone } if *of == done.kind => {
            copy(derived, world, (*holder, path), (key, names), gone, done);
        }
        EffectRule::Listed(rule) => follow_listed(derived, world, rule, done),
        EffectRule::Gather(rule) if rule.of == done.kind => gather(derived, world, rule, done),
        EffectRule::Follow(rule) if rule.of == done.kind => follow_member(derived, world, rule, done),
        _ => {}
    }
}

/// Follows what an effect changed in an entity: what is made of that changes, too (a sum of what children count).
pub(super) fn follow(derived: &Derived, world: &mut World, kind: usize, was: (&World, &Entity), done: &Done<'_>) {
    if done.depth >= MAX_DEPTH {
        return;
    }
    let (was, before) = was;
    let after = world.collection(kind, &before.collection).and_then(|held| held.get(&before.id)).cloned();
    let depth = done.depth + 1;
    let done = Done { kind, before: Some(before), after: after.as_deref(), was, is_target: false, depth, ..*done };
    for rule in &derived.effects {
        apply_made(derived, world, rule, &done);
    }
}

fn cascade(
    derived: &Derived,
    world: &mut World,
    (kind, child): (usize, usize),
    by: &Relation,
    parent: &Entity,
    done: &Done<'_>,
) {
    let gone: Vec<Arc<Entity>> = world
        .collections(child)
        .flat_map(|(_, collection)| collection.iter())
        .filter(|entity| names_entity(derived, by, (child, entity), (kind, &parent.collection, &parent.id)))
        .cloned()
        .collect();
    for entity in gone {
        remove_beside(derived, world, (child, &entity), done);
    }
}

/// Removes an entity that goes with the target, and does what follows from that.
pub(super) fn remove_beside(derived: &Derived, world: &mut World, (kind, entity): (usize, &Entity), done: &Done<'_>) {
    let was = world.clone();
    if world.remove_entity(kind, &entity.collection, &entity.id).is_some() {
        let done = Done { kind, before: Some(entity), after: None, was: &was, is_target: false, ..*done };
        apply_effects(derived, world, &done);
    }
}

/// Takes out what names an entity that comes to have a value: it may still be there, but no list shows it.
fn hide(
    derived: &Derived,
    world: &mut World,
    (child, by): (usize, &Relation),
    (slot, value): (&Slot, &Value),
    done: &Done<'_>,
) {
    let (Some(before), Some(after)) = (done.before, done.after) else { return };
    let has = |entity: &Entity| entity.held(slot.source, &slot.name).is_some_and(|held| held.same_as(value));
    if has(before) || !has(after) {
        return;
    }
    let children = world.collections(child).flat_map(|(_, collection)| collection.iter());
    let named = (done.kind, after.collection.as_ref(), after.id.as_ref());
    let names = |entity: &&Arc<Entity>| names_entity(derived, by, (child, entity), named);
    let hidden: Vec<Arc<Entity>> = children.filter(names).cloned().collect();
    for entity in hidden {
        world.drop_entity(child, &entity.collection, &entity.id);
    }
}

/// The texts that a member of an entity holds, where it counts at all.
fn named_by(entity: Option<&Entity>, member: &MemberPath, only: Option<&(MemberPath, Value)>) -> Vec<String> {
    let Some(entity) = entity else { return Vec::new() };
    let all = merged(entity);
    if let Some((path, value)) = only
        && !path.direct(&all).is_some_and(|held| held.same_as(value))
    {
        return Vec::new();
    }
    let mut texts = Vec::new();
    member.visit(&all, &mut |scalar| {
        texts.extend(scalar_text(scalar));
        true
    });
    texts
}

fn count(
    derived: &Derived,
    world: &mut World,
    holder: usize,
    path: &MemberPath,
    member: &MemberPath,
    only: Option<&(MemberPath, Value)>,
    done: &Done<'_>,
) {
    let (mut before, after) = (named_by(done.before, member, only), named_by(done.after, member, only));
    if let Some((old, new)) = done.renamed {
        before.iter_mut().filter(|text| text.as_str() == old).for_each(|text| new.clone_into(text));
    }
    let touched: BTreeSet<&String> = before.iter().chain(&after).collect();
    for id in touched {
        let times = |texts: &[String]| i64::try_from(texts.iter().filter(|text| *text == id).count()).unwrap_or(0);
        let change = times(&after) - times(&before);
        let held = world.collections(holder).find_map(|(_, collection)| collection.get(id)).cloned();
        let Some(held) = held.filter(|_| change != 0) else { continue };
        let all = merged(&held);
        let Some((number, digits)) = path.direct(&all).and_then(counted) else { continue };
        let Some(number) = number.checked_add(change) else { continue };
        let value = super::generate::count_value(number, digits);
        let was = world.clone();
        set_path(derived, world, holder, &held, path, value);
        follow(derived, world, holder, (&was, &held), done);
    }
}

/// Sets the value at a path of an entity, by slot key.
pub(super) fn set_path(
    derived: &Derived,
    world: &mut World,
    kind: usize,
    held: &Entity,
    path: &MemberPath,
    value: Value,
) {
    let Some(Step::Member(key)) = path.0.first() else { return };
    let mut all = merged(held);
    let Some(slot) = slot_of_key(key) else { return };
    let new = if path.0.len() == 1 {
        value
    } else {
        let Some(whole) = all.as_object_mut().and_then(|object| object.get_mut(key)) else { return };
        let mut at = &mut *whole;
        for step in &path.0[1..] {
            let Step::Member(name) = step else { return };
            let Some(next) = at.as_object_mut().and_then(|object| object.get_mut(name)) else { return };
            at = next;
        }
        *at = value;
        whole.clone()
    };
    put(derived, world, kind, held, vec![(slot, Left::Value(new))]);
}

pub(super) fn put(derived: &Derived, world: &mut World, kind: usize, held: &Entity, slots: Vec<(Slot, Left)>) {
    let key = (Arc::clone(&held.collection), Arc::clone(&held.id));
    world.set_entity(kind, entity_with(derived, kind, key, Some(held), slots));
}

/// The slot that a slot key spells.
pub(super) fn slot_of_key(key: &str) -> Option<Slot> {
    match key.split_once('\u{0}') {
        None => Some(Slot { name: key.into(), source: None }),
        Some((name, way)) => Some(Slot { name: name.into(), source: Some(way.parse().ok()?) }),
    }
}

fn forget(derived: &Derived, world: &mut World, kind: usize, slot: &Slot, related: bool, done: &Done<'_>) {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut own: BTreeSet<String> = BTreeSet::new();
    for entity in done.before.iter().chain(&done.after) {
        own.insert(entity.id.to_string());
        texts_of(&merged(entity), &mut names);
    }
    let target = done.before.or(done.after).map(|entity| (Arc::clone(&entity.collection), Arc::clone(&entity.id)));
    let held: Vec<Arc<Entity>> = world
        .collections(kind)
        .flat_map(|(_, collection)| collection.iter())
        .filter(|entity| {
            let is_target = kind == done.kind
                && target.as_ref().is_some_and(|(path, id)| *path == entity.collection && *id == entity.id);
            if is_target {
                return false;
            }
            !related || names.contains(entity.id.as_ref()) || {
                let mut texts = BTreeSet::new();
                texts_of(&merged(entity), &mut texts);
                own.iter().any(|id| texts.contains(id))
            }
        })
        .cloned()
        .collect();
    for entity in held {
        put(derived, world, kind, &entity, vec![(slot.clone(), Left::Unknown)]);
    }
}

/// All scalar texts of a value that may be identities.
pub(super) fn texts_of(value: &Value, into: &mut BTreeSet<String>) {
    match value.plain() {
        Value::Object(object) => object.iter().for_each(|(_, inner)| texts_of(inner, into)),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, into)),
        Value::Number(number) => {
            into.insert(Number::as_str(number).to_owned());
        }
        Value::String(text) => {
            into.extend(text.as_str().map(str::to_owned));
        }
        _ => {}
    }
}
