//! Applying a write to a document: the documents of the read at the call's path, as the plan's change leaves them. The
//! replay of recordings and the served calls both come here, by way of `write_apply.rs`.

use super::document_change::DocumentChange;
use super::entity::at_place;
use super::envelope::set_at;
use super::evaluate::StateTarget;
use super::member_rule::Given;
use super::observe::trim_slash;
use super::slot::Left;
use super::store::{Document, World};
use super::write_answer::answer;
use super::write_apply::{Maker, Write, Written, check_query, left};
use super::write_plan::{NO_TYPE, Part, WritePlan};
use super::write_refuse::WriteRefusal;
use crate::json::{Object, Value};
use std::sync::Arc;

/// Applies a write to the documents of a read tool.
///
/// # Errors
/// Every call that the recorded calls do not cover; the world is then as it was.
pub(super) fn apply_document(
    world: &World,
    (plan, read_tool): (&WritePlan, usize),
    write: &Write<'_>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let query = plan.target.other_query(write.query);
    let chosen = plan.parts.iter().position(|part| part.query == query).unwrap_or_default();
    let part = plan.parts.get(chosen).ok_or_else(|| WriteRefusal::target(plan))?;
    let change = part.document.as_ref().ok_or_else(|| WriteRefusal::target(plan))?;
    check_query(part, &query)?;
    let sent = match write.body {
        None => Value::Null,
        Some(body) => plan.envelope.open(body).ok_or_else(|| WriteRefusal::envelope(plan, part))?.clone(),
    };
    let path = plan.target.document_path(write.path);
    maker.begin(NO_TYPE, path);
    let held: Vec<(Box<str>, Arc<Value>)> = world
        .documents_at(read_tool, path)
        .map(|(line, document)| (Box::from(line), Arc::clone(&document.value)))
        .collect();
    let mut next = world.clone();
    let mut first: Option<(Arc<Value>, Value)> = None;
    for (line, before) in &held {
        let key = format!("{path}{line}");
        if !change.lines.contains(line) {
            next.remove_document(read_tool, &key);
            continue;
        }
        let after = changed(part, change, &sent, before, write, maker)?;
        if first.is_none() {
            first = Some((Arc::clone(before), after.clone()));
        }
        next.set_document(read_tool, &key, Document { value: Arc::new(after), record_ordinal: None });
    }
    let Some((before, after)) = first else { return Err(WriteRefusal::target(plan)) };
    let (body, generated, recorded) = answer(part, write, &sent, Some(&before), &after, maker)?;
    maker.finish(&mut next);
    Ok(Written {
        part: Some(chosen),
        world: Some(next),
        record: part.record,
        body,
        view: part.effect.word(),
        target: StateTarget::Document { path: path.to_owned() },
        ids: Vec::new(),
        generated,
        recorded,
    })
}

/// A document after the write.
fn changed(
    part: &Part,
    change: &DocumentChange,
    sent: &Value,
    before: &Value,
    write: &Write<'_>,
    maker: &mut dyn Maker,
) -> Result<Value, WriteRefusal> {
    let held = at_place(before, &change.place).ok_or_else(|| WriteRefusal::answer(part))?;
    check(part, change, sent, held)?;
    let mut met: Option<Value> = None;
    for meeting in &change.meetings {
        let value = meeting.met(held, sent).ok_or_else(|| WriteRefusal::unlike(part))?;
        match &met {
            Some(other) if !other.same_as(&value) => return Err(WriteRefusal::unlike(part)),
            Some(_) => {}
            None => met = Some(value),
        }
    }
    let mut after = met.ok_or_else(|| WriteRefusal::answer(part))?;
    let place: String = change.place.iter().map(|name| format!("/{name}")).collect();
    for (name, rule) in &change.stamps {
        let given =
            Given { sent, params: write.parameters, before: Some(held), after: &after, item: None, beside: None };
        let value = left(part, rule.value(&given, maker, &format!("{place}/{name}")))?;
        let object = after.as_object_mut().ok_or_else(|| WriteRefusal::answer(part))?;
        match value {
            Left::Value(value) => {
                object.set(name.as_ref(), value);
            }
            Left::Absent => {
                object.remove(name);
            }
            Left::Unknown => return Err(WriteRefusal::answer(part)),
        }
    }
    if change.place.is_empty() {
        return Ok(after);
    }
    let mut whole = before.clone();
    set_at(&mut whole, &change.place, Some(after));
    Ok(whole)
}

/// Checks what was sent against what the recorded calls sent and what the document holds.
fn check(part: &Part, change: &DocumentChange, sent: &Value, held: &Value) -> Result<(), WriteRefusal> {
    if !change.sent_types.contains(&sent.type_name()) {
        return Err(WriteRefusal::body(part));
    }
    let empty = Object::new();
    let held = held.as_object().unwrap_or(&empty);
    for (name, value) in sent.as_object().unwrap_or(&empty) {
        let shown = name.to_display();
        let word = value.type_name();
        let same = name.as_str().and_then(|name| held.get(name)).map(Value::type_name);
        match part.accepted.iter().find(|member| name.as_str() == Some(&member.name)) {
            Some(member) if member.types.contains(&word) || same == Some(word) => {}
            Some(_) => return Err(WriteRefusal::kind(part, &shown, word)),
            None if change.alike && (same == Some(word) || same.is_none() && change.open) => {}
            None if change.alike && same.is_some() => return Err(WriteRefusal::kind(part, &shown, word)),
            None => return Err(WriteRefusal::member(part, &shown)),
        }
    }
    Ok(())
}

/// A path of a document write, as its read spells it.
pub(super) fn read_path(path: &str, segments: usize) -> &str {
    let path = trim_slash(path);
    let cut = path.match_indices('/').nth(segments).map_or(path.len(), |(at, _)| at);
    &path[..cut]
}
