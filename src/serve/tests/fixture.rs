//! A small environment made by hand, a running server of it, and a client that writes raw bytes.

use crate::answer::{Engine, EngineOptions};
use crate::capture::{Answer as RecordedAnswer, Body, Capture, CaptureInput, Record, Request};
use crate::evidence::{Authority, Confidence, Evidence, Provider};
use crate::json::{Object, Value};
use crate::manifest::tests::recording;
use crate::manifest::{
    BodyShape, DEFAULT_BUILD_RULES, Manifest, PathParameter, QueryParameter, Segment, SegmentFormat, Template, Tool,
    project_manifest,
};
use crate::serve::listener::{bind, serve_connections};
use crate::serve::{Answer, Server, SessionOptions, SessionState, Signal, Stop, Stopper, handle};
use bytes::Bytes;
use http::Request as HttpRequest;
use http_body_util::Full;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

fn evidence(operation: &str, result: Value) -> Arc<Evidence> {
    let evidence = Evidence {
        evidence_id: String::new(),
        subject: None,
        provider: Provider { id: "test".into(), name: "Test".into(), version: None },
        analysis_profile: None,
        predicate_type: "rea.analysis".into(),
        operation: operation.into(),
        parameters: Object::new(),
        raw_result: Value::Null,
        normalized_result: result,
        confidence: Confidence::Observed,
        authority: Authority::HistoricalReference,
        environment: None,
        limitations: Vec::new(),
        locations: Vec::new(),
        evidence_links: Vec::new(),
    };
    Arc::new(evidence.seal())
}

fn record(ordinal: usize, method: &str, path: &str, status: u16, body: &str) -> Record {
    let request = Request {
        method: method.into(),
        origin: "http://app.test".into(),
        path: path.into(),
        query: None,
        content_type: None,
        body: Body::Unrecorded,
    };
    let content_type = Some("application/json".into());
    Record {
        ordinal,
        start: None,
        duration_ms: None,
        request: Some(request),
        no_request_reason: None,
        answer: Some(RecordedAnswer { status, content_type, location: None, body: Body::Text(body.into()) }),
        bodies_unselected: false,
    }
}

fn tool(name: &str, method: &str, segments: Vec<Segment>, records: &[usize]) -> Tool {
    let parameters = segments.iter().enumerate().filter(|(_, segment)| matches!(segment, Segment::Format(_)));
    let parameters = parameters.map(|(segment, _)| PathParameter {
        segment,
        argument: "id".into(),
        name: "id".into(),
        observed: vec!["1".into(), "2".into()],
    });
    Tool {
        name: name.into(),
        method: method.into(),
        parameters: parameters.collect(),
        template: Template { segments },
        query: vec![QueryParameter { name: "q".into(), argument: "q".into(), observed: Vec::new(), repeated: false }],
        body: (method == "POST").then(BodyShape::default),
        body_argument: "body".into(),
        statuses: vec![200],
        records: records.to_vec(),
    }
}

/// Three tools over four records; the last record's body holds an unpaired surrogate.
pub fn engine() -> Arc<Engine> {
    let records = vec![
        record(0, "GET", "/things/1", 200, r#"{"id":1,"name":"one \"quoted\" \\ thing"}"#),
        record(1, "GET", "/things/2", 200, r#"{"id":2,"name":"two é"}"#),
        record(2, "POST", "/things", 201, r#"{"id":3}"#),
        record(3, "GET", "/odd", 200, r#"{"name":"\ud800"}"#),
    ];
    let capture = Capture {
        evidence: evidence("inspect_web_network_capture", Value::Null),
        records: records.into(),
        input: CaptureInput::Evidence,
        drops_format: false,
    };
    let literal = |text: &str| Segment::Literal(text.into());
    let parent = Object::new().with("parent_evidence_id", capture.evidence.evidence_id.as_str());
    let by_id = vec![literal("things"), Segment::Format(SegmentFormat::Numeric)];
    let manifest = Manifest {
        evidence: evidence("inspect_analysis_view", parent.into()),
        name: "things".into(),
        origin: "http://app.test".into(),
        template_rules: Vec::new(),
        tools: vec![
            tool("get_things_by_id", "GET", by_id, &[0, 1]),
            tool("post_things", "POST", vec![literal("things")], &[2]),
            tool("get_odd", "GET", vec![literal("odd")], &[3]),
        ],
        excluded_groups: Vec::new(),
        unknowns: Vec::new(),
        view_digest: String::new(),
    };
    Arc::new(Engine::new(capture, manifest, &EngineOptions { replay_only: true, name: None }).unwrap())
}

/// An environment that answers from a state: three users, a document, and an item that one list does not show whole.
pub fn state_engine() -> Arc<Engine> {
    let exchanges = [
        ("/api/users", r#"[{"id":1,"name":"ada"},{"id":2,"name":"bob"},{"id":3,"name":"cid"}]"#),
        ("/api/users/1", r#"{"id":1,"name":"ada","email":"ada@app.test"}"#),
        ("/api/users/2", r#"{"id":2,"name":"bob","email":"bob@app.test"}"#),
        ("/api/users/3", r#"{"id":3,"name":"cid","email":"cid@app.test"}"#),
        ("/api/settings", r#"{"theme":"dark","limits":{"files":9007199254740993}}"#),
    ];
    let records = exchanges.iter().enumerate();
    let records = records.map(|(ordinal, (path, body))| recording::record(ordinal, "GET", path, 200, body)).collect();
    let capture = recording::capture(records);
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).unwrap();
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).unwrap();
    assert!(engine.has_state(), "{:?}", engine.state);
    Arc::new(engine)
}

/// A server of [`state_engine`] without a socket.
pub fn state_server(state: SessionState) -> Arc<Server> {
    Arc::new(Server::new(state_engine(), SessionOptions::new(state), true))
}

/// Hands a POST to the router without a socket.
pub async fn post(server: &Arc<Server>, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, serde_json::Value) {
    let mut request = HttpRequest::post(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
    let response = handle(server, request).await;
    let status = response.status().as_u16();
    let Answer::Whole(bytes) = response.into_body() else { panic!("a stream") };
    (status, bytes.map_or(serde_json::Value::Null, |bytes| serde_json::from_slice(&bytes).unwrap()))
}

/// The reply of one data-plane call.
pub async fn data(server: &Arc<Server>, method: &str, params: serde_json::Value) -> serde_json::Value {
    let body = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let (status, reply) = post(server, "/agentenv", &[], &body.to_string()).await;
    assert_eq!(status, 200, "{reply}");
    reply
}

/// Loads a document inline.
pub async fn add(server: &Arc<Server>, document: &serde_json::Value) -> serde_json::Value {
    data(server, "data/add", serde_json::json!({"parts": [{"kind": "data", "data": document}]})).await
}

/// The state document.
pub async fn get(server: &Arc<Server>) -> serde_json::Value {
    let reply = data(server, "data/get", serde_json::json!({})).await;
    assert_eq!(reply["result"]["parts"][0]["kind"], "data", "{reply}");
    reply["result"]["parts"][0]["data"].clone()
}

/// A server without a socket.
pub fn server() -> Arc<Server> {
    Arc::new(Server::new(engine(), SessionOptions::new(SessionState::Shared), true))
}

/// A server on a free port of loopback.
pub struct Running {
    pub address: SocketAddr,
    pub server: Arc<Server>,
    pub stopper: Stopper,
    pub ended: JoinHandle<std::io::Result<Signal>>,
}

pub async fn start() -> Running {
    start_serving(server()).await
}

pub async fn start_serving(server: Arc<Server>) -> Running {
    let (stopper, stop) = Stop::by_hand();
    let listener = bind("127.0.0.1", 0, &stop).await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = Arc::clone(&server);
    let ended = tokio::spawn(async move { serve_connections(listener, &serving, &stop).await });
    Running { address, server, stopper, ended }
}

/// What came back over a socket.
#[derive(Debug)]
pub struct Received {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Received {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Running {
    /// Writes raw bytes and reads until the server closes.
    pub async fn raw(&self, request: &[u8]) -> Received {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        received(&bytes)
    }

    /// One request on a connection of its own.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Received {
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if method == "POST" {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str("\r\n");
        request.push_str(body);
        self.raw(request.as_bytes()).await
    }

    /// A POST to `/mcp`.
    pub async fn mcp(&self, headers: &[(&str, &str)], body: &str) -> Received {
        self.send("POST", "/mcp", headers, body).await
    }

    /// Opens a session and returns its id.
    pub async fn open(&self) -> String {
        let opened = self.mcp(&[], INITIALIZE).await;
        assert_eq!(opened.status, 200, "{opened:?}");
        opened.header("mcp-session-id").unwrap().to_owned()
    }
}

/// The body that opens a session.
pub const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

/// A call of the tool with an item.
pub const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_things_by_id","arguments":{"id":"2"},"_meta":{"agentenv.io/role":"default"}}}"#;

pub fn received(bytes: &[u8]) -> Received {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    Received { status, head: head.to_owned(), body: body.to_owned() }
}
