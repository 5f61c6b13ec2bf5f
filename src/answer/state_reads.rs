//! Reads from the state: a call as the state sees it, and what the state says as a reply.

use super::replay::{Recording, Recordings};
use super::{Call, Printed, Refusal, Reply, ReplyBody, StateProvenance};
use crate::capture::Record;
use crate::json::Object;
use crate::manifest::{Segment, Tool, decode_once};
use crate::state::{
    Derived, Line, MAX_RENDERED_BYTES, Read, ReadAnswer, StateTarget, View, World, evaluate_read, pointer,
    replace_in_text,
};
use std::sync::Arc;

/// The path of a call, as its arguments spell it.
pub fn call_path(tool: &Tool, call: &Call) -> String {
    let mut path = String::new();
    let mut values = call.path.iter();
    for segment in &tool.template.segments {
        path.push('/');
        match segment {
            Segment::Literal(text) => path.push_str(text),
            _ => path.push_str(values.next().map_or("", String::as_str)),
        }
    }
    path
}

/// The path parameters of a call, decoded, in template order.
pub fn call_parameters(call: &Call) -> Vec<String> {
    call.path.iter().map(|raw| decode_once(raw).into_owned()).collect()
}

/// Answers a read from the state, or refuses an answer that no reply can carry; `Err` says why a recording has to answer.
pub fn answer_read(
    derived: &Derived,
    world: &World,
    tool: &Tool,
    call: &Call,
    records: &[Record],
    recordings: &Recordings,
) -> Result<Result<Reply, Refusal>, &'static str> {
    let path = call_path(tool, call);
    let parameters = call_parameters(call);
    let line = Line::new(&call.query, call.body.as_ref());
    let read = Read { tool: call.tool, parameters: &parameters, path: &path, line: line.as_ref() };
    let (record, body, target, per_response) = match evaluate_read(derived, world, read) {
        ReadAnswer::State { record, body, target, per_response } => (record, body, target, per_response),
        ReadAnswer::Absent { record, renamed, target } => {
            let base = recordings.get(records, record).ok_or("no-view")?;
            return Ok(Ok(absent(base, &renamed, target)));
        }
        ReadAnswer::Refused { record } => {
            let state = Some(StateProvenance::Recording { reason: "recorded-refusal" });
            let body_match = call.body.as_ref().map(|_| true);
            let base = recordings.get(records, record).ok_or("no-view")?;
            return Ok(Ok(Reply { state, ..base.reply(true, body_match) }));
        }
        // A view that is recorded for its size replays; an answer that has grown too large is refused, never cut.
        ReadAnswer::Recording { reason: "rendered-oversize" }
            if matches!(derived.views.get(call.tool), Some(View::Item(_) | View::List(_) | View::Document(_))) =>
        {
            return Ok(Err(oversize()));
        }
        ReadAnswer::Recording { reason } => return Err(reason),
    };
    let base = recordings.get(records, record).ok_or("no-view")?;
    let (view, target) = provenance(target);
    let moving: Vec<String> = derived.moving(call.tool).iter().map(|place| pointer(place)).collect();
    let state = match moving.is_empty() {
        true => StateProvenance::State { view, target },
        // What moves by itself is as it was recorded, the rest as the state holds it.
        false => StateProvenance::Applied { view, target, reason: "document-varies", recorded: moving },
    };
    Ok(Ok(Reply {
        body: ReplyBody::Json(Arc::new(body)),
        state: Some(state),
        // The base recording's print holds its own body.
        printed: Printed::none(),
        generated: per_response,
        ..base.reply(false, None)
    }))
}

/// A recorded absence that is no JSON, for another identity.
fn absent(base: &Arc<Recording>, (recorded, asked): &(String, String), target: StateTarget) -> Reply {
    let (view, target) = provenance(target);
    let state = Some(StateProvenance::State { view, target });
    let reply = base.reply(false, None);
    match &reply.body {
        ReplyBody::Text(text) if recorded.len() > 1 && recorded != asked && text.contains(recorded.as_str()) => Reply {
            body: ReplyBody::Text(replace_in_text(text, recorded, asked).into()),
            printed: Printed::none(),
            state,
            ..reply
        },
        _ => Reply { state, ..reply },
    }
}

pub(super) fn oversize() -> Refusal {
    Refusal {
        code: "resource_constraint",
        message: format!(
            "the answer from the state would take more than {MAX_RENDERED_BYTES} bytes, and such an answer is not cut"
        ),
        retryable: false,
        hint: Some(
            "Ask for less: a page, a filter or a selection of members, where the tool has such arguments.".into(),
        ),
    }
}

fn provenance(target: StateTarget) -> (&'static str, Object) {
    match target {
        StateTarget::Item { entity_type, collection, id } => {
            ("item", Object::new().with("type", entity_type).with("collection", collection).with("id", id))
        }
        StateTarget::List { entity_type, collection } => {
            ("list", Object::new().with("type", entity_type).with("collection", collection))
        }
        StateTarget::Document { path } => ("document", Object::new().with("path", path)),
    }
}
