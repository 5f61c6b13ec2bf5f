//! What a client reads before it calls: card, tool list, introduction, readiness.

use super::fixture::{engine, start};
use crate::answer::CATALOG_WARNING;
use crate::serve::card;
use rstest::rstest;

fn order(json: &[u8], names: &[&str]) {
    let text = std::str::from_utf8(json).unwrap();
    let places: Vec<_> = names.iter().map(|name| text.find(&format!("\"{name}\":")).unwrap()).collect();
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{names:?} in {text}");
}

#[test]
fn the_card_has_its_members_in_order() {
    let bytes = card::card(&engine(), card::CardOperations::REPLAY);
    order(
        &bytes,
        &[
            "name",
            "protocolVersion",
            "url",
            "preferredTransport",
            "additionalInterfaces",
            "capabilities",
            "extensions",
            "tools",
            "operations",
            "children_environments",
        ],
    );
    let card: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(card["name"], "things");
    assert_eq!(card["protocolVersion"], "1.0");
    assert_eq!(card["url"], "/agentenv");
    assert_eq!(card["preferredTransport"], "JSONRPC");
    assert_eq!(card["additionalInterfaces"], serde_json::json!([{"url": "/mcp", "transport": "mcp"}]));
    assert!(card["capabilities"]["extensions"].is_null());
    assert_eq!(card["capabilities"]["operations"], serde_json::json!([]));
    assert!(card["children_environments"].is_null());
    assert_eq!(card.as_object().unwrap().len(), 7);
}

#[test]
fn the_card_and_the_tool_list_show_the_same_tools_with_the_warning_first() {
    let engine = engine();
    let card: serde_json::Value = serde_json::from_slice(&card::card(&engine, card::CardOperations::REPLAY)).unwrap();
    let list: serde_json::Value = serde_json::from_slice(&card::tool_list(&engine)).unwrap();
    let (card, list) = (card["capabilities"]["tools"].as_array().unwrap(), list["tools"].as_array().unwrap());
    assert_eq!(card.len(), 3);
    assert_eq!(card.len(), list.len());
    for (on_card, listed) in card.iter().zip(list) {
        assert!(on_card["description"].as_str().unwrap().starts_with(CATALOG_WARNING));
        for member in ["name", "description", "inputSchema"] {
            assert_eq!(on_card[member], listed[member]);
        }
        assert!(on_card.get("annotations").is_none());
        assert_eq!(listed["annotations"]["openWorldHint"], false);
    }
    assert_eq!(list[0]["annotations"]["readOnlyHint"], true);
    assert_eq!(list[1]["annotations"]["readOnlyHint"], false);
    assert!(list[1]["annotations"].get("destructiveHint").is_none());
}

#[tokio::test]
async fn the_card_and_readiness_are_one_request_away() {
    let running = start().await;
    let card = running.send("GET", "/.well-known/agent-env.json?x=1", &[], "").await;
    assert_eq!(card.status, 200);
    assert_eq!(card.header("content-type"), Some("application/json"));
    assert_eq!(card.json()["name"], "things");
    assert_eq!(running.send("GET", "/ready", &[], "").await.status, 200);
    let head = running.send("HEAD", "/ready", &[], "").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[rstest]
#[case("GET", "/", 404, None)]
#[case("GET", "/mcp/", 404, None)]
#[case("POST", "/tools/disable", 404, None)]
#[case("POST", "/ready", 405, Some("GET, HEAD"))]
#[case("POST", "/.well-known/agent-env.json", 405, Some("GET, HEAD"))]
#[case("GET", "/agentenv", 405, Some("POST"))]
#[case("PUT", "/mcp", 405, Some("GET, POST, DELETE"))]
#[case("GET", "/mcp", 405, Some("POST, DELETE"))]
#[tokio::test]
async fn other_routes_and_methods_are_told_what_there_is(
    #[case] method: &str,
    #[case] path: &str,
    #[case] status: u16,
    #[case] allow: Option<&str>,
) {
    let answer = start().await.send(method, path, &[], "").await;
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("allow"), allow);
    assert!(answer.json()["error"].is_string());
}
