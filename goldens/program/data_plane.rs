//! The data plane of the program: a state saved to a file, loaded from it, reset; sessions with a state of their own.

use super::server::Server;
use super::support::project;
use rea::json::{Value, parse, resolve};
use std::io::{Read, Write};

fn serve(flags: &[&str]) -> Server {
    let capture = project("scenarios/readme/capture.har").to_string_lossy().into_owned();
    Server::start(["environment-serve", &capture].into_iter().chain(flags.iter().copied()), &[])
}

fn data(server: &Server, method: &str, params: &str) -> Value {
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let answer = server.exchange("POST", "/agentenv", message.as_bytes());
    assert_eq!(answer.status, 200);
    answer.json()
}

fn document(reply: &Value) -> String {
    resolve(reply, "/result/parts/0/data").unwrap_or_else(|| panic!("{}", reply.to_compact())).to_compact()
}

#[test]
fn a_state_is_saved_edited_loaded_from_its_file_and_reset() {
    let server = serve(&[]);
    let start = document(&data(&server, "data/get", "{}"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    std::fs::write(&file, start.replace("Invisible Cities", "The Baron in the Trees")).unwrap();
    let part = format!(r#"{{"parts":[{{"kind":"file","file":{{"uri":"file://{}"}}}}]}}"#, file.display());
    let title = |server: &Server| {
        let reply = server.call("get_books_by_id", r#"{"id":"2"}"#);
        resolve(&reply, "/result/structuredContent/body/title").and_then(Value::as_str).unwrap().to_owned()
    };
    assert_eq!(data(&server, "data/add", &part).get("result"), Some(&parse(b"{}").unwrap()));
    assert_eq!(title(&server), "The Baron in the Trees");
    assert_eq!(data(&server, "data/reset", "{}").get("result"), Some(&parse(b"{}").unwrap()));
    assert_eq!(title(&server), "Invisible Cities");
    assert_eq!(document(&data(&server, "data/get", "{}")), start);
    std::fs::remove_file(file).unwrap();
    let failed = data(&server, "data/add", &part);
    assert_eq!(resolve(&failed, "/error/data/reason").and_then(Value::as_str), Some("not-found"));
}

#[test]
fn replay_has_no_data_plane() {
    let server = serve(&["--replay-only"]);
    for method in ["data/get", "data/add", "data/reset"] {
        let code = resolve(&data(&server, method, "{}"), "/error/code").cloned();
        assert_eq!(code, Some(Value::from(-32601)), "{method}");
    }
}

/// Posts to `/mcp`; the status and the id of the session that was opened.
fn post(server: &Server, session: Option<&str>, message: &str) -> (u16, Option<String>) {
    let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
    let mut stream = server.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{session}Content-Length: {}\r\n\r\n{message}",
        message.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).map(str::to_owned);
    (status, id)
}

#[test]
fn an_idle_isolated_session_ends_and_is_no_longer_known() {
    let server = serve(&["--session-state", "isolated", "--session-ttl", "1"]);
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let (_, id) = post(&server, None, hello);
    let id = id.unwrap();
    let of_session = format!(r#"{{"metadata":{{"session":"{id}"}}}}"#);
    assert_eq!(document(&data(&server, "data/get", &of_session)), document(&data(&server, "data/get", "{}")));
    // Asking keeps it alive, so it is left alone for longer each time.
    let ended = (1..6).any(|wait| {
        std::thread::sleep(std::time::Duration::from_millis(1100 * wait));
        post(&server, Some(&id), ping).0 == 404
    });
    assert!(ended);
    let gone = data(&server, "data/get", &of_session);
    assert_eq!(resolve(&gone, "/error/data/path").and_then(Value::as_str), Some("/metadata/session"));
}
