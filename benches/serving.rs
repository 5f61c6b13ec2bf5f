//! One replayed answer of 2 KB over HTTP, beside a bare hyper server that answers the same bytes in the same process.
//! Bar: at least a third of the bare server's rate.

#![allow(missing_docs, clippy::expect_used)]

mod environment;
mod generate;

use bytes::Bytes;
use criterion::{Criterion, criterion_group, criterion_main};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rea::answer::Engine;
use rea::serve::{ServeOptions, Server, SessionOptions, SessionState, Stop, handle, serve};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

const CALL: &[u8] =
    br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_parts_by_id","arguments":{"id":"1"}}}"#;

fn request(address: SocketAddr) -> Request<Full<Bytes>> {
    Request::post("/mcp")
        .header("host", address.to_string())
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Full::new(Bytes::from_static(CALL)))
        .expect("a request")
}

/// A connection that stays open.
async fn connected(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address).await.expect("the server listens");
    stream.set_nodelay(true).expect("a TCP socket");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("an HTTP server");
    tokio::spawn(connection);
    sender
}

async fn exchange(sender: &mut SendRequest<Full<Bytes>>, address: SocketAddr) -> Bytes {
    sender.ready().await.expect("the connection is open");
    let response = sender.send_request(request(address)).await.expect("an answer");
    response.into_body().collect().await.expect("a body").to_bytes()
}

/// Serves the environment; the stopper must live as long as the server.
async fn environment_server(engine: Arc<Engine>, stop: Stop) -> SocketAddr {
    let options = ServeOptions::new(stop);
    let mut bound = options.bound.subscribe();
    tokio::spawn(async move { serve(engine, &options).await.map(drop) });
    let url = bound.wait_for(Option::is_some).await.expect("it binds").clone().unwrap_or_default();
    url.trim_start_matches("http://").trim_end_matches("/mcp").parse().expect("an address")
}

/// A hyper server that reads the request and answers a constant.
async fn bare_server(body: Bytes) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let body = body.clone();
            let answer = service_fn(move |request: Request<hyper::body::Incoming>| {
                let body = body.clone();
                async move {
                    let _ = request.into_body().collect().await;
                    Ok::<_, Infallible>(Response::new(Full::new(body)))
                }
            });
            let _ = stream.set_nodelay(true);
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
        }
    });
    address
}

fn serving(criterion: &mut Criterion) {
    let engine = Arc::new(environment::engine(generate::har_of_one_answer()));
    let runtime = Runtime::new().expect("a runtime");
    let (_stopper, stop) = Stop::by_hand();
    let mut group = criterion.benchmark_group("serving");

    let server = Arc::new(Server::new(Arc::clone(&engine), SessionOptions::new(SessionState::Shared), true));
    let address = SocketAddr::from(([127, 0, 0, 1], 1));
    group.bench_function("one answer, no socket", |bencher| {
        bencher.iter(|| runtime.block_on(handle(&server, request(address))));
    });

    let address = runtime.block_on(environment_server(engine, stop));
    let mut sender = runtime.block_on(connected(address));
    let body = runtime.block_on(exchange(&mut sender, address));
    assert!(String::from_utf8_lossy(&body).contains("exact_match\":true"), "the call is answered");
    group.bench_function("one answer over HTTP", |bencher| {
        bencher.iter(|| runtime.block_on(exchange(&mut sender, address)));
    });

    let address = runtime.block_on(bare_server(body));
    let mut sender = runtime.block_on(connected(address));
    group.bench_function("the same bytes from a bare server", |bencher| {
        bencher.iter(|| runtime.block_on(exchange(&mut sender, address)));
    });
    group.finish();
}

criterion_group!(benches, serving);
criterion_main!(benches);
