//! `environment-serve` as a client meets it: the README's scenario, and everything a client may do wrong.

use super::server::Server;
use super::support::{Ended, folder, project, rea, run_in};
use rea::json::{Value, parse, resolve};
use rstest::rstest;
use std::io::Write;
use std::net::TcpListener;

fn readme() -> Server {
    Server::start([&"environment-serve".into(), &project("scenarios/readme/capture.har").into_os_string()], &[])
}

fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    resolve(value, pointer).unwrap_or_else(|| panic!("nothing at {pointer}: {}", value.to_compact()))
}

#[test]
fn the_pair_and_the_capture_alone_serve_the_same() {
    let folder = folder(&[("a.har", std::fs::read(project("scenarios/readme/capture.har")).unwrap().as_slice())]);
    let capture = run_in(folder.path(), ["inspect-web-network-capture", "a.har", "--capture-label", "a.har"]);
    std::fs::write(folder.path().join("a.json"), &capture.stdout).unwrap();
    let rules = r#"["after-uid-literal","opaque-token","sibling-variance","prefix-variance"]"#;
    let view = format!(
        r#"{{"source":{{"kind":"evidence-file","path":"a.json"}},"view":{{"kind":"environment-manifest","template_rules":{rules}}}}}"#
    );
    let manifest = run_in(folder.path(), ["inspect-analysis-view", &view]);
    std::fs::write(folder.path().join("manifest.json"), &manifest.stdout).unwrap();
    let path = |name: &str| folder.path().join(name).into_os_string();
    let word = |text: &str| std::ffi::OsString::from(text);
    let pair =
        Server::start([word("environment-serve"), path("manifest.json"), word("--evidence"), path("a.json")], &[]);
    let evidence = Server::start([word("environment-serve"), path("a.json")], &[]);
    let har = Server::start([word("environment-serve"), path("a.har"), word("--capture-label"), word("a.har")], &[]);
    let card = |server: &Server| server.exchange("GET", "/.well-known/agent-env.json", b"").body;
    assert_eq!(card(&pair), card(&evidence));
    assert_eq!(card(&pair), card(&har));
}

#[test]
fn a_call_without_a_session_is_answered() {
    let server = readme();
    assert_eq!(server.exchange("GET", "/ready", b"").status, 200);
    let reply = server.call("get_books_by_id", r#"{"id":"2"}"#);
    assert_eq!(at(&reply, "/result/structuredContent/body/title").as_str(), Some("Invisible Cities"));
    assert_eq!(at(&reply, "/result/structuredContent/state/source").as_str(), Some("state"));
    assert_eq!(at(&reply, "/result/structuredContent/state/id").as_str(), Some("2"));
    assert_eq!(at(&reply, "/result/_meta/provenance/untrusted_content").as_bool(), Some(true));
}

#[rstest]
#[case("readme")]
#[case("ghost")]
#[case("prefect")]
fn the_call_to_try_works_as_it_is_printed(#[case] scenario: &str) {
    let capture = project(&format!("scenarios/{scenario}/capture.har")).into_os_string();
    let mut server = Server::start([&"environment-serve".into(), &capture], &[]);
    let line = server.running.wait_for("a call to try");
    let call = at(&line, "/call").as_str().unwrap();
    assert!(call.starts_with(&format!("curl -s http://{}/mcp -H ", server.address)), "{call}");
    let body = call.split_once(" -d '").and_then(|(_, rest)| rest.strip_suffix('\'')).unwrap();
    let reply = server.rpc(&body.replace(r"'\''", "'"));
    let status = at(&reply, "/result/structuredContent/status").as_number().unwrap().as_i64().unwrap();
    assert!((200..300).contains(&status), "{status}");
}

#[rstest]
#[case::misspelled_argument("get_books_by_id", r#"{"identifier":"2"}"#, "identifier")]
#[case::wrong_type("get_books_by_id", r#"{"id":2}"#, "id")]
#[case::missing("get_books_by_id", "{}", "id")]
#[case::no_such_tool("get_shoes", "{}", "get_shoes")]
fn a_wrong_call_is_told_what_is_wrong(#[case] tool: &str, #[case] arguments: &str, #[case] told: &str) {
    let server = readme();
    let reply = server.call(tool, arguments);
    let failed = reply.get("error").is_some() || at(&reply, "/result/isError").as_bool() == Some(true);
    assert!(failed && reply.to_compact().contains(told), "{}", reply.to_compact());
}

#[rstest]
#[case::beyond_safe(r#"{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}"#, -32600, true)]
#[case::fractional(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, true)]
#[case::unknown_method(r#"{"jsonrpc":"2.0","id":1,"method":"tools/guess"}"#, -32601, false)]
#[case::not_json("{", -32700, true)]
fn a_wrong_message_is_a_json_rpc_error(#[case] message: &str, #[case] code: i64, #[case] null_id: bool) {
    let server = readme();
    let reply = server.rpc(message);
    assert_eq!(at(&reply, "/error/code").as_number().and_then(rea::json::Number::as_i64), Some(code));
    assert_eq!(at(&reply, "/id").is_null(), null_id, "{}", reply.to_compact());
}

#[rstest]
#[case("/mcp")]
#[case("/agentenv")]
fn a_body_of_five_mebibytes_is_too_large(#[case] path: &str) {
    let server = readme();
    let answer = server.exchange("POST", path, &vec![b' '; 5 * 1024 * 1024]);
    assert_eq!(answer.status, 413);
    assert_eq!(server.exchange("GET", "/ready", b"").status, 200);
}

#[test]
fn a_client_that_leaves_in_the_middle_harms_nobody() {
    let server = readme();
    let mut leaving = server.connect();
    leaving
        .write_all(
            format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 900\r\n\r\n{{\"json", server.address).as_bytes(),
        )
        .unwrap();
    drop(leaving);
    let reply = server.call("get_books", "{}");
    assert_eq!(at(&reply, "/result/structuredContent/status").as_number().unwrap().as_i64(), Some(200));
}

#[test]
fn a_port_in_use() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let capture = project("scenarios/readme/capture.har");
    let ended = Ended::of(rea().arg("environment-serve").arg(&capture).args(["--port", &port]).output().unwrap());
    ended.refuses("resource_constraint", &[&port]);
    let ended = Ended::of(rea().arg("environment-serve").arg(&capture).env("MCP_PORT", &port).output().unwrap());
    ended.refuses("resource_constraint", &[&port]);
}

#[rstest]
#[case("ENVIRONMENT_NAME", " ")]
#[case("ENVIRONMENT_NAME", "")]
#[case("MCP_PORT", "many")]
#[case("MCP_PORT", "65536")]
fn a_setting_that_cannot_be_used(#[case] name: &str, #[case] value: &str) {
    let capture = project("scenarios/readme/capture.har");
    let ended = Ended::of(rea().arg("environment-serve").arg(capture).env(name, value).output().unwrap());
    ended.refuses("configuration_invalid", &[name]);
    let setting = at(&ended.document, "/details/settings/0/setting");
    assert_eq!(setting.as_str(), Some(name));
}

#[test]
fn the_environment_is_renamed() {
    let capture = project("scenarios/readme/capture.har").into_os_string();
    let server = Server::start([&"environment-serve".into(), &capture], &[("ENVIRONMENT_NAME", "shelf")]);
    let card = parse(&server.exchange("GET", "/.well-known/agent-env.json", b"").body).unwrap();
    assert_eq!(at(&card, "/name").as_str(), Some("shelf"));
}
