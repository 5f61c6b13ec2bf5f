//! Documents from outside the request: files and downloads, how each failure is named, and when a download ends.

use super::fixture::{data, get, post, start_serving, state_engine, state_server};
use crate::serve::data_source::Downloader;
use crate::serve::{DOWNLOAD_TIMEOUT, Server, SessionOptions, SessionState, Signal};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rstest::rstest;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};

fn by_uri(uri: &str) -> Value {
    json!({"parts": [{"kind": "file", "file": {"uri": uri, "mimeType": "application/json", "name": "state.json"}}]})
}

#[tokio::test]
async fn a_file_is_loaded_and_what_is_none_is_named_by_category() {
    let server = state_server(SessionState::Shared);
    let mut document = get(&server).await;
    document["rea_state"]["entities"].as_array_mut().unwrap().pop();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("state secret.json"), document.to_string()).unwrap();
    symlink(at("state secret.json"), at("link.json")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::write(at("large.json"), vec![b' '; 32 * 1024 * 1024 + 1]).unwrap();
    let uri = |name: &str| format!("file://{}", at(name).display());
    for (name, code, reason) in [
        ("absent.json", -32000, json!({"reason": "not-found"})),
        ("state%20secret.json/x", -32000, json!({"reason": "not-found"})),
        ("link.json", -32000, json!({"reason": "not-regular-file"})),
        ("pipe", -32000, json!({"reason": "not-regular-file"})),
        ("", -32000, json!({"reason": "not-regular-file"})),
        ("large.json", -32602, json!({"path": "/parts/0/file"})),
    ] {
        let reply = data(&server, "data/add", by_uri(&uri(name))).await;
        assert_eq!((&reply["error"]["code"], &reply["error"]["data"]), (&json!(code), &reason), "{reply}");
        let told = reply.to_string();
        assert!(!told.contains("secret") && !told.contains(folder.path().to_str().unwrap()), "{told}");
    }
    assert_eq!(get(&server).await["rea_state"]["entities"].as_array().unwrap().len(), 3);
    for prefix in ["file://", "FILE://localhost"] {
        let uri = format!("{prefix}{}", at("state%20secret.json").display());
        let reply = data(&server, "data/add", by_uri(&uri)).await;
        assert_eq!(reply["result"], json!({}), "{reply}");
        assert_eq!(get(&server).await["rea_state"]["entities"].as_array().unwrap().len(), 2);
        data(&server, "data/reset", json!({})).await;
    }
}

/// An HTTPS server of this machine that answers what its path says, and the server under test that trusts it.
struct Download {
    server: Arc<Server>,
    base: String,
    /// Says when a request has come that is never answered, and when its connection ended.
    hanging: mpsc::UnboundedReceiver<&'static str>,
}

async fn download(trusted: bool) -> Download {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let tls = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap();
    let mut roots = RootCertStore::empty();
    if trusted {
        roots.add(cert.der().clone()).unwrap();
    }
    let trusting = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let engine = state_engine();
    let mut document = Vec::new();
    engine.write_state(&engine.initial_world(), &mut document);
    let document = String::from_utf8(document).unwrap().replace("\"ada\"", "\"eve\"");
    let server = Server::new(engine, SessionOptions::new(SessionState::Shared), true);
    let server = Arc::new(server.downloading(Downloader::trusting(trusting)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let (told, hanging) = mpsc::unbounded_channel();
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, told, document) = (acceptor.clone(), told.clone(), document.clone());
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut head = [0; 2048];
                let length = stream.read(&mut head).await.unwrap_or_default();
                let head = String::from_utf8_lossy(&head[..length]).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                let (status, extra, body) = match path.as_str() {
                    "/state.json?key=secret" => ("200 OK", "", document),
                    "/moved" => ("302 Found", "Location: /state.json?key=secret\r\n", String::new()),
                    "/broken" => ("200 OK", "", "{\"rea_state\":secret".to_owned()),
                    "/large" => ("200 OK", "", " ".repeat(32 * 1024 * 1024 + 1)),
                    "/hang" => {
                        let _ = told.send("asked");
                        let _ = stream.read(&mut [0; 16]).await;
                        let _ = told.send("left");
                        return;
                    }
                    _ => ("404 Not Found", "", "secret".to_owned()),
                };
                let answer = format!("HTTP/1.1 {status}\r\n{extra}Content-Length: {}\r\n\r\n{body}", body.len());
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    Download { server, base, hanging }
}

#[rstest]
#[case("/state.json?key=secret", true, Value::Null)]
#[case("/state.json?key=secret#part", true, Value::Null)]
#[case("/state.json?key=secret", false, json!({"code": -32000, "data": {"reason": "network"}}))]
#[case("/moved", true, json!({"code": -32000, "data": {"reason": "network"}}))]
#[case("/secret", true, json!({"code": -32000, "data": {"reason": "http-status"}}))]
#[case("/broken", true, json!({"code": -32602, "data": {"path": ""}}))]
#[case("/large", true, json!({"code": -32602, "data": {"path": "/parts/0/file"}}))]
#[tokio::test]
async fn a_download_is_loaded_and_a_failure_names_its_category(
    #[case] path: &str,
    #[case] trusted: bool,
    #[case] error: Value,
) {
    let site = download(trusted).await;
    let before = get(&site.server).await;
    let mut reply = data(&site.server, "data/add", by_uri(&format!("{}{path}", site.base))).await;
    assert!(!reply.to_string().contains("secret"), "{reply}");
    if error.is_null() {
        assert_eq!(reply["result"], json!({}), "{reply}");
        assert_eq!(get(&site.server).await["rea_state"]["entities"][0]["fields"]["name"], "eve");
    } else {
        reply["error"].as_object_mut().unwrap().remove("message");
        assert_eq!(reply["error"], error);
        assert_eq!(get(&site.server).await, before);
    }
}

#[tokio::test]
async fn nobody_listening_is_a_network_failure() {
    let site = download(true).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    drop(listener);
    let reply = data(&site.server, "data/add", by_uri(&uri)).await;
    assert_eq!(reply["error"]["data"], json!({"reason": "network"}), "{reply}");
}

fn request(id: u8, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[tokio::test]
async fn a_download_ends_in_time_and_a_later_call_waits_for_its_turn() {
    let mut site = download(true).await;
    let server = Arc::clone(&site.server);
    let uri = format!("{}/hang", site.base);
    let loading = tokio::spawn(async move { data(&server, "data/add", by_uri(&uri)).await });
    assert_eq!(site.hanging.recv().await, Some("asked"));
    let server = Arc::clone(&site.server);
    let waiting = tokio::spawn(async move { data(&server, "data/reset", json!({})).await });
    tokio::task::yield_now().await;
    tokio::time::pause();
    tokio::time::advance(DOWNLOAD_TIMEOUT - Duration::from_secs(1)).await;
    assert!(!loading.is_finished() && !waiting.is_finished());
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    assert_eq!(loading.await.unwrap()["error"]["data"], json!({"reason": "timeout"}));
    assert_eq!(waiting.await.unwrap()["result"], json!({}));
}

#[tokio::test]
async fn the_end_of_the_server_cancels_the_download_and_what_waits_behind_it() {
    let mut site = download(true).await;
    let before = get(&site.server).await;
    let running = start_serving(Arc::clone(&site.server)).await;
    let batch = json!([
        request(1, "data/add", by_uri(&format!("{}/hang", site.base))),
        request(2, "data/reset", json!({})),
        request(3, "data/get", json!({})),
    ]);
    let exchange = async {
        let answer = running.send("POST", "/agentenv", &[], &batch.to_string()).await;
        assert_eq!(answer.status, 200);
        answer.json()
    };
    let stop = async {
        assert_eq!(site.hanging.recv().await, Some("asked"));
        let get = request(4, "data/get", json!({})).to_string();
        let queued = post(&site.server, "/agentenv", &[], &get);
        let stop = async { running.stopper.stop(Signal::Terminate) };
        let ((status, reply), ()) = tokio::join!(queued, stop);
        assert_eq!((status, &reply["error"]["data"]), (200, &json!({"reason": "cancelled"})), "{reply}");
        assert_eq!(site.hanging.recv().await, Some("left"));
    };
    let (replies, ()) = tokio::join!(exchange, stop);
    for (index, reply) in replies.as_array().unwrap().iter().enumerate() {
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(index + 1), &json!(-32000)), "{reply}");
        assert_eq!(reply["error"]["data"], json!({"reason": "cancelled"}));
    }
    assert_eq!(running.ended.await.unwrap().unwrap(), Signal::Terminate);
    drop(before);
}

#[tokio::test]
async fn a_caller_that_leaves_ends_its_download_and_its_turn() {
    let mut site = download(true).await;
    let before = get(&site.server).await;
    let running = start_serving(Arc::clone(&site.server)).await;
    let body = request(1, "data/add", by_uri(&format!("{}/hang", site.base))).to_string();
    let mut caller = tokio::net::TcpStream::connect(running.address).await.unwrap();
    let head = format!("POST /agentenv HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    caller.write_all(head.as_bytes()).await.unwrap();
    assert_eq!(site.hanging.recv().await, Some("asked"));
    drop(caller);
    assert_eq!(site.hanging.recv().await, Some("left"));
    assert_eq!(get(&site.server).await, before);
}
