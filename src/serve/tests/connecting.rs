//! Connections: limits, odd clients, event streams, the Host rule, and how a server ends.

use super::fixture::{CALL, INITIALIZE, received, server, start};
use crate::serve::listener::{Accept, serve_connections};
use crate::serve::{MAX_REQUEST_BODY_BYTES, ServeError, ServeOptions, Signal, Stop, serve};
use rstest::rstest;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpStream;

#[rstest]
#[case("/mcp")]
#[case("/agentenv")]
#[tokio::test]
async fn a_body_over_the_limit_is_413_before_it_is_parsed(#[case] path: &str) {
    let running = start().await;
    let body = "x".repeat(5 * 1024 * 1024);
    let refused = running.send("POST", path, &[], &body).await;
    assert_eq!(refused.status, 413);
    assert_eq!(refused.json()["error"]["code"], -32000);
    assert_eq!(refused.json()["id"], serde_json::Value::Null);
    let padding = " ".repeat(MAX_REQUEST_BODY_BYTES - CALL.len());
    assert_eq!(running.send("POST", path, &[], &format!("{CALL}{padding}")).await.status, 200);
}

#[tokio::test]
async fn a_chunked_body_is_read_as_any_other() {
    let running = start().await;
    let (first, second) = CALL.split_at(40);
    let chunk = |part: &str| format!("{:x}\r\n{part}\r\n", part.len());
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n{}{}0\r\n\r\n",
        chunk(first),
        chunk(second)
    );
    let answer = running.raw(request.as_bytes()).await;
    assert_eq!(answer.json()["result"]["structuredContent"]["body"]["id"], 2);
}

#[tokio::test]
async fn a_connection_answers_one_request_after_another() {
    let running = start().await;
    let request = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{CALL}", CALL.len());
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    for _ in 0..3 {
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = read_one(&mut stream).await;
        assert_eq!(answer.json()["id"], 1);
    }
}

#[rstest]
#[case("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\"")]
#[case("POST /mcp HTTP/1.1\r\nHo")]
#[case("\r\n\r\nnot http at all\r\n\r\n")]
#[case("")]
#[tokio::test]
async fn a_client_that_leaves_in_the_middle_costs_nobody_else_anything(#[case] beginning: &str) {
    let running = start().await;
    for _ in 0..5 {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        stream.write_all(beginning.as_bytes()).await.unwrap();
        drop(stream);
    }
    assert_eq!(running.mcp(&[], CALL).await.status, 200);
}

#[rstest]
#[case("example.test", 403)]
#[case("127.0.0.1.example.test", 403)]
#[case("localhost:9", 200)]
#[case("[::1]", 200)]
#[tokio::test]
async fn a_server_on_loopback_wants_a_loopback_host(#[case] host: &str, #[case] status: u16) {
    let running = start().await;
    for path in ["/mcp", "/agentenv"] {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{CALL}",
            CALL.len()
        );
        let answer = running.raw(request.as_bytes()).await;
        assert_eq!(answer.status, status, "{answer:?}");
        if status == 403 {
            assert_eq!(answer.json()["error"]["code"], -32000);
        }
    }
}

#[tokio::test]
async fn the_event_stream_of_a_session_stays_open_until_the_session_ends() {
    let running = start().await;
    let id = running.open().await;
    let mut stream = listen(&running.address.to_string(), &id).await;
    assert_eq!(running.send("DELETE", "/mcp", &[("Mcp-Session-Id", &id)], "").await.status, 204);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(rest.ends_with(b"0\r\n\r\n"), "the stream ends in order: {rest:?}");
}

#[tokio::test]
async fn stopping_ends_streams_and_the_listener() {
    let running = start().await;
    let id = running.open().await;
    let mut stream = listen(&running.address.to_string(), &id).await;
    let mut idle = TcpStream::connect(running.address).await.unwrap();
    running.stopper.stop(Signal::Terminate);
    assert_eq!(running.ended.await.unwrap().unwrap(), Signal::Terminate);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(rest.ends_with(b"0\r\n\r\n"), "{rest:?}");
    assert_eq!(idle.read(&mut [0; 16]).await.unwrap_or(0), 0);
    assert!(TcpStream::connect(running.address).await.is_err());
}

#[tokio::test]
async fn serving_ends_with_the_stopped_document() {
    let (stopper, stop) = Stop::by_hand();
    let options = ServeOptions::new(stop);
    let engine = super::fixture::engine();
    let serving = tokio::spawn(async move { serve(engine, &options).await });
    // The listener is announced in the log only, so the test gives it a moment and then stops it whatever it does.
    tokio::task::yield_now().await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    stopper.stop(Signal::Interrupt);
    let stopped = serving.await.unwrap().unwrap();
    assert_eq!(stopped.signal.exit_status(), 130);
    let document = stopped.to_value().to_compact();
    assert!(document.starts_with(r#"{"status":"stopped","name":"things","url":"http://127.0.0.1:"#), "{document}");
    assert!(document.ends_with(r#""state":{"served":false,"reason":"replay-only"}}"#), "{document}");
}

#[tokio::test]
async fn a_taken_port_is_a_resource_constraint_and_a_signal_before_binding_a_cancellation() {
    let running = start().await;
    let (stopper, stop) = Stop::by_hand();
    let options = ServeOptions { port: running.address.port(), ..ServeOptions::new(stop) };
    let error = serve(super::fixture::engine(), &options).await.unwrap_err();
    assert!(matches!(error, ServeError::AddressInUse { .. }));
    assert_eq!(error.exit_status(), 1);
    let document = crate::evidence::ErrorDocument::from(&error).to_value();
    assert_eq!(document.get("code").and_then(|code| code.as_str()), Some("resource_constraint"));
    stopper.stop(Signal::Terminate);
    let error = serve(super::fixture::engine(), &options).await.unwrap_err();
    assert_eq!(error.exit_status(), 143);
    let document = crate::evidence::ErrorDocument::from(&error).to_value();
    assert_eq!(document.get("code").and_then(|code| code.as_str()), Some("cancelled"));
}

/// Fails for the moment, then gives a connection, then fails for good.
struct Failing {
    steps: Vec<io::Result<DuplexStream>>,
}

impl Accept for Failing {
    type Stream = DuplexStream;

    async fn accept(&mut self) -> io::Result<DuplexStream> {
        self.steps.pop().unwrap_or_else(|| Err(io::Error::other("the listener is gone")))
    }
}

#[tokio::test]
async fn a_listener_that_fails_after_binding_ends_the_server_and_a_shortage_does_not() {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let steps = vec![Ok(theirs), Err(io::Error::from_raw_os_error(24)), Err(io::ErrorKind::ConnectionAborted.into())];
    let (_stopper, stop) = Stop::by_hand();
    let server = server();
    let error = serve_connections(Failing { steps }, &server, &stop).await.unwrap_err();
    assert_eq!(error.to_string(), "the listener is gone");
    drop(ours);
    let error = ServeError::Listener { address: "127.0.0.1:1".into(), source: error };
    let document = crate::evidence::ErrorDocument::from(&error).to_value();
    assert_eq!(document.get("code").and_then(|code| code.as_str()), Some("resource_constraint"));
    assert_eq!(error.exit_status(), 1);
}

/// Opens a session's event stream and reads its beginning.
async fn listen(address: &str, id: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAccept: text/event-stream\r\nMcp-Session-Id: {id}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    while !text.contains(": open") {
        let mut part = [0; 1024];
        let read = stream.read(&mut part).await.unwrap();
        assert_ne!(read, 0, "the stream ended at once: {text:?}");
        text.push_str(std::str::from_utf8(&part[..read]).unwrap());
    }
    let head = received(text.as_bytes());
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    stream
}

/// Reads one answer with a length from an open connection.
async fn read_one(stream: &mut TcpStream) -> super::fixture::Received {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.unwrap();
        assert_ne!(read, 0);
        bytes.extend_from_slice(&part[..read]);
        if bytes.windows(4).any(|window| window == b"\r\n\r\n") {
            let answer = received(&bytes);
            let length: usize = answer.header("content-length").unwrap().parse().unwrap();
            if answer.body.len() >= length {
                return answer;
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_opened_a_session_before_an_error_keeps_it() {
    let running = start().await;
    let id = running.open().await;
    let headers = [("Mcp-Session-Id", id.as_str())];
    assert_eq!(running.mcp(&headers, "{").await.status, 400);
    assert_eq!(running.mcp(&headers, CALL).await.status, 200);
    assert_eq!(running.mcp(&headers, INITIALIZE).await.status, 200);
}
