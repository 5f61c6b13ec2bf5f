//! Files are addressed by a path of any depth; a folder lists what is in it.

use super::*;

/// Files are addressed by a path of any depth; a folder lists what is in it.
pub struct IdPath;

impl Behaviour for IdPath {
    fn name(&self) -> &'static str {
        "id_path"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["files"]
    }

    fn seed(&self, world: &mut World) {
        let folders = FOLDERS.iter().map(|folder| ((*folder).to_string(), None));
        let files = FILES.iter().map(|(file, text)| ((*file).to_string(), Some((*text).to_string())));
        world.files = folders.chain(files).collect();
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let rest = request.path.strip_prefix(&format!("{}/contents", world.spec.base))?;
        let path = rest.trim_matches('/').to_string();
        let text = |name: &str| request.json().and_then(|body| body.get(name)).map(Json::text).unwrap_or_default();
        let held = |world: &World, path: &str| world.files.iter().position(|(held, _)| held == path);
        let at = held(world, &path);
        Some(match (request.method.as_str(), at) {
            ("GET", Some(at)) => {
                let shown = match &world.files[at].1 {
                    Some(text) => file_model(&path, Some(text), text.len()),
                    None => folder_model(&path, Json::Arr(listed(world, &path))),
                };
                Response::json(200, &shown)
            }
            ("PUT", at) => {
                let content = text("content");
                let answer = file_model(&path, None, content.len());
                match at {
                    Some(at) => world.files[at].1 = Some(content),
                    None => world.files.push((path, Some(content))),
                }
                Response::json(if at.is_some() { 200 } else { 201 }, &answer)
            }
            ("POST", Some(_)) => {
                let file = text("type") == "file";
                let (stem, ending) = if file { ("untitled", ".txt") } else { ("folder", "") };
                let below = |name: String| if path.is_empty() { name } else { format!("{path}/{name}") };
                let numbered = (0..).map(|number| match number {
                    0 => below(format!("{stem}{ending}")),
                    _ => below(format!("{stem}{number}{ending}")),
                });
                let made = numbered.into_iter().find(|made| held(world, made).is_none()).unwrap_or_default();
                world.files.push((made.clone(), file.then(String::new)));
                let answer = if file { file_model(&made, None, 0) } else { folder_model(&made, Json::Null) };
                Response::json(201, &answer)
            }
            ("PATCH", Some(at)) => {
                let to = text("path");
                if held(world, &to).is_some() {
                    let message = format!("File already exists: {to}");
                    return Some(Response::json(409, &obj! { "message" => message, "reason" => Json::Null }));
                }
                let (_, content) = world.files.remove(at);
                for (below, _) in &mut world.files {
                    if let Some(rest) = below.strip_prefix(&format!("{path}/")) {
                        *below = format!("{to}/{rest}");
                    }
                }
                let answer = match &content {
                    Some(text) => file_model(&to, None, text.len()),
                    None => folder_model(&to, Json::Null),
                };
                world.files.push((to, content));
                Response::json(200, &answer)
            }
            ("DELETE", Some(_)) => {
                world.files.retain(|(held, _)| *held != path && !held.starts_with(&format!("{path}/")));
                Response::empty(204)
            }
            _ => {
                let message = format!("No such file or directory: {path}");
                Response::json(404, &obj! { "message" => message, "reason" => Json::Null })
            }
        })
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let paths: &[&str] = match phase {
            Phase::Reads => &[
                "",
                "/readme.txt",
                "/data",
                "/data/june.csv",
                "/data/july.csv",
                "/data/raw",
                "/data/raw/one.txt",
                "/scripts",
                "/scripts/load.py",
                "/nothing.txt",
                "/data/raw/nothing.txt",
            ],
            // A folder shows its files without content: what was not read is not known.
            Phase::ProbeReads => &["/data/raw", "/scripts/load.py", "/data/june.csv", "", "/data", "/data/none.csv"],
            Phase::Writes => return writes(recorder, &WRITES),
            Phase::ProbeCrud => return writes(recorder, &PROBED),
        };
        for path in paths {
            recorder.get(&format!("{}/contents{path}", recorder.world.spec.base));
        }
    }
}

const FOLDERS: [&str; 4] = ["", "data", "data/raw", "scripts"];
const FILES: [(&str, &str); 7] = [
    ("readme.txt", "Read me."),
    ("data/june.csv", "a,b"),
    ("data/july.csv", "c,d"),
    ("data/raw/one.txt", "One."),
    ("data/raw/two.txt", "Two."),
    ("scripts/load.py", "load()"),
    ("scripts/plot.py", "plot()"),
];

/// Method, path, what is sent: a text for a save, a type for what is made, a path for a move.
type Call = (&'static str, &'static str, &'static str);

const WRITES: [Call; 19] = [
    ("PUT", "data/may.csv", "e,f,g"),
    ("PUT", "data/may.csv", "e,f"),
    ("PUT", "scripts/run.py", "run(1)"),
    ("PUT", "scripts/load.py", "load(2)"),
    ("POST", "scripts", "file"),
    ("POST", "scripts", "file"),
    ("POST", "data", "directory"),
    ("POST", "data", "directory"),
    ("PUT", "data/folder/in.txt", "Inside."),
    ("PATCH", "data/may.csv", "scripts/may.csv"),
    ("PATCH", "data/folder", "data/box"),
    ("PATCH", "scripts/run.py", "scripts/may.csv"),
    ("DELETE", "scripts/untitled.txt", ""),
    ("DELETE", "scripts/untitled.txt", ""),
    ("PATCH", "scripts/untitled.txt", "scripts/gone.txt"),
    ("DELETE", "data/box", ""),
    ("DELETE", "scripts/run.py", ""),
    ("POST", "data/raw", "file"),
    ("PATCH", "data/raw/untitled.txt", "data/raw/last.txt"),
];

const PROBED: [Call; 10] = [
    ("PUT", "data/raw/three.txt", "Number three."),
    ("PUT", "data/june.csv", "a,b,c,d"),
    ("POST", "data", "file"),
    ("POST", "data/raw", "directory"),
    ("PATCH", "data/raw/three.txt", "readme3.txt"),
    ("PATCH", "data/raw", "data/cooked"),
    ("PATCH", "data/june.csv", "data/july.csv"),
    ("DELETE", "data/july.csv", ""),
    ("DELETE", "data/july.csv", ""),
    ("DELETE", "data/cooked", ""),
];

/// Makes calls and reads what each was about, the folder it lies in, and where it went.
fn writes(recorder: &mut Recorder, calls: &[Call]) {
    let base = format!("{}/contents", recorder.world.spec.base);
    for (method, path, sent) in calls {
        recorder.wait(1_200);
        let request = Request::new(method, &format!("{base}/{path}"));
        let request = match *method {
            "PUT" => request.with_json(obj! { "type" => "file", "content" => *sent }),
            "POST" => request.with_json(obj! { "type" => *sent }),
            "PATCH" => request.with_json(obj! { "path" => *sent }),
            _ => request,
        };
        let answer = recorder.send(request).value();
        let made = answer.as_ref().and_then(|answer| answer.get("path")).map(Json::text).unwrap_or_default();
        let mut looked: Vec<String> = Vec::new();
        for path in [*path, &made, inside(path), inside(&made)] {
            if !path.is_empty() && !looked.iter().any(|held| held == path) {
                recorder.get(&format!("{base}/{path}"));
                looked.push(path.to_string());
            }
        }
    }
}

/// The folder that a path lies in.
fn inside(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn listed(world: &World, folder: &str) -> Vec<Json> {
    let below = world.files.iter().filter(|(path, _)| !path.is_empty() && inside(path) == folder);
    below
        .map(|(path, text)| match text {
            Some(text) => file_model(path, None, text.len()),
            None => folder_model(path, Json::Null),
        })
        .collect()
}

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn folder_model(path: &str, content: Json) -> Json {
    obj! { "name" => name(path), "path" => path, "type" => "directory", "content" => content, "size" => Json::Null }
}

fn file_model(path: &str, text: Option<&str>, size: usize) -> Json {
    let content = text.map_or(Json::Null, Json::from);
    obj! { "name" => name(path), "path" => path, "type" => "file", "content" => content, "size" => size }
}
