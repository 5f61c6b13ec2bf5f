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

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let rest = request.path.strip_prefix(&format!("{}/contents", world.spec.base))?;
        if request.method != "GET" {
            return None;
        }
        let path = rest.trim_matches('/');
        let inside = |file: &str| file.rsplit_once('/').map_or("", |(folder, _)| folder).to_string();
        if let Some((_, text)) = FILES.iter().find(|(file, _)| *file == path) {
            return Some(Response::json(200, &file_model(path, Some(text))));
        }
        let folders: Vec<&str> =
            FOLDERS.iter().copied().filter(|folder| !folder.is_empty() && inside(folder) == path).collect();
        if !FOLDERS.contains(&path) {
            let message = format!("No such file or directory: {path}");
            return Some(Response::json(404, &obj! { "message" => message, "reason" => Json::Null }));
        }
        let mut content: Vec<Json> = folders.iter().map(|folder| folder_model(folder, Json::Null)).collect();
        let files = FILES.iter().filter(|(file, _)| inside(file) == path);
        content.extend(files.map(|(file, _)| file_model(file, None)));
        Some(Response::json(200, &folder_model(path, Json::Arr(content))))
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
            _ => return,
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

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn folder_model(path: &str, content: Json) -> Json {
    obj! { "name" => name(path), "path" => path, "type" => "directory", "content" => content, "size" => Json::Null }
}

fn file_model(path: &str, text: Option<&str>) -> Json {
    let size = FILES.iter().find(|(file, _)| *file == path).map_or(0, |(_, text)| text.len());
    let content = text.map_or(Json::Null, Json::from);
    obj! { "name" => name(path), "path" => path, "type" => "file", "content" => content, "size" => size }
}
