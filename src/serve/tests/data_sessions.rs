//! Sessions with a state of their own, and the data plane on them.

use super::fixture::{INITIALIZE, add, data, get, start_serving, state_server};
use crate::serve::SessionState;
use serde_json::{Value, json};

fn call(name: &str, arguments: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        .to_string()
}

fn renamed(mut document: Value, name: &str) -> Value {
    document["rea_state"]["entities"][0]["fields"]["name"] = json!(name);
    document
}

#[tokio::test]
async fn each_session_has_a_fork_and_the_data_plane_reaches_it_by_name() {
    let running = start_serving(state_server(SessionState::Isolated)).await;
    let server = &running.server;
    let start = get(server).await;
    let (one, other) = (running.open().await, running.open().await);
    let name = async |session: &str| {
        let reply =
            running.mcp(&[("Mcp-Session-Id", session)], &call("get_users_by_id", json!({"id": "1"}))).await.json();
        assert_eq!(reply["result"]["_meta"]["provenance"]["session"], session, "{reply}");
        reply["result"]["structuredContent"]["body"]["name"].as_str().unwrap().to_owned()
    };
    // A named session changes alone.
    let part = json!({"kind": "data", "data": renamed(start.clone(), "eve")});
    let reply = data(server, "data/add", json!({"parts": [part], "metadata": {"session": one}})).await;
    assert_eq!(reply["result"], json!({}), "{reply}");
    assert_eq!((name(&one).await, name(&other).await), ("eve".to_owned(), "ada".to_owned()));
    assert_eq!(get(server).await, start);
    let named = data(server, "data/get", json!({"metadata": {"session": one}})).await;
    assert_eq!(named["result"]["parts"][0]["data"]["rea_state"]["entities"][0]["fields"]["name"], "eve");
    // The framework's client can name it in the part only.
    let part = json!({"kind": "data", "data": renamed(start.clone(), "flo"), "metadata": {"session": one}});
    assert_eq!(data(server, "data/add", json!({"parts": [part]})).await["result"], json!({}));
    assert_eq!(name(&one).await, "flo");
    // The base is what later sessions begin with, and what a session is reset to.
    assert_eq!(add(server, &renamed(start.clone(), "gus")).await["result"], json!({}));
    assert_eq!((name(&one).await, name(&other).await), ("flo".to_owned(), "ada".to_owned()));
    let later = running.open().await;
    assert_eq!(name(&later).await, "gus");
    assert_eq!(data(server, "data/reset", json!({"metadata": {"session": one}})).await["result"], json!({}));
    assert_eq!(name(&one).await, "gus");
    assert_eq!(data(server, "data/reset", json!({})).await["result"], json!({}));
    assert_eq!(get(server).await, start);
    assert_eq!(name(&later).await, "gus");
    // What ends is freed and no longer known.
    assert!(server.memory().held() > 0);
    for session in [&one, &other, &later] {
        assert_eq!(running.send("DELETE", "/mcp", &[("Mcp-Session-Id", session)], "").await.status, 204);
    }
    assert_eq!(server.memory().held(), 0);
    let gone = data(server, "data/get", json!({"metadata": {"session": one}})).await;
    assert_eq!((&gone["error"]["code"], &gone["error"]["data"]["path"]), (&json!(-32602), &json!("/metadata/session")));
}

#[tokio::test]
async fn two_names_for_one_call_must_be_one_session() {
    let running = start_serving(state_server(SessionState::Isolated)).await;
    let (one, other) = (running.open().await, running.open().await);
    let part = json!({"kind": "data", "data": get(&running.server).await, "metadata": {"session": other}});
    let reply = data(&running.server, "data/add", json!({"parts": [part], "metadata": {"session": one}})).await;
    assert_eq!(reply["error"]["data"]["path"], "/parts/0/metadata/session");
}

#[tokio::test]
async fn shared_sessions_are_not_named() {
    let running = start_serving(state_server(SessionState::Shared)).await;
    let session = running.open().await;
    let reply = data(&running.server, "data/get", json!({"metadata": {"session": session}})).await;
    assert_eq!(
        (&reply["error"]["code"], &reply["error"]["data"]["path"]),
        (&json!(-32602), &json!("/metadata/session"))
    );
    let answer = running.mcp(&[("Mcp-Session-Id", &session)], &call("get_users", json!({}))).await.json();
    assert!(answer["result"]["_meta"]["provenance"].get("session").is_none(), "{answer}");
    assert_eq!(running.mcp(&[], INITIALIZE).await.status, 200);
}
