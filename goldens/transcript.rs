//! What clients read of an environment: the card, the tool list, and a transcript of calls, all through the function that
//! answers requests of the network.

use super::calls::PlannedCall;
use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use rea::answer::Engine;
use rea::json::{Object, Value, parse, resolve, write_compact};
use rea::serve::{CARD_PATH, MCP_PATH, Server, SessionOptions, SessionState, handle};
use std::sync::Arc;

/// The body of an environment's card.
pub fn card(engine: &Arc<Engine>) -> Result<Vec<u8>, String> {
    exchange(&server(engine), Method::GET, CARD_PATH, Bytes::new())
}

/// The result of `tools/list`.
pub fn catalog(engine: &Arc<Engine>) -> Result<Vec<u8>, String> {
    let request = Object::new().with("jsonrpc", "2.0").with("id", 1_u64).with("method", "tools/list");
    let reply = exchange(&server(engine), Method::POST, MCP_PATH, compact(&request.into()))?;
    let reply = parse(&reply).map_err(|error| error.to_string())?;
    let result = resolve(&reply, "/result").ok_or("tools/list has no result")?;
    Ok(line(result))
}

/// Calls and their answers, one exchange a line, in one run of the server.
pub fn calls(engine: &Arc<Engine>, calls: Vec<PlannedCall>) -> Result<Vec<u8>, String> {
    let server = server(engine);
    let mut transcript = Vec::new();
    for (index, call) in calls.into_iter().enumerate() {
        let params = Object::new().with("name", call.tool.as_str()).with("arguments", call.arguments);
        let request: Value = Object::new()
            .with("jsonrpc", "2.0")
            .with("id", index + 1)
            .with("method", "tools/call")
            .with("params", params)
            .into();
        let reply = exchange(&server, Method::POST, MCP_PATH, compact(&request))?;
        let reply = parse(&reply).map_err(|error| error.to_string())?;
        let exchange = Object::new().with("kind", call.kind).with("request", request).with("reply", reply);
        transcript.extend(line(&exchange.into()));
    }
    Ok(transcript)
}

pub fn server(engine: &Arc<Engine>) -> Arc<Server> {
    Arc::new(Server::new(Arc::clone(engine), SessionOptions::new(SessionState::Shared), true))
}

/// The body of one answered request.
pub fn exchange(server: &Arc<Server>, method: Method, path: &str, body: Bytes) -> Result<Vec<u8>, String> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .body(Full::new(body))
        .map_err(|error| error.to_string())?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let response = runtime.block_on(handle(server, request));
    if response.status() != StatusCode::OK {
        return Err(format!("{path} answered {}", response.status()));
    }
    let body = response.into_body().into_bytes().ok_or("an event stream was answered")?;
    Ok(body.to_vec())
}

pub fn compact(value: &Value) -> Bytes {
    let mut bytes = Vec::new();
    write_compact(value, &mut bytes);
    bytes.into()
}

pub fn line(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_compact(value, &mut bytes);
    bytes.push(b'\n');
    bytes
}
