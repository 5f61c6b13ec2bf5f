//! A running `environment-serve` and a plain HTTP client for it.

use super::support::{Ended, rea};
use rea::json::{Value, parse};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

/// How long an answer may take before the test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program while it runs; killed when it is dropped.
pub struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Running {
    /// Starts the program.
    pub fn start<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(rea().get_program());
        for variable in ["REA_LOG_LEVEL", "ENVIRONMENT_NAME", "MCP_HOST", "MCP_PORT"] {
            command.env_remove(variable);
        }
        command.args(arguments).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr }
    }

    /// Reads log lines until one has this message.
    #[track_caller]
    pub fn wait_for(&mut self, message: &str) -> Value {
        self.wait_for_member("msg", message)
    }

    /// Reads log lines until one has this text as a member.
    #[track_caller]
    pub fn wait_for_member(&mut self, name: &str, text: &str) -> Value {
        let mut seen = String::new();
        loop {
            let mut line = String::new();
            if self.stderr.read_line(&mut line).unwrap() == 0 {
                panic!("the program ended without logging {text:?}: {seen}");
            }
            seen.push_str(&line);
            let value = parse(line.trim_end().as_bytes()).unwrap();
            if value.get(name).and_then(Value::as_str) == Some(text) {
                return value;
            }
        }
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits for the end.
    pub fn end(mut self) -> Ended {
        let mut stdout = Vec::new();
        self.child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
        let mut stderr = Vec::new();
        self.stderr.read_to_end(&mut stderr).unwrap();
        let status = self.child.wait().unwrap();
        Ended::of(std::process::Output { status, stdout, stderr })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has usually ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A served environment.
pub struct Server {
    /// The program.
    pub running: Running,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Serves a capture on a free port and waits until it listens.
    pub fn start<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, variables: &[(&str, &str)]) -> Self {
        let mut running = Running::start(arguments, variables);
        let line = running.wait_for("MCP transport listening");
        let url = line.get("url").and_then(Value::as_str).unwrap();
        let address = url.strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp")).unwrap();
        Self { address: address.parse().unwrap(), running }
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// One exchange on a connection of its own.
    pub fn exchange(&self, method: &str, path: &str, body: &[u8]) -> Response {
        let mut stream = self.connect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses a body by its length may close before it has read all of it.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        Response::parse(&bytes)
    }

    /// One JSON-RPC message to `/mcp`.
    pub fn rpc(&self, message: &str) -> Value {
        self.exchange("POST", "/mcp", message.as_bytes()).json()
    }

    /// One tool call.
    pub fn call(&self, tool: &str, arguments: &str) -> Value {
        self.rpc(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        ))
    }
}

/// An HTTP answer.
pub struct Response {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("an HTTP answer");
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        assert!(!head.to_ascii_lowercase().contains("transfer-encoding: chunked"), "the length is always told");
        Self { status, body: bytes[end + 4..].to_vec() }
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        parse(&self.body).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }
}
