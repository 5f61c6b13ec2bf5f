//! Writes to the state: a call as the state sees it, and what the state says as a reply or a refusal.

use super::replay::Recordings;
use super::state_reads::{call_parameters, call_path, oversize};
use super::{Answered, Call, Printed, Refusal, Reply, ReplyBody, StateProvenance};
use crate::capture::Record;
use crate::json::{Object, Value};
use crate::manifest::Tool;
use crate::state::{
    Derived, Line, MAX_RENDERED_BYTES, Read, StateTarget, World, Write, WritePlan, WriteRefusal, Written, as_member,
    compact_length, form_fields,
};
use std::sync::Arc;

/// Where a write's answer is made from.
pub(super) struct Ground<'a> {
    /// The state.
    pub derived: &'a Derived,
    /// Its Evidence id: generated values come from it.
    pub evidence_id: &'a str,
    /// The capture's records.
    pub records: &'a [Record],
    /// The same, as replies.
    pub recordings: &'a Recordings,
}

/// Answers a served write: the reply with the changed world, or a refusal with none.
pub(super) fn answer_write(ground: &Ground<'_>, world: &World, plan: &WritePlan, tool: &Tool, call: &Call) -> Answered {
    let path = call_path(tool, call);
    let parameters = call_parameters(call);
    let is_form = tool.body.as_ref().is_some_and(|body| body.forms);
    let fields = match &call.body {
        Some(body) if is_form => body.as_str().map(form_fields),
        _ => None,
    };
    let member = call.body.as_ref().and_then(|body| as_member(tool, body));
    let body = fields.as_ref().or(member.as_ref()).or(call.body.as_ref());
    let write = Write { parameters: &parameters, path: &path, query: &call.query, body };
    let refused = |refusal: Refusal| Answered { reply: Err(refusal), world: None };
    if let Some(reply) = recorded_refusal(ground, plan.tool, &write, true, world) {
        return Answered { reply: Ok(reply), world: None };
    }
    let written = match ground.derived.write(world, plan, &write, (ground.evidence_id, &tool.name)) {
        Ok(written) => written,
        Err(refusal) => {
            return match recorded_refusal(ground, plan.tool, &write, false, world) {
                Some(reply) => Answered { reply: Ok(reply), world: None },
                None => refused(refusal.into()),
            };
        }
    };
    if written.world.is_some()
        && let Some(record) = ground.derived.refused_at_start(plan.tool, &write, world)
    {
        return Answered { reply: refusal_of(ground, record, &write).ok_or_else(lost), world: None };
    }
    applied(ground, plan.tool, written)
}

/// Answers a read that writes; `None` where it only reads.
pub(super) fn answer_write_by_read(ground: &Ground<'_>, world: &World, tool: &Tool, call: &Call) -> Option<Answered> {
    let path = call_path(tool, call);
    let parameters = call_parameters(call);
    let line = Line::new(&call.query, call.body.as_ref());
    let read = Read { tool: call.tool, parameters: &parameters, path: &path, line: line.as_ref() };
    let written = ground.derived.write_by_read(world, read, (ground.evidence_id, &tool.name))?;
    Some(applied(ground, call.tool, written))
}

/// What was written as an answer, with the changed world.
fn applied(ground: &Ground<'_>, tool: usize, written: Written) -> Answered {
    let refused = |refusal: Refusal| Answered { reply: Err(refusal), world: None };
    let Some(base) = ground.recordings.get(ground.records, written.record) else {
        return refused(lost());
    };
    if written.body.as_ref().is_some_and(|body| compact_length(body) > MAX_RENDERED_BYTES) {
        return refused(oversize());
    }
    let (view, target) = (written.view, target(written.target, &written.ids));
    let state = Some(match written.recorded.is_empty() {
        true => StateProvenance::State { view, target },
        false => StateProvenance::Applied { view, target, reason: "incomplete-entity", recorded: written.recorded },
    });
    let reply = base.reply(false, None);
    let reply = match written.body {
        Some(body) => Reply {
            body: ReplyBody::Json(Arc::new(body)),
            printed: Printed::none(),
            generated: [written.generated.as_slice(), ground.derived.per_response(tool)].concat(),
            state,
            ..reply
        },
        None => Reply { state, ..reply },
    };
    Answered { reply: Ok(reply), world: written.world }
}

/// The refusal that was recorded for a call of the same line and body.
fn recorded_refusal(ground: &Ground<'_>, tool: usize, write: &Write<'_>, always: bool, world: &World) -> Option<Reply> {
    refusal_of(ground, ground.derived.recorded_refusal(tool, write, always, world)?, write)
}

/// What is said where a record is not there.
fn lost() -> Refusal {
    Refusal {
        code: "execution_failure",
        message: "the capture does not hold the record that this answer rests on".to_owned(),
        retryable: false,
        hint: None,
    }
}

/// A recorded refusal as it is answered again.
fn refusal_of(ground: &Ground<'_>, record: usize, write: &Write<'_>) -> Option<Reply> {
    let state = Some(StateProvenance::Recording { reason: "recorded-refusal" });
    Some(Reply { state, ..ground.recordings.get(ground.records, record)?.reply(true, write.body.map(|_| true)) })
}

/// The members that name what was written; a bulk answer adds every identity in body order.
fn target(target: StateTarget, ids: &[String]) -> Object {
    match target {
        StateTarget::Item { entity_type, collection, id } => {
            let mut object = Object::new().with("type", entity_type).with("collection", collection).with("id", id);
            if ids.len() > 1 {
                object.push("ids", ids.iter().map(Value::from).collect::<Value>());
            }
            object
        }
        StateTarget::List { entity_type, collection } => {
            Object::new().with("type", entity_type).with("collection", collection)
        }
        StateTarget::Document { path } => Object::new().with("path", path),
    }
}

impl From<WriteRefusal> for Refusal {
    fn from(refusal: WriteRefusal) -> Self {
        Self { code: refusal.code, message: refusal.message, retryable: false, hint: Some(refusal.hint.to_owned()) }
    }
}
