//! Builds bundles with the program, builds their images on the local engine, and drives them. Prints one JSON object; run by
//! ci/agentenv-docker.
//!
//! ```text
//! docker-lane <program> <tarball> <scenarios folder> <scenario>…
//! ```

use rea::bundle::BASE_IMAGE;
use rea::json::{Object, Value, parse};
use rea_ci::docker::{Engine, MAX_READY_MS, Outcome, drive};
use std::path::Path;
use std::process::{Command, ExitCode};

/// Bytes: the most that an image may add to its base.
const MAX_ADDED_BYTES: u64 = 40 * 1000 * 1000;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (program, tarball, scenarios, names) = match arguments.as_slice() {
        [program, tarball, scenarios, names @ ..] if !names.is_empty() => (program, tarball, scenarios, names),
        _ => {
            eprintln!("docker-lane <program> <tarball> <scenarios folder> <scenario>…");
            return ExitCode::from(2);
        }
    };
    match lane(program, tarball, Path::new(scenarios), names).await {
        Ok((document, passed)) => {
            println!("{}", Value::from(document).to_compact());
            if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

async fn lane(program: &str, tarball: &str, scenarios: &Path, names: &[String]) -> Outcome<(Object, bool)> {
    let engine = Engine::connect().await?;
    let base_bytes = engine.bytes_of(BASE_IMAGE).await?;
    let mut runs = Vec::new();
    let mut passed = true;
    for name in names {
        for (source, more) in [("executable", vec![]), ("tarball", vec!["--package-tarball", tarball])] {
            let capture = scenarios.join(name).join("capture.har");
            let run = Object::new().with("scenario", name).with("package", source);
            let run = match driven(&engine, program, &capture, name, source, &more).await {
                Ok(figures) => run.extended(figures).with("failed", Value::Null),
                Err(problem) => {
                    passed = false;
                    eprintln!("FAILED {name} ({source}): {problem}");
                    run.with("failed", problem)
                }
            };
            runs.push(Value::from(run));
        }
    }
    let document = Object::new()
        .with("engine", engine.version.as_str())
        .with("base", BASE_IMAGE)
        .with("base_bytes", base_bytes)
        .with("containers", runs);
    Ok((document, passed))
}

/// One bundle: built, its image built, driven, removed.
async fn driven(
    engine: &Engine,
    program: &str,
    capture: &Path,
    name: &str,
    source: &str,
    more: &[&str],
) -> Outcome<Object> {
    let folder = std::env::temp_dir().join(format!("rea-docker-{}-{name}-{source}", std::process::id()));
    let result = in_folder(engine, program, capture, name, &folder, more).await;
    // What cannot be removed is told by nobody else.
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        eprintln!("{} is left: {error}", folder.display());
    }
    result
}

async fn in_folder(
    engine: &Engine,
    program: &str,
    capture: &Path,
    name: &str,
    folder: &Path,
    more: &[&str],
) -> Outcome<Object> {
    let mut command = Command::new(program);
    command.arg("environment-build").arg(capture).arg(folder).args(["--name", name, "--with-state"]).args(more);
    let output = command.output().map_err(|error| format!("the program cannot be run: {error}"))?;
    let report = parse(&output.stdout).map_err(|error| format!("the report is not JSON: {error}"))?;
    if !output.status.success() {
        return Err(format!("the build was refused: {}", report.to_compact()));
    }
    let tools = report.get("tool_count").and_then(Value::as_number).and_then(|count| count.as_i64());
    let tools = tools.and_then(|count| usize::try_from(count).ok()).ok_or("a report without tool_count")?;
    let state = folder.join("artifacts").join(format!("state_{name}")).join("state.json");
    let state = std::fs::read(state).map_err(|error| format!("the shipped state cannot be read: {error}"))?;
    let environment = folder.join("envs").join(name);
    let built = engine.build(&environment, &format!("rea-lane-{name}"), BASE_IMAGE).await?;
    let figures = drive(engine, &built, name, tools, &state).await;
    let removed = engine.remove(&built).await;
    let figures = figures?;
    removed?;
    if built.user != "10001:10001" {
        return Err(format!("the image runs as {:?}", built.user));
    }
    if built.added_bytes >= MAX_ADDED_BYTES {
        return Err(format!("the image adds {} bytes to its base; the limit is {MAX_ADDED_BYTES}", built.added_bytes));
    }
    // On a machine that has more to do than it has processors for, waiting says nothing and work does. A start that takes
    // longer is told, not failed: a time that a machine takes is a figure of the receipt.
    let busy = load_per_processor() > 1.0;
    let taken = if busy { figures.cpu_ms } else { figures.ready_ms };
    let in_time = taken < MAX_READY_MS;
    if !in_time {
        let (ready, cpu) = (figures.ready_ms, figures.cpu_ms);
        eprintln!("{name}: ready after {ready:.0} ms, {cpu:.0} ms of work; the aim is {MAX_READY_MS} ms");
    }
    let sizes = Object::new().with("image_bytes", built.bytes).with("added_bytes", built.added_bytes);
    Ok(sizes.extended(figures.to_object()).with("busy_machine", busy).with("ready_in_time", in_time))
}

/// How many processes want each processor, over the last minute.
fn load_per_processor() -> f64 {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()).unwrap_or_default();
    load / std::thread::available_parallelism().map_or(1.0, |count| count.get() as f64)
}

/// Members after members.
trait Extended {
    fn extended(self, more: Object) -> Object;
}

impl Extended for Object {
    fn extended(mut self, more: Object) -> Object {
        for (name, value) in more {
            self.push(name, value);
        }
        self
    }
}
