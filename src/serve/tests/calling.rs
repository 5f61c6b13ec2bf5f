//! Calls over `/mcp` and `/agentenv`: what is answered, and what each bad input gets.

use super::fixture::{CALL, INITIALIZE, Received, engine, server, start};
use crate::serve::{Answer, Server, SessionOptions, SessionState, handle};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::Arc;

/// Hands a POST to the router without a socket.
async fn post(server: &Arc<Server>, path: &str, body: &str) -> (u16, Value) {
    let request =
        Request::post(path).header("host", "localhost").body(Full::new(Bytes::from(body.to_owned()))).unwrap();
    let response = handle(server, request).await;
    let status = response.status().as_u16();
    let Answer::Whole(bytes) = response.into_body() else { panic!("a stream") };
    (status, bytes.map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).unwrap()))
}

async fn call(name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": params}).to_string();
    let (status, reply) = post(&server(), "/mcp", &body).await;
    assert_eq!(status, 200);
    reply
}

#[tokio::test]
async fn a_call_is_answered_as_text_and_as_structure_with_its_provenance() {
    let reply = call("get_things_by_id", json!({"id": "1"})).await;
    let result = &reply["result"];
    assert_eq!(result["structuredContent"]["status"], 200);
    assert_eq!(result["structuredContent"]["body"], json!({"id": 1, "name": "one \"quoted\" \\ thing"}));
    assert_eq!(result["structuredContent"]["replay"]["exact_match"], true);
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    assert_eq!(result["content"][0]["type"], "text");
    assert_eq!(result["isError"], false);
    assert_eq!(result["_meta"]["provenance"], json!({"untrusted_content": true, "source": "analysis_target"}));
}

#[tokio::test]
async fn an_unpaired_surrogate_does_not_cost_a_strict_client_its_session() {
    let reply = call("get_odd", json!({})).await;
    assert_eq!(reply["result"]["structuredContent"]["body"], json!(r#"{"name":"\ud800"}"#));
    let text = reply["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), reply["result"]["structuredContent"]);
}

#[rstest]
#[case(json!({"id": "1", "idd": "2"}))]
#[case(json!({"id": 1}))]
#[case(json!({}))]
#[case(json!([]))]
#[case(json!("1"))]
#[case(Value::Null)]
#[tokio::test]
async fn arguments_that_do_not_fit_are_a_tool_error_with_provenance(#[case] arguments: Value) {
    let reply = call("get_things_by_id", arguments).await;
    let result = &reply["result"];
    assert_eq!(result["isError"], true, "{reply}");
    assert_eq!(result["structuredContent"]["code"], "invalid_arguments");
    assert_eq!(result["structuredContent"]["retryable"], false);
    assert_eq!(result["structuredContent"]["applied"], "no");
    assert!(result["structuredContent"]["hint"].is_string());
    assert_eq!(result["_meta"]["provenance"]["untrusted_content"], true);
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
}

#[rstest]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#, -32601)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#, -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#, -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_thing"}}"#, -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}"#, -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602)]
#[case(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600)]
#[tokio::test]
async fn errors_of_the_protocol_are_json_rpc_errors_with_status_200(#[case] body: &str, #[case] code: i64) {
    let (status, reply) = post(&server(), "/mcp", body).await;
    assert_eq!(status, 200);
    assert_eq!(reply["id"], 1);
    assert_eq!(reply["error"]["code"], code, "{reply}");
}

#[rstest]
#[case("/mcp", "9007199254740993")]
#[case("/mcp", "1.5")]
#[case("/mcp", "1e400")]
#[case("/agentenv", "-9007199254740993")]
#[case("/agentenv", "0.5")]
#[tokio::test]
async fn an_id_that_cannot_be_echoed_is_refused_with_a_null_id(#[case] path: &str, #[case] id: &str) {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let (status, reply) = post(&server(), path, &body).await;
    assert_eq!((status, &reply["error"]["code"], &reply["id"]), (200, &json!(-32600), &Value::Null));
}

#[rstest]
#[case("/mcp")]
#[case("/agentenv")]
#[tokio::test]
async fn what_is_no_json_is_400_and_what_is_no_batch_is_200(#[case] path: &str) {
    let server = server();
    let (status, reply) = post(&server, path, "{\"jsonrpc\":").await;
    assert_eq!((status, &reply["error"]["code"]), (400, &json!(-32700)));
    let (status, reply) = post(&server, path, "[]").await;
    assert_eq!((status, &reply["error"]["code"]), (200, &json!(-32600)));
    let many = format!("[{}]", vec![r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#; 101].join(","));
    let (status, reply) = post(&server, path, &many).await;
    assert_eq!((status, &reply["error"]["code"]), (200, &json!(-32600)));
}

#[tokio::test]
async fn a_batch_is_answered_in_order_and_cannot_open_a_session() {
    let batch = format!(
        "[{},{},{},{}]",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        CALL,
        INITIALIZE,
        r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#
    );
    let server = server();
    let (status, replies) = post(&server, "/mcp", &batch).await;
    assert_eq!(status, 200);
    let replies = replies.as_array().unwrap();
    assert_eq!(replies.len(), 3);
    assert_eq!(replies[0]["result"]["structuredContent"]["body"]["id"], 2);
    assert_eq!(replies[1]["error"]["code"], -32600);
    assert_eq!(replies[2], json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert!(server.sessions().is_empty());
}

#[rstest]
#[case("/mcp", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)]
#[case("/mcp", r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)]
#[case("/mcp", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)]
#[case("/agentenv", r#"{"jsonrpc":"2.0","method":"data/reset"}"#)]
#[tokio::test]
async fn what_wants_no_reply_gets_202_and_no_body(#[case] path: &str, #[case] body: &str) {
    assert_eq!(post(&server(), path, body).await, (202, Value::Null));
}

#[tokio::test]
async fn initialize_introduces_the_server_and_opens_a_session() {
    let running = start().await;
    let opened = running.mcp(&[("Accept", "application/json, text/event-stream")], INITIALIZE).await;
    let result = &opened.json()["result"];
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["serverInfo"]["name"], "rea");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(result["capabilities"], json!({"tools": {"listChanged": false}}));
    assert!(result["instructions"].as_str().unwrap().contains("untrusted"));
    let id = opened.header("mcp-session-id").unwrap();
    let listed = running
        .mcp(
            &[("Mcp-Session-Id", id), ("MCP-Protocol-Version", "2025-11-25")],
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#,
        )
        .await;
    assert_eq!(listed.json()["result"]["tools"].as_array().unwrap().len(), 3);
    assert!(listed.json()["result"].get("nextCursor").is_none());
}

#[tokio::test]
async fn several_sessions_call_at_once_and_an_ended_one_is_404() {
    let running = start().await;
    let (first, second) = tokio::join!(running.open(), running.open());
    assert_ne!(first, second);
    let answers: Vec<Received> = {
        let headers = [[("Mcp-Session-Id", first.as_str())], [("Mcp-Session-Id", second.as_str())]];
        let (one, two) = tokio::join!(running.mcp(&headers[0], CALL), running.mcp(&headers[1], CALL));
        vec![one, two]
    };
    for answer in &answers {
        assert_eq!(answer.json()["result"]["structuredContent"]["body"]["id"], 2);
    }
    let headers = [("Mcp-Session-Id", first.as_str())];
    assert_eq!(running.send("DELETE", "/mcp", &headers, "").await.status, 204);
    let gone = running.mcp(&headers, CALL).await;
    assert_eq!((gone.status, &gone.json()["error"]["code"], &gone.json()["id"]), (404, &json!(-32001), &json!(1)));
    assert_eq!(running.send("DELETE", "/mcp", &headers, "").await.status, 404);
    assert_eq!(running.send("GET", "/mcp", &headers, "").await.status, 404);
    assert_eq!(running.send("DELETE", "/mcp", &[], "").await.status, 400);
    assert_eq!(running.mcp(&[("Mcp-Session-Id", second.as_str())], CALL).await.status, 200);
    assert_eq!(running.mcp(&[("Mcp-Session-Id", "unknown")], INITIALIZE).await.status, 200);
    assert_eq!(running.server.sessions().len(), 2);
}

#[tokio::test]
async fn a_call_needs_no_session_unless_sessions_are_isolated() {
    let (_, reply) = post(&server(), "/mcp", CALL).await;
    assert_eq!(reply["result"]["structuredContent"]["body"]["id"], 2);
    let isolated = Arc::new(Server::new(engine(), SessionOptions::new(SessionState::Isolated), true));
    let (status, reply) = post(&isolated, "/mcp", CALL).await;
    assert_eq!((status, &reply["error"]["code"]), (200, &json!(-32600)));
    assert!(reply["error"]["message"].as_str().unwrap().contains("Mcp-Session-Id"));
    let (_, opened) = post(&isolated, "/mcp", INITIALIZE).await;
    assert!(opened["result"].is_object());
}

#[tokio::test]
async fn an_unspoken_version_header_is_refused_by_name() {
    let running = start().await;
    let session = running.open().await;
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "1999-01-01")];
    let refused = running.mcp(&headers, CALL).await;
    assert_eq!((refused.status, &refused.json()["id"]), (400, &json!(1)));
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("1999-01-01"));
    let probe = running
        .mcp(&[("MCP-Protocol-Version", "2099-01-01")], r#"{"jsonrpc":"2.0","id":7,"method":"server/discover"}"#)
        .await;
    assert_eq!((probe.status, &probe.json()["error"]["code"], &probe.json()["id"]), (200, &json!(-32601), &json!(7)));
    let anew = running.mcp(&[("MCP-Protocol-Version", "1999-01-01")], INITIALIZE).await;
    assert_eq!(anew.status, 200, "a client that begins is not asked for it");
}
