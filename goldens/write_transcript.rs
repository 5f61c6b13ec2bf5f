//! A transcript of the served writes: each is called as it was recorded, the entity and its collection are read back, an
//! unknown member and an absent entity are tried, and a reset takes everything back. Texts that the environment made up
//! (UUIDs, tokens: no recording and no request holds them) stand as `<made 1>`, so that a change elsewhere does not
//! rewrite them.

use super::calls::{PlannedCall, UNRECORDED, recorded};
use super::transcript::{compact, exchange, line, server};
use http::Method;
use rea::answer::Engine;
use rea::json::{Object, Value, parse, resolve};
use rea::manifest::Tool;
use rea::serve::{DATA_PATH, MCP_PATH, Server};
use rea::state::WriteState;
use std::collections::BTreeMap;
use std::sync::Arc;

/// At most this many write tools of a scenario, the first of each method in the catalog's order.
const TOOLS: usize = 12;
/// A text with fewer characters is not taken for one that was made up.
const MADE: usize = 8;

/// The exchanges of a scenario, one a line; none where no write is served.
pub fn write_calls(engine: &Arc<Engine>) -> Result<Vec<u8>, String> {
    let captured = String::from_utf8_lossy(&engine.capture.evidence.to_compact_bytes()).into_owned();
    let lines = Vec::new();
    let mut transcript =
        Transcript { engine, server: server(engine), captured, made: BTreeMap::new(), created: BTreeMap::new(), lines };
    for tool in tools(engine) {
        transcript.write(tool)?;
    }
    if !transcript.lines.is_empty() {
        transcript.exchanged("reset", DATA_PATH, "data/reset", Object::new().into())?;
        // The first write again: a reset restarts clock, sequences and what is made up.
        let first = tools(engine).into_iter().next();
        first.map_or(Ok(()), |tool| transcript.write(tool))?;
    }
    Ok(transcript.lines)
}

/// The served write tools: what creates first, what deletes last.
fn tools(engine: &Engine) -> Vec<&Tool> {
    let Some(derived) = &engine.derived else { return Vec::new() };
    let is_write = |index: usize| matches!(derived.writes.get(index), Some(Some(WriteState::Served(_))));
    let served = engine.catalog.tools.iter().filter(|served| is_write(served.tool));
    let served: Vec<&Tool> = served.filter_map(|served| engine.manifest.tools.get(served.tool)).collect();
    let methods = ["POST", "PUT", "PATCH", "DELETE", "GET"];
    let mut chosen = Vec::new();
    for method in methods {
        let of_method = served.iter().copied().filter(|tool| tool.method.as_str() == method);
        chosen.extend(of_method.take(TOOLS / 3));
    }
    chosen.truncate(TOOLS);
    chosen
}

struct Transcript<'a> {
    engine: &'a Arc<Engine>,
    server: Arc<Server>,
    /// Every text that was recorded.
    captured: String,
    /// Texts that were made up, with what they are called.
    made: BTreeMap<String, String>,
    /// What was created last, by collection: its identity.
    created: BTreeMap<String, String>,
    lines: Vec<u8>,
}

impl Transcript<'_> {
    fn write(&mut self, tool: &Tool) -> Result<(), String> {
        let Some(mut arguments) = self.arguments(tool) else { return Ok(()) };
        self.onto_created(tool, &mut arguments);
        self.unknown_member(tool, &arguments)?;
        let reply = self.tool("write", &tool.name, arguments.clone())?;
        let target = resolve(&reply, "/result/structuredContent/state").cloned().unwrap_or_default();
        let text = |name: &str| target.get(name).and_then(Value::as_str).map(str::to_owned);
        let (collection, id) = (text("collection"), text("id"));
        if let (Some(collection), Some(id), Some("create")) = (&collection, &id, text("view").as_deref()) {
            self.created.insert(collection.clone(), id.clone());
        }
        let place = self.path(tool, &arguments);
        let paths = [id.map(|id| format!("{}/{id}", collection.clone().unwrap_or_default())), collection, Some(place)];
        let mut read: Vec<String> = Vec::new();
        for path in paths.into_iter().flatten() {
            if !read.contains(&path) {
                self.read(&path)?;
                read.push(path);
            }
        }
        if tool.method.as_str() == "DELETE" {
            self.tool("write-absent", &tool.name, arguments)?;
        }
        Ok(())
    }

    /// The arguments of the tool's first successful recording.
    fn arguments(&self, tool: &Tool) -> Option<Object> {
        let records = &self.engine.capture.records;
        let succeeded = |ordinal: &&usize| {
            let answer = records.iter().find(|record| record.ordinal == **ordinal)?.answer.as_ref()?;
            (200..300).contains(&answer.status).then_some(())
        };
        let ordinal = tool.records.iter().find(|ordinal| succeeded(ordinal).is_some())?;
        Some(recorded(self.engine, tool, *ordinal))
    }

    /// Lets a write address what was created in its collection, where there is such a thing.
    fn onto_created(&self, tool: &Tool, arguments: &mut Object) {
        let path = self.path(tool, arguments);
        for (collection, id) in &self.created {
            let Some(rest) = path.strip_prefix(&format!("{collection}/")) else { continue };
            let old = rest.split('/').next().unwrap_or_default();
            let last = tool
                .parameters
                .iter()
                .find(|parameter| arguments.get(parameter.argument.as_str()).and_then(Value::as_str) == Some(old));
            if let Some(parameter) = last {
                arguments.set(parameter.argument.as_str(), id.as_str());
            }
        }
    }

    /// A member that no recording stored is refused, and changes nothing.
    fn unknown_member(&mut self, tool: &Tool, arguments: &Object) -> Result<(), String> {
        let mut arguments = arguments.clone();
        match arguments.get_mut(tool.body_argument.as_str()).and_then(innermost) {
            Some(members) => members.push(UNRECORDED, true),
            None => return Ok(()),
        }
        self.tool("unknown-member", &tool.name, arguments).map(drop)
    }

    /// The path that a call of the tool asks for.
    fn path(&self, tool: &Tool, arguments: &Object) -> String {
        let mut segments: Vec<String> = tool.template.spelling().split('/').skip(1).map(str::to_owned).collect();
        for parameter in &tool.parameters {
            if let (Some(segment), Some(text)) = (
                segments.get_mut(parameter.segment),
                arguments.get(parameter.argument.as_str()).and_then(Value::as_str),
            ) {
                text.clone_into(segment);
            }
        }
        format!("/{}", segments.join("/"))
    }

    /// Reads a path with the tool that fits it best.
    fn read(&mut self, path: &str) -> Result<(), String> {
        let reads = self.engine.catalog.tools.iter().filter_map(|served| self.engine.manifest.tools.get(served.tool));
        let fitting = reads.filter(|tool| tool.method.as_str() == "GET");
        let fitting = fitting.filter_map(|tool| Some((tool, tool.template.matches(path)?)));
        let Some((tool, values)) = fitting.max_by_key(|(tool, _)| tool.template.literal_count()) else { return Ok(()) };
        let named = tool.parameters.iter().map(|parameter| parameter.argument.as_str());
        let arguments: Object = named.zip(values).map(|(name, value)| (name.into(), value.into())).collect();
        let name = tool.name.clone();
        self.tool("read-back", &name, arguments).map(drop)
    }

    fn tool(&mut self, kind: &'static str, name: &str, arguments: Object) -> Result<Value, String> {
        let call = PlannedCall::new(kind, name, arguments);
        let params = Object::new().with("name", call.tool.as_str()).with("arguments", call.arguments);
        self.exchanged(kind, MCP_PATH, "tools/call", params.into())
    }

    fn exchanged(&mut self, kind: &'static str, path: &str, method: &str, params: Value) -> Result<Value, String> {
        let request = Object::new().with("jsonrpc", "2.0").with("id", 1_u64).with("method", method);
        let request: Value = request.with("params", params).into();
        let reply = exchange(&self.server, Method::POST, path, compact(&request))?;
        let reply = parse(&reply).map_err(|error| error.to_string())?;
        let shown = Object::new()
            .with("kind", kind)
            .with("request", self.aliased(&request))
            .with("reply", self.aliased(&reply));
        self.lines.extend(line(&shown.into()));
        Ok(reply)
    }

    /// A message with every text that was made up under its alias.
    fn aliased(&mut self, value: &Value) -> Value {
        match value.plain() {
            Value::Object(object) => {
                object.iter().map(|(name, value)| (name.clone(), self.aliased(value))).collect::<Object>().into()
            }
            Value::Array(items) => items.iter().map(|item| self.aliased(item)).collect(),
            _ => match value.as_str() {
                Some(text) => Value::from(self.renamed(text)),
                None => value.clone(),
            },
        }
    }

    fn renamed(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let word = |character: char| character.is_ascii_alphanumeric() || character == '-';
            let end = rest.find(|character| !word(character)).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            out.push_str(&self.alias(run));
            let other = after.find(word).unwrap_or(after.len());
            out.push_str(&after[..other]);
            rest = &after[other..];
        }
        out
    }

    fn alias(&mut self, run: &str) -> String {
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        // A clock is not made up, and a word is not.
        let clock =
            run.len() >= 7 && run.as_bytes()[4] == b'-' && run.bytes().take(4).all(|byte| byte.is_ascii_digit());
        if run.len() < MADE || digits == 0 || digits == run.len() || clock || self.captured.contains(run) {
            return run.to_owned();
        }
        let next = self.made.len() + 1;
        self.made.entry(run.to_owned()).or_insert_with(|| format!("<made {next}>")).clone()
    }
}

/// The object that holds a body's members: what envelopes of one member and lists of one element hold.
fn innermost(body: &mut Value) -> Option<&mut Object> {
    let wraps = |object: &Object| match object.iter().next().map(|(_, value)| value.plain()) {
        Some(Value::Object(_)) => object.len() == 1,
        Some(Value::Array(items)) => object.len() == 1 && items.len() == 1 && items[0].as_object().is_some(),
        _ => false,
    };
    if body.as_object().is_some_and(wraps) {
        let (_, inner) = body.as_object_mut()?.iter_mut().next()?;
        return innermost(inner);
    }
    if body.as_array().is_some_and(|items| items.len() == 1) {
        return innermost(body.as_array_mut()?.first_mut()?);
    }
    body.as_object_mut()
}
