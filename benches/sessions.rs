//! A thousand sessions with a state of their own on one server over loopback: 100,000 calls mixed with writes, resets and
//! loads. Every answer is compared with what its session's calls so far say; the report is one line of JSON.
//! Bars: no wrong answer, under 64 KiB of resident memory a session (its changes included).
//!
//! Not a criterion bench: it runs once, stops after [`TIME`], and fails on a wrong answer or on the memory.

#![allow(missing_docs, clippy::expect_used, clippy::panic)]

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rea::answer::{Engine, EngineOptions, load_pair};
use rea::capture::InspectOptions;
use rea::serve::{ServeOptions, SessionOptions, SessionState, Stop, serve};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

const SESSIONS: usize = 1_000;
const CALLS: usize = 100_000;
/// Connections, each of which carries the calls of its part of the sessions.
const CONNECTIONS: usize = 50;
/// When the run has failed.
const TIME: Duration = Duration::from_secs(300);
const MAX_BYTES_A_SESSION: u64 = 64 * 1024;

/// What a session's calls so far say it holds: ids and titles in order.
#[derive(Clone)]
struct Model {
    id: String,
    books: Vec<(u64, String)>,
}

struct Client {
    sender: SendRequest<Full<Bytes>>,
    address: SocketAddr,
    /// How long each call took.
    taken: Vec<Duration>,
}

impl Client {
    async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("a TCP socket");
        let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("an HTTP server");
        tokio::spawn(connection);
        Self { sender, address, taken: Vec::new() }
    }

    async fn post(&mut self, path: &str, session: Option<&str>, body: Value) -> (Option<String>, Value) {
        let mut request = Request::post(path).header("host", self.address.to_string());
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        let request = request.body(Full::new(Bytes::from(body.to_string()))).expect("a request");
        self.sender.ready().await.expect("the connection is open");
        let begun = Instant::now();
        let response = self.sender.send_request(request).await.expect("an answer");
        let opened = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        self.taken.push(begun.elapsed());
        (opened, serde_json::from_slice(&bytes).expect("JSON"))
    }

    async fn call(&mut self, session: &str, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let (_, mut reply) = self.post("/mcp", Some(session), body).await;
        assert_eq!(reply["result"]["_meta"]["provenance"]["session"], session, "{reply}");
        reply["result"]["structuredContent"].take()
    }

    async fn data(&mut self, session: Option<&str>, method: &str, mut params: Value) -> Value {
        if let Some(session) = session {
            params["metadata"] = json!({"session": session});
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (_, mut reply) = self.post("/agentenv", None, body).await;
        assert!(reply.get("error").is_none(), "{reply}");
        reply["result"].take()
    }
}

/// One step of a session, chosen by its number, checked against the model.
async fn step(client: &mut Client, model: &mut Model, start: &(Value, Vec<(u64, String)>), number: usize) {
    let id = model.id.clone();
    match number % 20 {
        0 => {
            assert_eq!(client.data(Some(&id), "data/reset", json!({})).await, json!({}));
            model.books.clone_from(&start.1);
        }
        1 => {
            let mut document = start.0.clone();
            let title = format!("{id} {number}");
            document["rea_state"]["entities"][0]["fields"]["title"] = json!(title);
            let part = json!({"kind": "data", "data": document});
            assert_eq!(client.data(Some(&id), "data/add", json!({"parts": [part]})).await, json!({}));
            model.books.clone_from(&start.1);
            model.books[0].1 = title;
        }
        2 | 3 => {
            let title = format!("{id} {number}");
            let answer = client.call(&id, "post_books", json!({"body": {"title": title, "author": "someone"}})).await;
            let next = model.books.iter().map(|(id, _)| *id).max().unwrap_or_default() + 1;
            assert_eq!((&answer["body"]["id"], &answer["body"]["title"]), (&json!(next), &json!(title)), "{answer}");
            model.books.push((next, title));
        }
        4..=7 => {
            let answer = client.call(&id, "get_books", json!({})).await;
            let listed = answer["body"]["books"].as_array().cloned().unwrap_or_default();
            let listed = listed
                .iter()
                .map(|book| (book["id"].as_u64().unwrap_or(0), book["title"].as_str().unwrap_or("").to_owned()));
            assert!(listed.eq(model.books.iter().cloned()), "{answer}");
        }
        _ => {
            let (book, title) = &model.books[number % model.books.len()];
            let answer = client.call(&id, "get_books_by_id", json!({"id": book.to_string()})).await;
            assert_eq!(&answer["body"]["title"], title, "{answer}");
        }
    }
}

/// Resident bytes of this process, its clients included.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or_default() * 1024
}

async fn run() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/readme/capture.har");
    let (capture, manifest) = load_pair(&path, None, &InspectOptions::default()).expect("the scenario is whole");
    let engine = Arc::new(Engine::new(capture, manifest, &EngineOptions::default()).expect("it serves a state"));
    let (_stopper, stop) = Stop::by_hand();
    let options = ServeOptions { sessions: SessionOptions::new(SessionState::Isolated), ..ServeOptions::new(stop) };
    let mut bound = options.bound.subscribe();
    tokio::spawn(async move { serve(engine, &options).await.map(drop) });
    let url = bound.wait_for(Option::is_some).await.expect("it binds").clone().unwrap_or_default();
    let address: SocketAddr = url.trim_start_matches("http://").trim_end_matches("/mcp").parse().expect("an address");

    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        clients.push(Client::open(address).await);
    }
    let start = clients[0].data(None, "data/get", json!({})).await["parts"][0]["data"].clone();
    let held = start["rea_state"]["entities"].as_array().expect("entities").iter().map(|book| {
        (
            book["fields"]["id"].as_u64().unwrap_or_default(),
            book["fields"]["title"].as_str().unwrap_or_default().to_owned(),
        )
    });
    let start = Arc::new((start.clone(), held.collect::<Vec<_>>()));
    let before = resident();
    let mut models: Vec<Vec<Model>> = vec![Vec::new(); CONNECTIONS];
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}}});
    for session in 0..SESSIONS {
        let place = session % CONNECTIONS;
        let (id, _) = clients[place].post("/mcp", None, hello.clone()).await;
        models[place].push(Model { id: id.expect("a session"), books: start.1.clone() });
    }
    let opened = resident();

    let begun = Instant::now();
    let tasks = clients.into_iter().zip(models).enumerate().map(|(place, (mut client, mut models))| {
        let start = Arc::clone(&start);
        tokio::spawn(async move {
            for number in 0..CALLS / CONNECTIONS {
                let session = number % models.len();
                // Sessions of one connection do different things at the same time.
                let turn = number / models.len() * 7 + session + place;
                step(&mut client, &mut models[session], &start, turn).await;
            }
            client.taken
        })
    });
    let mut taken = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        taken.extend(task.await.expect("no wrong answer"));
    }
    let seconds = begun.elapsed().as_secs_f64();
    let after = resident();
    taken.sort_unstable();
    let at = |share: f64| taken.get((taken.len() as f64 * share) as usize).map_or(0, Duration::as_micros);
    let each = |bytes: u64| bytes.saturating_sub(before) / SESSIONS as u64;
    json!({"sessions": SESSIONS, "calls": CALLS, "wrong_answers": 0, "seconds": (seconds * 10.0).round() / 10.0,
        "calls_a_second": (CALLS as f64 / seconds).round(), "p50_us": at(0.5) as u64, "p99_us": at(0.99) as u64,
        "max_us": taken.last().map_or(0, Duration::as_micros) as u64,
        "bytes_an_opened_session": each(opened), "bytes_a_used_session": each(after)})
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let report = runtime.block_on(async { tokio::time::timeout(TIME, run()).await.expect("it ends in time") });
    println!("{report}");
    for name in ["bytes_an_opened_session", "bytes_a_used_session"] {
        let bytes = report[name].as_u64().unwrap_or(u64::MAX);
        assert!(bytes < MAX_BYTES_A_SESSION, "{name}: {bytes}");
    }
}
