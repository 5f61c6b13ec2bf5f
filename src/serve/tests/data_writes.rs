//! Served writes beside the data plane: what a reset or a load restarts, whose state a write changes, and that everybody
//! sees one whole state at any time.

use super::fixture::{add, data, get, post, start_serving};
use crate::answer::{Engine, EngineOptions, load_pair};
use crate::capture::InspectOptions;
use crate::serve::{Server, SessionOptions, SessionState};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The library of the README: books are listed, read and added.
fn library(state: SessionState) -> Arc<Server> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/readme/capture.har");
    let (capture, manifest) = load_pair(&path, None, &InspectOptions::default()).unwrap();
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).unwrap();
    assert!(engine.catalog.by_name("post_books").is_some(), "the capture confirms what it does");
    Arc::new(Server::new(Arc::new(engine), SessionOptions::new(state), true))
}

fn call(name: &str, arguments: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        .to_string()
}

fn added(title: &str) -> String {
    call("post_books", json!({"body": {"title": title, "author": "someone"}}))
}

async fn answer(server: &Arc<Server>, headers: &[(&str, &str)], body: &str) -> Value {
    let (_, reply) = post(server, "/mcp", headers, body).await;
    assert_eq!(reply["result"]["isError"], false, "{reply}");
    reply["result"]["structuredContent"].clone()
}

fn books(document: &Value) -> &Vec<Value> {
    document["rea_state"]["entities"].as_array().unwrap()
}

#[tokio::test]
async fn the_same_calls_after_a_reset_or_a_load_of_the_start_give_the_same_bytes() {
    let server = library(SessionState::Shared);
    let start = get(&server).await;
    let write = async || {
        for title in ["one", "two"] {
            answer(&server, &[], &added(title)).await;
        }
        data(&server, "data/get", json!({})).await
    };
    let first = write().await;
    let held = first["result"]["parts"][0]["data"].clone();
    assert_eq!(books(&held).len(), books(&start).len() + 2);
    assert_eq!(books(&held).last().unwrap()["record_ordinals"], json!([]));
    data(&server, "data/reset", json!({})).await;
    assert_eq!(get(&server).await, start);
    assert_eq!(write().await, first);
    assert_eq!(add(&server, &start).await["result"], json!({}));
    assert_eq!(write().await, first);
    // What was written loads back to the same bytes too, and what comes next goes on from what is held.
    assert_eq!(add(&server, &held).await["result"], json!({}));
    assert_eq!(data(&server, "data/get", json!({})).await, first);
    let next = answer(&server, &[], &added("three")).await;
    let ids: Vec<u64> = books(&held).iter().map(|book| book["fields"]["id"].as_u64().unwrap()).collect();
    assert_eq!(next["body"]["id"].as_u64(), ids.iter().max().map(|largest| largest + 1), "{next}");
}

#[tokio::test]
async fn a_write_changes_its_session_alone() {
    let running = start_serving(library(SessionState::Isolated)).await;
    let server = &running.server;
    let start = get(server).await;
    let (one, other) = (running.open().await, running.open().await);
    let held = server.memory().held();
    answer(server, &[("mcp-session-id", &one)], &added("mine")).await;
    assert!(server.memory().held() > held);
    let of = async |session: &str| {
        let reply = data(server, "data/get", json!({"metadata": {"session": session}})).await;
        books(&reply["result"]["parts"][0]["data"]).len()
    };
    assert_eq!((of(&one).await, of(&other).await), (books(&start).len() + 1, books(&start).len()));
    assert_eq!(get(server).await, start);
    data(server, "data/reset", json!({"metadata": {"session": one}})).await;
    assert_eq!((of(&one).await, server.memory().held()), (books(&start).len(), held));
}

/// The start with every book's author replaced: a state that is told from any other by each of its entities.
fn marked(start: &Value, mark: usize) -> Value {
    let mut document = start.clone();
    for book in document["rea_state"]["entities"].as_array_mut().unwrap() {
        book["fields"]["author"] = json!(format!("mark {mark}"));
    }
    document
}

/// One mark on all books, or none on any; books that calls added have neither.
fn whole(books: &[Value]) -> bool {
    let mut marks: Vec<&str> =
        books.iter().filter_map(|book| book["author"].as_str()).filter(|author| *author != "someone").collect();
    let marked = marks.iter().filter(|author| author.starts_with("mark ")).count();
    let all = marks.len();
    marks.dedup();
    marked == 0 || marked == all && marks.len() == 1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everybody_sees_one_whole_state_at_any_time() {
    let server = library(SessionState::Shared);
    let start = get(&server).await;
    let tasks = (0..8_usize).map(|task| {
        let (server, start) = (Arc::clone(&server), start.clone());
        tokio::spawn(async move {
            for round in 0..25_usize {
                match (task + round) % 5 {
                    0 => {
                        assert_eq!(add(&server, &marked(&start, round)).await["result"], json!({}));
                    }
                    1 => {
                        answer(&server, &[], &added(&format!("{task} {round}"))).await;
                    }
                    2 => {
                        let held = get(&server).await;
                        let fields: Vec<Value> = books(&held).iter().map(|book| book["fields"].clone()).collect();
                        assert!(whole(&fields), "{held}");
                        let ids: std::collections::BTreeSet<_> =
                            books(&held).iter().map(|book| book["id"].to_string()).collect();
                        assert_eq!(ids.len(), fields.len());
                    }
                    3 => {
                        let listed = answer(&server, &[], &call("get_books", json!({}))).await;
                        let books = listed["body"]["books"].as_array().unwrap();
                        assert!(whole(books), "{listed}");
                        assert_eq!(listed["body"]["total"], json!(books.len()));
                    }
                    _ => {
                        assert_eq!(data(&server, "data/reset", json!({})).await["result"], json!({}));
                    }
                }
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    data(&server, "data/reset", json!({})).await;
    assert_eq!(get(&server).await, start);
}
