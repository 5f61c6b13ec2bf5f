//! A container of a bundle's image: started with as few rights as there are, waited for, driven, looked into, stopped.

use super::http::{call, exchange};
use super::{Built, Engine, Outcome, because, ensure};
use rea::capture::RecordedTime;
use rea::json::{Object, Value, parse};
use std::time::Duration;
use testcontainers::core::{ExecCommand, IntoContainerPort, Mount, WaitFor};
use testcontainers::runners::AsyncRunner;
use testcontainers::{ContainerAsync, GenericImage, ImageExt};

/// The port of a bundle's container.
const PORT: u16 = 18765;
/// Bytes: the memory that the container may take.
const MEMORY_LIMIT: i64 = 256 * 1024 * 1024;
/// Milliseconds: an environment should take no longer from its container's start to its listening.
pub const MAX_READY_MS: f64 = 300.0;
/// How many starts are measured at most.
const MOST_STARTS: usize = 5;
/// What the server logs once it listens.
const LISTENING: &str = "MCP transport listening";

/// What was measured.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Milliseconds from the container's start to the listening line, in the quickest of the starts.
    pub ready_ms: f64,
    /// Milliseconds of processor time until then, in the least of the starts.
    pub cpu_ms: f64,
    /// How many times it was started.
    pub starts: usize,
    /// Bytes of memory after the calls.
    pub memory_bytes: u64,
    /// Tools listed.
    pub tools: usize,
    /// Tools called.
    pub calls: usize,
    /// Data-plane methods that the card offers.
    pub operations: Vec<String>,
}

impl Figures {
    /// As members of the receipt.
    pub fn to_object(&self) -> Object {
        let operations: Value = self.operations.iter().map(Value::from).collect();
        Object::new()
            .with("ready_ms", self.ready_ms.round() as i64)
            .with("cpu_ms", self.cpu_ms.round() as i64)
            .with("starts", self.starts)
            .with("memory_bytes", self.memory_bytes)
            .with("tools", self.tools)
            .with("calls", self.calls)
            .with("operations", operations)
    }
}

/// Runs the image twice: with a root that cannot be written and no rights, and as the framework runs it, with the state
/// copied into it. `state` is the state document that the bundle ships.
///
/// # Errors
/// Everything that does not hold.
pub async fn drive(engine: &Engine, built: &Built, name: &str, tools: usize, state: &[u8]) -> Outcome<Figures> {
    let figures = locked_down(engine, built, name, tools).await?;
    if figures.operations.iter().any(|operation| operation == "data/add") {
        seeded(built, state).await?;
    }
    engine.leaves_nothing(&built.name).await?;
    Ok(figures)
}

fn image(built: &Built, name: &str) -> testcontainers::ContainerRequest<GenericImage> {
    GenericImage::new(built.name.as_str(), "lane")
        .with_exposed_port(PORT.tcp())
        .with_wait_for(WaitFor::message_on_stderr(LISTENING))
        .with_env_var("ENVIRONMENT_NAME", name)
        .with_startup_timeout(Duration::from_secs(60))
}

/// Starts the image with as few rights as there are.
async fn start(built: &Built, name: &str) -> Outcome<ContainerAsync<GenericImage>> {
    let started = image(built, name)
        .with_readonly_rootfs(true)
        .with_mount(Mount::tmpfs_mount("/tmp"))
        .with_cap_drop("ALL")
        .with_security_opt("no-new-privileges")
        .with_host_config_modifier(|host| {
            host.memory = Some(MEMORY_LIMIT);
            host.memory_swap = Some(MEMORY_LIMIT);
            host.pids_limit = Some(64);
        })
        .start()
        .await;
    started.map_err(because("the container does not start"))
}

async fn locked_down(engine: &Engine, built: &Built, name: &str, tools: usize) -> Outcome<Figures> {
    let (mut ready_ms, mut cpu_ms, mut starts) = (f64::INFINITY, f64::INFINITY, 0);
    // A start that shares the machine with something else says little: the quickest counts.
    let container = loop {
        let container = start(built, name).await?;
        starts += 1;
        let (ready, cpu) = (ready_after(engine, &container).await?, engine.cpu_ms(container.id()).await?);
        (ready_ms, cpu_ms) = (ready_ms.min(ready), cpu_ms.min(cpu));
        if ready_ms < MAX_READY_MS || starts == MOST_STARTS {
            break container;
        }
        stopped(container).await?;
    };
    let port = container.get_host_port_ipv4(PORT).await.map_err(because("no published port"))?;
    let card = document(port, "/.well-known/agent-env.json").await?;
    ensure(text(&card, "name") == name, || format!("the card names {}", text(&card, "name")))?;
    let (status, _) = exchange(port, "GET", "/ready", "").await?;
    ensure(status == 200, || format!("/ready answers {status}"))?;
    let (listed, calls) = drive_tools(port, tools).await?;
    ensure(run(&container, &["id", "-u"]).await?.1.trim() == "10001", || "the user is another".to_owned())?;
    let (status, _) = run(&container, &["touch", "/usr/x"]).await?;
    ensure(status != 0, || "the root can be written".to_owned())?;
    let memory_bytes = engine.memory(container.id()).await?;
    let operations = card.get("capabilities").and_then(|it| it.get("operations")).and_then(Value::as_array);
    let operations = operations.unwrap_or_default().iter().filter_map(Value::as_str).map(str::to_owned).collect();
    stopped(container).await?;
    Ok(Figures { ready_ms, cpu_ms, starts, memory_bytes, tools: listed, calls, operations })
}

/// Copies the state to where the framework copies it, loads it from there, reads it back.
async fn seeded(built: &Built, state: &[u8]) -> Outcome<()> {
    let container = image(built, "seeded")
        .with_copy_to("/data/state.json", state.to_vec())
        .start()
        .await
        .map_err(because("the container does not start"))?;
    let port = container.get_host_port_ipv4(PORT).await.map_err(because("no published port"))?;
    let (status, _) = run(&container, &["touch", "/data/x"]).await?;
    ensure(status == 0, || "the user may not write to /data".to_owned())?;
    call(port, "/agentenv", "data/reset", "{}").await?;
    let part = r#"{"parts":[{"kind":"file","file":{"uri":"file:///data/state.json","mimeType":"application/json","name":"state.json"}}]}"#;
    call(port, "/agentenv", "data/add", part).await?;
    let got = call(port, "/agentenv", "data/get", "{}").await?;
    let parts = got.get("parts").and_then(Value::as_array).unwrap_or_default();
    let held = parts.first().and_then(|part| part.get("data")).and_then(|data| data.get("rea_state"));
    let loaded = parse(state).map_err(because("the shipped state is not JSON"))?;
    let member = |state: Option<&Value>, name: &str| state.and_then(|state| state.get(name)).map(Value::to_compact);
    for name in ["entities", "documents"] {
        ensure(member(held, name) == member(loaded.get("rea_state"), name), || format!("the {name} held are others"))?;
    }
    stopped(container).await
}

/// Lists the tools and calls those that need no arguments.
async fn drive_tools(port: u16, tools: usize) -> Outcome<(usize, usize)> {
    let hello = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"lane","version":"1"}}"#;
    call(port, "/mcp", "initialize", hello).await?;
    let listed = call(port, "/mcp", "tools/list", "{}").await?;
    let listed = listed.get("tools").and_then(Value::as_array).unwrap_or_default().to_vec();
    ensure(listed.len() == tools, || format!("{} tools are listed, {tools} were reported", listed.len()))?;
    let mut calls = 0;
    for tool in &listed {
        let schema = tool.get("inputSchema");
        let required = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array).unwrap_or_default();
        let reads = tool.get("annotations").and_then(|it| it.get("readOnlyHint")).and_then(Value::as_bool);
        if !required.is_empty() || reads != Some(true) {
            continue;
        }
        let params = Object::new().with("name", text(tool, "name")).with("arguments", Object::new());
        let result = call(port, "/mcp", "tools/call", &Value::from(params).to_compact()).await?;
        ensure(result.get("isError").and_then(Value::as_bool) != Some(true), || {
            format!("{} failed", text(tool, "name"))
        })?;
        calls += 1;
    }
    Ok((listed.len(), calls))
}

async fn document(port: u16, path: &str) -> Outcome<Value> {
    let (status, body) = exchange(port, "GET", path, "").await?;
    ensure(status == 200, || format!("{path} answers {status}"))?;
    parse(&body).map_err(because("the answer is not JSON"))
}

/// Milliseconds from the start that the engine noted to the time of the listening line: both are this machine's clock.
async fn ready_after(engine: &Engine, container: &ContainerAsync<GenericImage>) -> Outcome<f64> {
    let log = container.stderr_to_vec().await.map_err(because("no log"))?;
    let log = String::from_utf8_lossy(&log).into_owned();
    let line = log.lines().find(|line| line.contains(LISTENING)).ok_or("no listening line")?;
    let line = parse(line.as_bytes()).map_err(because("the listening line is not JSON"))?;
    let listening =
        line.get("time").and_then(Value::as_number).map(|time| time.to_f64()).ok_or("a line without a time")?;
    let started = engine.started_at(container.id()).await?;
    let started = RecordedTime::parse(&started).ok_or("a start time that cannot be read")?;
    Ok(listening - started.to_millis())
}

/// Exit status and output of a command in the container.
async fn run(container: &ContainerAsync<GenericImage>, command: &[&str]) -> Outcome<(i64, String)> {
    let ran = container.exec(ExecCommand::new(command.iter().copied())).await;
    let mut ran = ran.map_err(because("nothing can be run in the container"))?;
    let out = ran.stdout_to_vec().await.map_err(because("no output"))?;
    let status = loop {
        match ran.exit_code().await.map_err(because("no exit status"))? {
            Some(status) => break status,
            None => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    Ok((status, String::from_utf8_lossy(&out).into_owned()))
}

/// Stops the container: it ends by itself on SIGTERM, with its document, and is gone.
async fn stopped(container: ContainerAsync<GenericImage>) -> Outcome<()> {
    container.stop_with_timeout(Some(20)).await.map_err(because("the container does not stop"))?;
    let status = container.exit_code().await.map_err(because("no exit status"))?;
    ensure(status == Some(143), || format!("the server ended with {status:?}, not 143"))?;
    let out = container.stdout_to_vec().await.map_err(because("no output"))?;
    let last = parse(&out).map_err(because("the last output is not JSON"))?;
    ensure(text(&last, "status") == "stopped", || "no stopped document".to_owned())?;
    container.rm().await.map_err(because("the container cannot be removed"))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
