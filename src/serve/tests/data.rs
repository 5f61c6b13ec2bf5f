//! The data plane as clients see it: what each method answers, what is refused and where.

use super::fixture::{add, data, get, post, server, state_server};
use crate::serve::{Server, SessionState};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::Arc;

fn shared() -> Arc<Server> {
    state_server(SessionState::Shared)
}

/// The body that a tool answers.
async fn call(server: &Arc<Server>, name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let (_, reply) = post(server, "/mcp", &[], &body).await;
    let result = &reply["result"]["structuredContent"];
    assert_eq!(result["state"]["source"], "state", "{reply}");
    result["body"].clone()
}

#[rstest]
#[case("data/reset", json!({}))]
#[case("data/add", json!({"parts": []}))]
#[case("data/get", json!([]))]
#[case("", json!({}))]
#[tokio::test]
async fn replay_serves_no_method_and_names_the_one_that_was_asked(#[case] method: &str, #[case] params: Value) {
    let reply = data(&server(), method, params).await;
    assert_eq!(reply["error"]["code"], -32601);
    assert!(reply["error"]["message"].as_str().unwrap().contains(&format!("method not found: {method}")));
}

#[tokio::test]
async fn a_batch_has_one_reply_for_each_request_and_none_for_notifications() {
    let batch = r#"[
        {"jsonrpc":"2.0","method":"data/reset"},
        {"jsonrpc":"2.0","id":1,"method":"data/get"},
        {"jsonrpc":"2.0","id":9007199254740993,"method":"data/get"},
        7,
        {"jsonrpc":"2.0","id":2,"result":{}},
        {"jsonrpc":"2.0","method":"x"}
    ]"#;
    let (status, replies) = post(&server(), "/agentenv", &[], batch).await;
    let codes: Vec<_> = replies.as_array().unwrap().iter().map(|reply| reply["error"]["code"].as_i64()).collect();
    assert_eq!((status, codes), (200, vec![Some(-32601), Some(-32600), Some(-32600), Some(-32600)]));
    assert_eq!((&replies[0]["id"], &replies[1]["id"]), (&json!(1), &Value::Null));
}

#[rstest]
#[case("[]", 200, -32600)]
#[case("5", 200, -32600)]
#[case(r#"{"jsonrpc":"2.0","id":1}"#, 200, -32600)]
#[case(r#"{"id":1,"method":"data/get"}"#, 200, -32600)]
#[case("", 400, -32700)]
#[case("{", 400, -32700)]
#[tokio::test]
async fn what_is_no_request_is_told_apart_from_what_is_no_json(
    #[case] body: &str,
    #[case] status: u16,
    #[case] code: i64,
) {
    for server in [server(), shared()] {
        let (answered, reply) = post(&server, "/agentenv", &[], body).await;
        assert_eq!((answered, &reply["error"]["code"]), (status, &json!(code)));
    }
}

#[tokio::test]
async fn notifications_run_and_are_accepted_without_a_reply() {
    let server = shared();
    let mut document = get(&server).await;
    document["rea_state"]["entities"].as_array_mut().unwrap().clear();
    let params = json!({"parts": [{"kind": "data", "data": document}]});
    let body = json!([{"jsonrpc": "2.0", "method": "data/add", "params": params}, {"jsonrpc": "2.0", "method": "x"}]);
    assert_eq!(post(&server, "/agentenv", &[], &body.to_string()).await, (202, Value::Null));
    assert_eq!(get(&server).await["rea_state"]["entities"], json!([]));
}

#[tokio::test]
async fn the_card_declares_what_a_state_takes() {
    let server = shared();
    let card: Value = serde_json::from_slice(&server.environment().card()).unwrap();
    let capabilities = &card["capabilities"];
    assert_eq!(capabilities["operations"], json!(["data/reset", "data/add", "data/get"]));
    let extension = &capabilities["extensions"][0];
    assert_eq!(extension["uri"], "urn:agentenv:intake/v1");
    assert_eq!(
        extension["params"],
        json!({
            "add": [
                {"part": "data", "format": "rea-state/v1", "load": "replace"},
                {"part": "file", "format": "rea-state/v1", "mimeTypes": ["application/json"], "load": "replace"}
            ],
            "get": [{"part": "data", "format": "rea-state/v1"}]
        })
    );
}

#[tokio::test]
async fn what_is_read_loads_back_to_the_same_bytes() {
    let server = shared();
    let first = data(&server, "data/get", json!({"write_namespace": {"unknown": true}})).await;
    assert_eq!(add(&server, &get(&server).await).await["result"], json!({}));
    assert_eq!(data(&server, "data/get", json!({})).await, first);
    assert_eq!(data(&server, "data/reset", json!({"unknown": 1})).await["result"], json!({}));
    assert_eq!(data(&server, "data/get", json!({})).await, first);
}

#[tokio::test]
async fn a_loaded_state_answers_calls_and_cites_no_record_for_what_was_edited() {
    let server = shared();
    let start = get(&server).await;
    let mut document = start.clone();
    let entities = document["rea_state"]["entities"].as_array_mut().unwrap();
    entities[1]["fields"]["name"] = json!("eve");
    let mut added = entities[0].clone();
    added["id"] = json!("7");
    added["fields"]["id"] = json!(7);
    added["record_ordinals"] = json!([]);
    entities.insert(0, added);
    entities.remove(3);
    document["rea_state"]["documents"][0]["value"]["theme"] = json!("light");
    for citation in ["state_evidence_id", "types"] {
        document["rea_state"].as_object_mut().unwrap().remove(citation);
    }
    assert_eq!(add(&server, &document).await["result"], json!({}));
    let names = |listed: Value| listed.as_array().unwrap().iter().map(|user| user["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(call(&server, "get_users", json!({})).await), ["ada", "ada", "eve"]);
    assert_eq!(call(&server, "get_users_by_id", json!({"id": "2"})).await["name"], "eve");
    assert_eq!(call(&server, "get_users_by_id", json!({"id": "7"})).await["email"], "ada@app.test");
    assert_eq!(call(&server, "get_settings", json!({})).await["theme"], "light");
    let held = get(&server).await;
    let cited: Vec<usize> = held["rea_state"]["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["record_ordinals"].as_array().unwrap().len())
        .collect();
    assert_eq!(cited, [0, 2, 0]);
    assert!(held["rea_state"]["documents"][0].get("record_ordinal").is_none());
    assert_eq!(data(&server, "data/reset", json!({})).await["result"], json!({}));
    assert_eq!(get(&server).await, start);
    assert_eq!(names(call(&server, "get_users", json!({})).await), ["ada", "bob", "cid"]);
}

#[tokio::test]
async fn numbers_of_any_size_and_any_member_name_are_kept() {
    let server = shared();
    let text = get(&server).await.to_string().replace(
        "\"theme\":\"dark\"",
        r#""n":123456789012345678901234567890,"e":1e20,"m":-0,"__proto__":{"x":1.50},"s":"\ud800""#,
    );
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"data/add","params":{{"parts":[{{"kind":"data","data":{text}}}]}}}}"#
    );
    let (_, reply) = post(&server, "/agentenv", &[], &body).await;
    assert_eq!(reply["result"], json!({}), "{reply}");
    let request = http::Request::post("/agentenv").header("host", "localhost");
    let request = request
        .body(http_body_util::Full::new(bytes::Bytes::from(r#"{"jsonrpc":"2.0","id":1,"method":"data/get"}"#)))
        .unwrap();
    let bytes = crate::serve::handle(&server, request).await.into_body().into_bytes().unwrap();
    let read = String::from_utf8(bytes.to_vec()).unwrap();
    let kept = r#""n":123456789012345678901234567890,"e":1e20,"m":-0,"__proto__":{"x":1.50},"s":"\ud800""#;
    assert!(read.contains(kept), "{read}");
}

/// What is wrong with parameters, by pointer; nothing is opened and nothing changes.
#[rstest]
#[case(json!({"parts": []}), "/parts")]
#[case(json!({"parts": [{}, {}]}), "/parts")]
#[case(json!({"parts": {}}), "/parts")]
#[case(json!({}), "/parts")]
#[case(json!([1]), "")]
#[case(json!({"parts": [5]}), "/parts/0")]
#[case(json!({"parts": [{}]}), "/parts/0/kind")]
#[case(json!({"parts": [{"kind": "text", "text": "{}"}]}), "/parts/0/kind")]
#[case(json!({"parts": [{"kind": "data"}]}), "/parts/0/data")]
#[case(json!({"parts": [{"kind": "data", "data": []}]}), "/parts/0/data")]
#[case(json!({"parts": [{"kind": "data", "data": {}}]}), "")]
#[case(json!({"parts": [{"kind": "file"}]}), "/parts/0/file")]
#[case(json!({"parts": [{"kind": "file", "file": {}}]}), "/parts/0/file")]
#[case(json!({"parts": [{"kind": "file", "file": {"bytes": "%"}}]}), "/parts/0/file/bytes")]
#[case(json!({"parts": [{"kind": "file", "file": {"bytes": "e30=", "mimeType": "text/csv"}}]}), "/parts/0/file/mimeType")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": 5}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "http://secret.test/x"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "https://secret:word@secret.test/x"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "file://secret.test/x"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "file:////secret.test/share/x"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "file:///%2Fsecret.test/share/x"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "file:///\\\\secret.test\\x"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "file:///a?secret"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "file:secret"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"uri": "/secret"}}]}), "/parts/0/file/uri")]
#[case(json!({"parts": [{"kind": "file", "file": {"bytes": STANDARD.encode("{\"secret\"")}}]}), "")]
#[case(json!({"parts": [{"kind": "file", "file": {"bytes": STANDARD.encode("{\"rea_state\":{},\"rea_state\":{}}")}}]}), "/rea_state")]
#[case(json!({"metadata": {"session": 5}, "parts": [{"kind": "data", "data": {}}]}), "/metadata/session")]
#[case(json!({"metadata": {"session": "secret"}, "parts": [{"kind": "data", "data": {}}]}), "/metadata/session")]
#[case(json!({"parts": [{"kind": "data", "data": {}, "metadata": {"session": "secret"}}]}), "/metadata/session")]
#[tokio::test]
async fn parameters_that_are_not_taken_are_named_by_pointer(#[case] params: Value, #[case] pointer: &str) {
    let server = shared();
    let before = get(&server).await;
    let reply = data(&server, "data/add", params).await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
    assert_eq!(reply["error"]["data"]["path"], pointer, "{reply}");
    assert!(!reply.to_string().contains("secret"), "{reply}");
    assert_eq!(get(&server).await, before);
}

#[tokio::test]
async fn a_name_that_stands_twice_is_refused_where_the_format_ends() {
    let server = shared();
    for (at, (from, to)) in [
        ("/rea_state/entities/0/fields", ("\"name\":\"ada\"", "\"secret\":1,\"secret\":2")),
        ("/rea_state/documents/0/value", ("\"theme\":\"dark\"", "\"a\":{\"secret\":1,\"secret\":2}")),
        ("/rea_state", ("\"version\":1", "\"version\":1,\"version\":1")),
    ] {
        let text = get(&server).await.to_string().replacen(from, to, 1);
        let part = format!(r#"{{"kind":"data","data":{text}}}"#);
        let one = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"data/add","params":{{"parts":[{part}]}}}}"#);
        let (_, reply) = post(&server, "/agentenv", &[], &one).await;
        assert_eq!((&reply["error"]["code"], &reply["error"]["data"]["path"]), (&json!(-32602), &json!(at)), "{reply}");
        let (_, replies) = post(&server, "/agentenv", &[], &format!("[{one}]")).await;
        assert_eq!(replies[0], reply);
        let bytes = json!({"parts": [{"kind": "file", "file": {"bytes": STANDARD.encode(&text)}}]});
        assert_eq!(data(&server, "data/add", bytes).await["error"], reply["error"]);
        assert!(!reply.to_string().contains("secret"), "{reply}");
    }
}

#[tokio::test]
async fn bytes_are_taken_with_a_byte_order_mark_and_before_a_uri() {
    let server = shared();
    let document = get(&server).await;
    let bytes = STANDARD.encode(format!("\u{feff}{document}"));
    let file = json!({"bytes": bytes, "uri": "file:///nowhere", "mimeType": "application/json", "name": "state.json"});
    let reply = data(&server, "data/add", json!({"parts": [{"kind": "file", "file": file}]})).await;
    assert_eq!(reply["result"], json!({}), "{reply}");
    assert_eq!(get(&server).await, document);
}

#[tokio::test]
async fn a_batch_sees_its_own_changes_in_order() {
    let server = shared();
    let mut document = get(&server).await;
    document["rea_state"]["entities"].as_array_mut().unwrap().truncate(1);
    let call =
        |id: u8, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let batch = json!([
        call(1, "data/add", json!({"parts": [{"kind": "data", "data": document}]})),
        call(2, "data/get", json!({})),
        call(3, "data/reset", json!({})),
        call(4, "data/get", json!({})),
    ]);
    let (_, replies) = post(&server, "/agentenv", &[], &batch.to_string()).await;
    let held = |reply: &Value| reply["result"]["parts"][0]["data"]["rea_state"]["entities"].as_array().unwrap().len();
    assert_eq!((held(&replies[1]), held(&replies[3])), (1, 3));
    assert_eq!((&replies[0]["result"], &replies[2]["result"]), (&json!({}), &json!({})));
}
