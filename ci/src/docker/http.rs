//! One HTTP exchange, as little of it as the lane needs: a request, and the whole answer until the connection closes.

use super::{Outcome, because};
use rea::json::{Value, parse};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long one exchange may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Status and body of a request to a port of this machine.
///
/// # Errors
/// No connection, or no answer in time.
pub async fn exchange(port: u16, method: &str, path: &str, body: &str) -> Outcome<(u16, Vec<u8>)> {
    let answered = tokio::time::timeout(PATIENCE, exchanged(port, method, path, body)).await;
    answered.map_err(|_| format!("{method} {path} took too long"))?
}

async fn exchanged(port: u16, method: &str, path: &str, body: &str) -> Outcome<(u16, Vec<u8>)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.map_err(because("no connection"))?;
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.map_err(because("the request was not taken"))?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.map_err(because("no answer"))?;
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").ok_or("the answer has no head")?;
    let status = String::from_utf8_lossy(answer.get(..end).unwrap_or_default())
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .ok_or("the answer has no status")?;
    Ok((status, answer.split_off(end + 4)))
}

/// The result of a JSON-RPC call, or its error as a failure.
///
/// # Errors
/// No answer, one that is no JSON-RPC, an error.
pub async fn call(port: u16, path: &str, method: &str, params: &str) -> Outcome<Value> {
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let (status, body) = exchange(port, "POST", path, &message).await?;
    let document = parse(&body).map_err(because("the answer is not JSON"))?;
    match document.get("result") {
        Some(result) if status == 200 => Ok(result.clone()),
        _ => Err(format!("{method} answered {status} {}", document.to_compact().chars().take(500).collect::<String>())),
    }
}
