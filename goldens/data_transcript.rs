//! A transcript of the data plane: what the card declares, the state read, loaded back, edited, refused and reset, and what
//! a read and a list answer in between. A document stands as its size, its digest and its first entity: the rest of it is
//! in `state.json`.

use super::calls::PlannedCall;
use super::state_calls::state_calls;
use super::transcript::{compact, exchange, line, server};
use http::Method;
use rea::answer::Engine;
use rea::json::{CanonicalDigest, Object, Sink, Value, parse, resolve};
use rea::serve::{CARD_PATH, DATA_PATH, MCP_PATH, Server};
use std::sync::Arc;

/// The exchanges of a scenario, one a line.
pub fn data_calls(engine: &Arc<Engine>) -> Result<Vec<u8>, String> {
    let server = server(engine);
    let planned = state_calls(engine);
    let reads: Vec<&PlannedCall> =
        ["item", "list"].iter().filter_map(|kind| planned.iter().find(|call| call.kind == *kind)).collect();
    let mut transcript = Transcript { server, id: 0, lines: Vec::new() };
    transcript.card()?;
    let start = transcript.data("read", "data/get", Object::new().into())?;
    let start = resolve(&start, "/result/parts/0/data").ok_or("data/get answers no document")?.clone();
    transcript.load("load-back", &start)?;
    transcript.data("read-again", "data/get", Object::new().into())?;
    if let Some(edited) = edited(&start) {
        transcript.load("edit", &edited)?;
        transcript.data("read-edited", "data/get", Object::new().into())?;
        reads.iter().try_for_each(|call| transcript.tool("call-edited", call))?;
    }
    for (kind, pointer) in [("refuse-version", "version"), ("refuse-entities", "entities")] {
        transcript.load(kind, &without(&start, pointer))?;
    }
    transcript.data("refuse-no-part", "data/add", Object::new().with("parts", Vec::new()).into())?;
    transcript.data("refuse-method", "data/save", Object::new().into())?;
    transcript.data("reset", "data/reset", Object::new().into())?;
    transcript.data("read-reset", "data/get", Object::new().into())?;
    reads.iter().try_for_each(|call| transcript.tool("call-reset", call))?;
    Ok(transcript.lines)
}

/// The document with another text in the first entity that has one beside its identity.
fn edited(document: &Value) -> Option<Value> {
    let mut document = document.clone();
    let entities = document.as_object_mut()?.get_mut("rea_state")?.as_object_mut()?.get_mut("entities")?;
    for entity in entities.as_array_mut()? {
        let id = entity.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let fields = entity.as_object_mut()?.get_mut("fields")?.as_object_mut()?;
        let text = fields.iter_mut().find(|(_, value)| value.as_str().is_some_and(|text| text != id));
        if let Some((_, value)) = text {
            *value = "edited by a caller".into();
            return Some(document);
        }
    }
    None
}

fn without(document: &Value, member: &str) -> Value {
    let mut document = document.clone();
    let state = document.as_object_mut().and_then(|root| root.get_mut("rea_state")).and_then(Value::as_object_mut);
    state.map(|state| state.remove(member));
    document
}

struct Transcript {
    server: Arc<Server>,
    id: usize,
    lines: Vec<u8>,
}

impl Transcript {
    fn card(&mut self) -> Result<(), String> {
        let card = exchange(&self.server, Method::GET, CARD_PATH, compact(&Value::Null))?;
        let card = parse(&card).map_err(|error| error.to_string())?;
        let of = |name: &str| card.get("capabilities").and_then(|held| held.get(name)).cloned().unwrap_or_default();
        let shown = Object::new().with("operations", of("operations")).with("extensions", of("extensions"));
        self.lines.extend(line(&Object::new().with("kind", "card").with("capabilities", shown).into()));
        Ok(())
    }

    fn load(&mut self, kind: &'static str, document: &Value) -> Result<(), String> {
        let part = Object::new().with("kind", "data").with("data", document.clone());
        self.data(kind, "data/add", Object::new().with("parts", vec![part.into()]).into()).map(drop)
    }

    fn tool(&mut self, kind: &'static str, call: &PlannedCall) -> Result<(), String> {
        let params = Object::new().with("name", call.tool.as_str()).with("arguments", call.arguments.clone());
        self.exchanged(kind, MCP_PATH, "tools/call", params.into()).map(drop)
    }

    fn data(&mut self, kind: &'static str, method: &str, params: Value) -> Result<Value, String> {
        self.exchanged(kind, DATA_PATH, method, params)
    }

    fn exchanged(&mut self, kind: &'static str, path: &str, method: &str, params: Value) -> Result<Value, String> {
        self.id += 1;
        let request = Object::new().with("jsonrpc", "2.0").with("id", self.id).with("method", method);
        let request: Value = request.with("params", params).into();
        let reply = exchange(&self.server, Method::POST, path, compact(&request))?;
        let reply = parse(&reply).map_err(|error| error.to_string())?;
        let shown =
            Object::new().with("kind", kind).with("request", shortened(&request)).with("reply", shortened(&reply));
        self.lines.extend(line(&shown.into()));
        Ok(reply)
    }
}

/// A message with every state document in it as its size, digest and first entity.
fn shortened(value: &Value) -> Value {
    match value.plain() {
        Value::Object(object) if object.contains("rea_state") => {
            let bytes = compact(value);
            let mut digest = CanonicalDigest::new();
            digest.put(&bytes);
            let first = resolve(value, "/rea_state/entities/0").cloned();
            let facts =
                Object::new().with("bytes", bytes.len()).with("sha256", digest.finish()).with("first_entity", first);
            Object::new().with("rea_state", facts).into()
        }
        Value::Object(object) => {
            Value::Object(object.iter().map(|(name, inner)| (name.clone(), shortened(inner))).collect())
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        other => other.clone(),
    }
}
