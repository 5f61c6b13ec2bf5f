//! SIGINT and SIGTERM: while serving, while loading, and in a command that prints one result.

use super::server::{Running, Server};
use super::support::{folder, project};
use rea::json::Value;
use rstest::rstest;
use rustix::process::Signal;
use std::ffi::OsString;
use std::path::Path;

#[rstest]
#[case(Signal::INT, 130)]
#[case(Signal::TERM, 143)]
fn a_server_stops_with_one_document(#[case] signal: Signal, #[case] status: i32) {
    let capture = project("scenarios/readme/capture.har").into_os_string();
    let arguments = ["environment-serve".into(), capture, "--replay-only".into()];
    let server = Server::start(arguments, &[]);
    assert_eq!(server.exchange("GET", "/ready", b"").status, 200);
    let idle = server.connect();
    server.running.signal(signal);
    server.running.signal(signal);
    let ended = server.running.end();
    drop(idle);
    assert_eq!(ended.status, Some(status), "{}", ended.all());
    assert_eq!(ended.text("status"), "stopped");
    let state = ended.document.get("state").unwrap();
    assert_eq!(state.get("served").and_then(Value::as_bool), Some(false));
    assert_eq!(state.get("reason").and_then(Value::as_str), Some("replay-only"));
}

/// A capture that takes a while to read.
fn big_capture() -> tempfile::TempDir {
    let entry = r#"{"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a.example/x/1","headers":[]},"response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":"{\"a\":[1,2,3,4,5,6,7,8,9]}"}}}"#;
    let entries = vec![entry; 200_000].join(",");
    folder(&[("big.har", format!(r#"{{"log":{{"version":"1.2","entries":[{entries}]}}}}"#).as_bytes())])
}

#[rstest]
#[case("inspect-web-network-capture", Signal::INT, 130)]
#[case("environment-serve", Signal::TERM, 143)]
#[case("environment-serve", Signal::INT, 130)]
fn loading_is_cancelled(#[case] command: &str, #[case] signal: Signal, #[case] status: i32) {
    let folder = big_capture();
    let capture = Path::join(folder.path(), "big.har").into_os_string();
    let mut running = Running::start([OsString::from(command), capture], &[("REA_LOG_LEVEL", "debug")]);
    running.wait_for("operation started");
    running.signal(signal);
    let ended = running.end();
    assert_eq!(ended.status, Some(status), "{}", ended.all());
    assert_eq!(ended.text("code"), "cancelled", "{}", ended.all());
    assert_eq!(ended.text("category"), "cancelled");
}
