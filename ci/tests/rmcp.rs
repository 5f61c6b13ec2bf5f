//! The Rust MCP client against every scenario: it reads strictly (serde), so it also shows that what we write is what the
//! protocol says. Needs no network and no Docker: the server runs in this process, on loopback.

// A helper of a test may fail as the test itself may.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use rea::answer::{Engine, EngineOptions, load_pair};
use rea::capture::InspectOptions;
use rea::serve::{ServeOptions, Signal, Stop, serve};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ErrorCode, JsonObject, ProtocolVersion, Tool};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Calls for each scenario.
const CALLS: usize = 20;

fn scenarios() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let folders = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut captures: Vec<_> = folders.map(|folder| folder.join("capture.har")).filter(|file| file.is_file()).collect();
    captures.sort();
    assert!(!captures.is_empty(), "no scenario in {}", folder.display());
    captures
}

/// Observed values of the required arguments, or any text.
fn arguments(tool: &Tool) -> JsonObject {
    let required = tool.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let names = required.iter().filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), json!("1"))).collect()
}

fn call(name: &str, arguments: JsonObject) -> CallToolRequestParams {
    CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)
}

async fn drive(url: &str) {
    let client = ().serve(StreamableHttpClientTransport::from_uri(url)).await.unwrap();
    let server = client.peer_info().unwrap();
    assert!(server.instructions.as_deref().is_some_and(|text| text.contains("untrusted")));
    let tools = client.list_all_tools().await.unwrap();
    assert!(!tools.is_empty());
    for index in 0..CALLS {
        let tool = &tools[index % tools.len()];
        let result = client.call_tool(call(&tool.name, arguments(tool))).await.unwrap();
        let text = &result.content.first().and_then(|block| block.as_text()).unwrap().text;
        let structured = result.structured_content.as_ref().unwrap();
        assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), structured);
        let reads = tool.annotations.as_ref().and_then(|hints| hints.read_only_hint) == Some(true);
        if result.is_error == Some(true) {
            // A served write says what it lacks, and that nothing was changed.
            assert!(!reads, "{}: {result:?}", tool.name);
            assert_eq!(structured["code"], "invalid_arguments", "{}: {result:?}", tool.name);
            assert_eq!(structured["applied"], "no");
        } else {
            assert!(structured["replay"]["record_ordinal"].is_u64());
        }
        let meta = serde_json::to_value(&result.meta).unwrap();
        assert_eq!(meta["provenance"], json!({"untrusted_content": true, "source": "analysis_target"}));
    }

    let mut wrong = arguments(&tools[0]);
    wrong.insert("misspelled_argument".to_owned(), json!("x"));
    let refused = client.call_tool(call(&tools[0].name, wrong)).await.unwrap();
    assert_eq!(refused.is_error, Some(true));
    assert_eq!(refused.structured_content.unwrap()["code"], "invalid_arguments");

    let unknown = client.call_tool(call("no_such_tool", JsonObject::new())).await.unwrap_err();
    assert!(matches!(&unknown, ServiceError::McpError(error) if error.code == ErrorCode::INVALID_PARAMS), "{unknown}");
    client.list_all_tools().await.expect("the session lives after an error");
    client.cancel().await.unwrap();
}

/// A client of a newer protocol probes first and falls back to the handshake.
async fn probe(url: &str) {
    let lifecycle =
        ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::LATEST], legacy_version: None };
    let client = ().serve_with_lifecycle(StreamableHttpClientTransport::from_uri(url), lifecycle).await.unwrap();
    assert!(!client.list_all_tools().await.unwrap().is_empty());
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rmcp_drives_every_scenario() {
    for capture in scenarios() {
        println!("{}", capture.display());
        let (capture, manifest) = load_pair(&capture, None, &InspectOptions::default()).unwrap();
        let engine = Arc::new(Engine::new(capture, manifest, &EngineOptions::default()).unwrap());
        let (stopper, stop) = Stop::by_hand();
        let options = ServeOptions::new(stop);
        let mut bound = options.bound.subscribe();
        let serving = tokio::spawn(async move { serve(engine, &options).await });
        let url = bound.wait_for(Option::is_some).await.unwrap().clone().unwrap();
        tokio::join!(drive(&url), drive(&url), probe(&url));
        stopper.stop(Signal::Interrupt);
        assert_eq!(serving.await.unwrap().unwrap().signal, Signal::Interrupt);
    }
}
