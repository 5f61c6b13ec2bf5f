//! What a write does to one entity: a create, an update or a delete by one part of a plan, as the next world and the answer.
//! Which part it is, and what is sent, was checked before (`write_apply.rs`).

use super::derived::Derived;
use super::effect::{Done, apply_effects};
use super::effect_companion::companions;
use super::effect_follow::touch;
use super::effect_move::move_clocks;
use super::effect_named::{made_aside, put_aside};
use super::effect_shift::shift_clocks;
use super::evaluate::StateTarget;
use super::identity::fill_home;
use super::limits::{COLLECTION_ALLOWANCE_BYTES, MAX_HISTORY_BYTES};
use super::line::scalar_text;
use super::member_rule::{Given, MemberExpr, Miss};
use super::observe::trim_slash;
use super::path::Step;
use super::render_entity::merged_and_proven;
use super::slot::{Left, Slot, entity_with, merged};
use super::store::{Entity, World};
use super::write_answer::{answer, places_of};
use super::write_apply::{Maker, Write, Written, checked, left, type_name};
use super::write_plan::{Part, TargetPlace, WritePlan};
use super::write_refuse::WriteRefusal;
use crate::json::{Object, Value};
use std::sync::Arc;

/// The slots that the write leaves, those that read others last; `after` holds them all in the end.
pub(super) fn slots(
    part: &Part,
    write: &Write<'_>,
    sent: &Value,
    before: Option<&Value>,
    after: &mut Value,
    maker: &mut dyn Maker,
) -> Result<Vec<(Slot, Left)>, WriteRefusal> {
    let mut done = Vec::with_capacity(part.slots.len());
    let mut later: Vec<&(Slot, MemberExpr)> = Vec::new();
    let put = |after: &mut Value, slot: &Slot, value: &Left| {
        if let Some(object) = after.as_object_mut() {
            match value {
                Left::Value(value) => {
                    object.set(slot.key(), value.clone());
                }
                Left::Absent | Left::Unknown => {
                    object.remove(&slot.key());
                }
            }
        }
    };
    for entry in &part.slots {
        if entry.1.reads_after() {
            later.push(entry);
            continue;
        }
        let given = Given { sent, params: write.parameters, before, after, item: None, beside: None };
        let value = left(part, entry.1.value(&given, maker, &format!("/{}", entry.0.key())))?;
        put(after, &entry.0, &value);
        done.push((entry.0.clone(), value));
    }
    // Texts may be made of texts: what cannot be made yet waits for the others.
    for round in 0..3 {
        let mut waiting = Vec::new();
        for entry in std::mem::take(&mut later) {
            let given = Given { sent, params: write.parameters, before, after, item: None, beside: None };
            let value = left(part, entry.1.value(&given, maker, &format!("/{}", entry.0.key())))?;
            if value == Left::Unknown && round < 2 {
                waiting.push(entry);
                continue;
            }
            put(after, &entry.0, &value);
            done.push((entry.0.clone(), value));
        }
        later = waiting;
    }
    Ok(done)
}

/// Puts an identity into the merged object, at its place.
pub(super) fn seed_identity(derived: &Derived, kind: usize, after: &mut Value, identity: Value) {
    let Some(kind) = derived.types.get(kind) else { return };
    let mut names: Vec<&str> = Vec::new();
    for step in &kind.identity.0 {
        match step {
            Step::Member(name) => names.push(name),
            Step::Each | Step::Pick(_) => return,
        }
    }
    let Some((last, way)) = names.split_last() else { return };
    let mut at = after;
    for name in way {
        let Some(object) = at.as_object_mut() else { return };
        if !object.contains(name) {
            object.push(*name, Object::new());
        }
        let Some(next) = object.get_mut(name) else { return };
        at = next;
    }
    if let Some(object) = at.as_object_mut() {
        object.set(*last, identity);
    }
}

/// A create: the next world with the new entity and what follows from it.
///
/// # Errors
/// As `write_apply::apply`.
pub(super) fn create(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    part: &Part,
    write: &Write<'_>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let kind = plan.target.entity_type;
    let sent = checked(plan, part, write)?;
    let mut collection = home_of_new(derived, plan, write, &sent).unwrap_or_default();
    if let Some((record, body)) = derived.refused_under_absent(world, (plan.tool, kind), (write.path, &collection)) {
        let target = StateTarget::List { entity_type: type_name(derived, kind), collection };
        return Ok(Written::unchanged(record, Some(body), "create", target));
    }
    let aside = made_aside(derived, world, kind, (write, &sent), maker);
    maker.begin(kind, &collection);
    let mut after = Value::Object(Object::new());
    let rule = part.identity.as_ref().ok_or_else(|| WriteRefusal::answer(part))?;
    let identity_at: String = derived.types.get(kind).map(|kind| kind.identity.place()).unwrap_or_default();
    let given = Given { sent: &sent, params: write.parameters, before: None, after: &after, item: None, beside: None };
    let mut identity = if rule.reads_after() { None } else { Some(rule.value(&given, maker, &identity_at)) };
    if let Some(Ok(Some(value))) = &identity {
        seed_identity(derived, kind, &mut after, value.clone());
    }
    let found = slots(part, write, &sent, None, &mut after, maker)?;
    if identity.is_none() {
        let given =
            Given { sent: &sent, params: write.parameters, before: None, after: &after, item: None, beside: None };
        identity = Some(rule.value(&given, maker, &identity_at));
    }
    let Left::Value(identity) = left(part, identity.unwrap_or(Err(Miss::Unknown)))? else {
        return Err(WriteRefusal::answer(part));
    };
    let id = scalar_text(&identity).ok_or_else(|| WriteRefusal::answer(part))?;
    if collection.is_empty()
        && let Some(kind) = derived.types.get(kind)
    {
        collection = fill_home(kind, &after).ok_or_else(|| WriteRefusal::answer(part))?;
    }
    if world.collection(kind, &collection).is_some_and(|held| held.get(&id).is_some()) {
        return Err(WriteRefusal::held(part, &id));
    }
    let mut next = world.clone();
    if world.collection(kind, &collection).is_none() {
        let more = collection.len() + COLLECTION_ALLOWANCE_BYTES;
        let history = world.made().history.saturating_add(2 * more);
        if history > MAX_HISTORY_BYTES {
            return Err(WriteRefusal::history(MAX_HISTORY_BYTES));
        }
        next.made_mut().history = history;
    }
    let key = (Arc::from(collection.as_str()), Arc::from(id.as_str()));
    let mut entity = entity_with(derived, kind, key, None, found);
    // What shows it may leave its identity out, as a list that is keyed by it does.
    if derived.types.get(kind).is_some_and(|of| of.identity.direct(&entity.fields).is_none()) {
        seed_identity(derived, kind, Arc::make_mut(&mut entity.fields), identity);
    }
    let gathers = part.slots.iter().any(|(_, rule)| matches!(rule, MemberExpr::Gathered(_)));
    let early = if gathers { None } else { Some(answer(part, write, &sent, None, &merged(&entity), maker)?) };
    put_aside(derived, &mut next, plan.tool, &aside);
    next.set_entity(kind, entity.clone());
    follow_up(derived, &mut next, &Done::by((plan.tool, kind), None, Some(&entity), world), maker);
    let (body, generated, recorded) = match early {
        Some(answered) => answered,
        // What it gathers is known only when what it makes beside itself is there.
        None => {
            let held = next.collection(kind, &collection).and_then(|held| held.get(&id)).cloned();
            answer(part, write, &sent, None, &merged(held.as_deref().unwrap_or(&entity)), maker)?
        }
    };
    let target = StateTarget::Item { entity_type: type_name(derived, kind), collection, id };
    Ok(Written {
        part: None,
        world: Some(next),
        record: part.record,
        body,
        view: "create",
        target,
        ids: Vec::new(),
        generated,
        recorded,
    })
}

/// What follows from a write elsewhere, and what it made.
pub(super) fn follow_up(derived: &Derived, next: &mut World, done: &Done<'_>, maker: &mut dyn Maker) {
    apply_effects(derived, next, done);
    if maker.makes_more() {
        companions(derived, next, done, maker);
        touch(derived, next, done, maker);
        shift_clocks(derived, next, done, maker);
        move_clocks(derived, next, done, maker);
    }
    maker.finish(next);
}

/// The collection that a create is for: the one that its path names, else the one that its members name.
pub(super) fn home_of_new(derived: &Derived, plan: &WritePlan, write: &Write<'_>, sent: &Value) -> Option<String> {
    let kind = derived.types.get(plan.target.entity_type)?;
    collection_of(plan, &kind.template, write).or_else(|| fill_home(kind, sent))
}

/// The collection that a create's path names.
pub(super) fn collection_of(plan: &WritePlan, home: &crate::manifest::Template, write: &Write<'_>) -> Option<String> {
    let literal: Option<String> = home
        .segments
        .iter()
        .map(|segment| match segment {
            crate::manifest::Segment::Literal(text) => Some(format!("/{text}")),
            _ => None,
        })
        .collect();
    if literal.is_some() {
        return literal;
    }
    // A home that members name beside the path (a tuple in the body) is none of the places that the path names.
    let open = home.segments.iter().filter(|segment| !matches!(segment, crate::manifest::Segment::Literal(_))).count();
    if open > write.parameters.len() {
        return None;
    }
    let path = match &plan.target.place {
        TargetPlace::Collection | TargetPlace::Document(_) | TargetPlace::Tree => trim_slash(write.path),
        TargetPlace::Entity(address) => {
            let path = address.path(write.path);
            &path[..path.rfind('/')?]
        }
    };
    home.matches(path).is_some().then(|| path.to_owned())
}

/// An update: the next world with what it leaves of the entity, which may move to a new address.
///
/// # Errors
/// As `write_apply::apply`.
pub(super) fn update(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    part: &Part,
    write: &Write<'_>,
    held: &Arc<Entity>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let kind = plan.target.entity_type;
    let sent = checked(plan, part, write)?;
    let aside = made_aside(derived, world, kind, (write, &sent), maker);
    maker.begin(kind, &held.collection);
    let before = merged_and_proven(derived, held, kind);
    let mut after = before.clone();
    let found = slots(part, write, &sent, Some(&before), &mut after, maker)?;
    let key = (Arc::clone(&held.collection), Arc::clone(&held.id));
    let entity = entity_with(derived, kind, key, Some(held), found);
    let all = merged_and_proven(derived, &entity, kind);
    let made = maker.made_places().len();
    let (mut body, generated, mut recorded) = answer(part, write, &sent, Some(&before), &all, maker)?;
    let makes = maker.made_places().len() > made;
    let mut next = world.clone();
    let renamed = derived
        .types
        .get(kind)
        .and_then(|kind| super::identity::identity_text(kind, Some(&held.id), &all))
        .filter(|id| *id != *held.id);
    let id = renamed.clone().unwrap_or_else(|| held.id.to_string());
    let entity = match renamed {
        // The identity is a member that can be changed: the entity moves to its new address.
        Some(new) => {
            if world.collection(kind, &held.collection).is_some_and(|held| held.get(&new).is_some()) {
                return Err(WriteRefusal::held(part, &new));
            }
            Entity { id: Arc::from(new), ..entity }
        }
        None => entity,
    };
    put_aside(derived, &mut next, plan.tool, &aside);
    next.rename_entity(kind, &held.id, entity.clone());
    if let Some(start) = derived.takes_number(plan.tool, kind, &sent) {
        maker.take_number(start);
    }
    follow_up(derived, &mut next, &Done::by((plan.tool, kind), Some(held), Some(&entity), world), maker);
    // What follows elsewhere may come back to the entity: the answer shows that, too. What it makes is made once.
    let settled = next.collection(kind, &held.collection).and_then(|held| held.get(&id));
    if let Some(settled) = settled.filter(|settled| !makes && !settled.same_values(&entity)) {
        let all = merged_and_proven(derived, settled, kind);
        (body, _, recorded) = answer(part, write, &sent, Some(&before), &all, maker)?;
    }
    recorded.extend(places_of(part, &derived.unknown_orders((kind, held), &sent, &all)));
    let target =
        StateTarget::Item { entity_type: type_name(derived, kind), collection: held.collection.to_string(), id };
    Ok(Written {
        part: None,
        world: Some(next),
        record: part.record,
        body,
        view: "update",
        target,
        ids: Vec::new(),
        generated,
        recorded,
    })
}

/// A delete: the next world without the entity and what goes with it.
///
/// # Errors
/// As `write_apply::apply`.
pub(super) fn delete(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    part: &Part,
    write: &Write<'_>,
    held: &Arc<Entity>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let kind = plan.target.entity_type;
    let sent = checked(plan, part, write)?;
    maker.begin(kind, &held.collection);
    let before = merged_and_proven(derived, held, kind);
    let (body, generated, mut recorded) = answer(part, write, &sent, Some(&before), &before, maker)?;
    recorded.extend(places_of(part, &derived.unknown_orders((kind, held), &sent, &before)));
    let mut next = world.clone();
    next.remove_entity(kind, &held.collection, &held.id);
    follow_up(derived, &mut next, &Done::by((plan.tool, kind), Some(held), None, world), maker);
    let target = StateTarget::Item {
        entity_type: type_name(derived, kind),
        collection: held.collection.to_string(),
        id: held.id.to_string(),
    };
    Ok(Written {
        part: None,
        world: Some(next),
        record: part.record,
        body,
        view: part.effect.word(),
        target,
        ids: Vec::new(),
        generated,
        recorded,
    })
}
