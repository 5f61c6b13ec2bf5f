//! The scripts, as the recordings of real applications were made: a capture reads everything first (lists, items,
//! missing ones, every query parameter), then writes, each write followed by reads of whatever it touches; the probes
//! start from a world seeded anew, with other ids, and use other entities and values.

use super::behaviour::Phase;
use super::json::{Json, obj};
use super::prng::Prng;
use super::recorder::Recorder;
use super::spec::{BOOK, IdKind, Routes, WorldSpec};
use super::world::World;

/// What is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Reads, then writes.
    Capture,
    /// The capture's reads alone.
    CaptureReads,
    /// Reads the capture did not make.
    ProbeReads,
    /// Writes with other names and values.
    ProbeCrud,
    /// A random valid sequence of reads and writes; the number chooses it.
    Random(u64),
}

/// Records a script against a freshly seeded world.
pub fn record(spec: &WorldSpec, script: Script) -> Recorder {
    let (run, drafts) = match script {
        Script::Capture | Script::CaptureReads => (0, 60),
        Script::ProbeReads => (1, 80),
        Script::ProbeCrud => (2, 100),
        Script::Random(at) => (3 + at, 130),
    };
    let mut recorder = Recorder::new(World::new(spec, run), drafts);
    match script {
        Script::Capture => {
            capture_reads(&mut recorder);
            capture_writes(&mut recorder);
        }
        Script::CaptureReads => capture_reads(&mut recorder),
        Script::ProbeReads => probe_reads(&mut recorder),
        Script::ProbeCrud => probe_crud(&mut recorder),
        Script::Random(at) => random(&mut recorder, at),
    }
    recorder
}

fn documents(recorder: &mut Recorder) {
    for document in recorder.world.spec.documents.clone() {
        recorder.get(&format!("{}{}", recorder.world.spec.base, document.path));
    }
}

fn types(recorder: &Recorder) -> std::ops::Range<usize> {
    0..recorder.world.spec.types.len()
}

/// A parent that is there, for paths of missing entities.
fn some_parent(recorder: &Recorder, of: usize) -> Option<String> {
    recorder.world.keys(of).into_iter().next().and_then(|(parent, _)| parent)
}

fn capture_reads(recorder: &mut Recorder) {
    documents(recorder);
    for of in types(recorder) {
        recorder.lists(of);
        let keys = recorder.world.keys(of);
        let last = keys.len().saturating_sub(1);
        for (at, (parent, key)) in keys.iter().enumerate() {
            if at < 3 || at == last {
                recorder.item(of, parent.as_deref(), key);
            }
        }
        for _ in 0..2 {
            let missing = recorder.missing_key(of);
            let parent = some_parent(recorder, of);
            recorder.item(of, parent.as_deref(), &missing);
        }
    }
    recorder.behaviours(Phase::Reads);
    for of in types(recorder) {
        recorder.get(&recorder.main_list(of));
    }
    documents(recorder);
}

fn probe_reads(recorder: &mut Recorder) {
    documents(recorder);
    for of in types(recorder) {
        recorder.lists(of);
    }
    for of in types(recorder) {
        let keys = recorder.world.keys(of);
        for (parent, key) in keys.iter().skip(2) {
            recorder.item(of, parent.as_deref(), key);
        }
        let missing = recorder.missing_key(of);
        let parent = some_parent(recorder, of);
        recorder.item(of, parent.as_deref(), &missing);
    }
    recorder.behaviours(Phase::ProbeReads);
}

/// The body of an update: these members of a new draft.
fn part(recorder: &mut Recorder, of: usize, members: &[&str]) -> Json {
    let draft = recorder.draft(of, None);
    let mut body = Json::Obj(Vec::new());
    let spec = &recorder.world.spec.types[of];
    let whole = spec.writes.update_method == "PUT";
    for (name, value) in draft.members() {
        let known = spec.fields.iter().any(|field| field.name == name);
        // A member of another name is what a behaviour made of one; it goes with the others, not with the name.
        let renamed = !known && !members.contains(&"name") && name != spec.id_member;
        if members.contains(&name.as_str()) || renamed || (whole && name != spec.id_member) {
            body.set(name, value.clone());
        }
    }
    body
}

/// The other members an update changes together, by type: all but the name.
fn others(recorder: &Recorder, of: usize) -> Vec<&'static str> {
    let spec = &recorder.world.spec.types[of];
    spec.fields.iter().map(|field| field.name).filter(|name| *name != "name").collect()
}

/// Parents to create under: the first two, or none for a type without parent.
fn parents(recorder: &Recorder, of: usize) -> Vec<Option<String>> {
    match recorder.world.spec.types[of].parent {
        None => vec![None, None],
        Some(parent) => recorder.world.keys(parent).into_iter().take(2).map(|(_, key)| Some(key)).collect(),
    }
}

fn capture_writes(recorder: &mut Recorder) {
    for of in types(recorder) {
        let parents = parents(recorder, of);
        for at in 0..3 {
            let parent = parents.get(at % parents.len().max(1)).cloned().flatten();
            let body = recorder.draft(of, parent.as_deref());
            recorder.create(of, parent.as_deref(), body);
        }
        let bad = recorder.world.create_path(of, parents.first().cloned().flatten().as_deref());
        let request = recorder.with_body(of, super::http::Request::new("POST", &bad), obj! { "name" => "" });
        recorder.send(request);
        edits(recorder, of);
        removals(recorder, of);
    }
    recorder.behaviours(Phase::Writes);
}

fn edits(recorder: &mut Recorder, of: usize) {
    let made: Vec<_> = recorder.made.iter().filter(|(held, ..)| *held == of).cloned().collect();
    let seeded = recorder.world.keys(of);
    let others = others(recorder, of);
    let targets = [made.first().map(|(_, parent, key)| (parent.clone(), key.clone())), seeded.get(1).cloned()];
    for (parent, key) in targets.into_iter().flatten() {
        let body = part(recorder, of, &["name"]);
        let renamed = body.get("name").map(Json::text);
        recorder.update(of, parent.as_deref(), &key, body);
        // A renamed entity may have another address now.
        let key = match renamed {
            Some(name) if recorder.world.spec.types[of].id == IdKind::Name => name,
            _ => key,
        };
        for members in others.chunks(2) {
            let body = part(recorder, of, members);
            recorder.update(of, parent.as_deref(), &key, body);
        }
    }
    if of == BOOK
        && recorder.world.spec.types[of].routes == Routes::Flat
        && let Some((_, parent, key)) = made.get(1)
        && let Some((_, shelf)) = recorder.world.keys(0).into_iter().find(|(_, key)| Some(key) != parent.as_ref())
        && let Some(at) = recorder.world.find(0, None, &shelf)
        && recorder.world.spec.types[of].writes.update_method == "PATCH"
    {
        // A book moves to another shelf.
        let member = recorder.world.spec.types[of].parent_member;
        if !member.is_empty() {
            let body = obj! { member => recorder.world.entities[0][at].id.clone() };
            recorder.update(of, parent.as_deref(), key, body);
            if let Some(parent) = parent {
                recorder.item(0, None, parent);
            }
        }
    }
    for _ in 0..2 {
        let missing = recorder.missing_key(of);
        let parent = some_parent(recorder, of);
        let body = part(recorder, of, &["name"]);
        let request = recorder.update_request(of, parent.as_deref(), &missing, body);
        recorder.send(request);
    }
}

fn removals(recorder: &mut Recorder, of: usize) {
    let made: Vec<_> = recorder.made.iter().filter(|(held, ..)| *held == of).cloned().collect();
    if let Some((_, _, key)) = made.get(2) {
        // Where the script moved or renamed it, the world knows.
        let at = recorder.world.find(of, None, key);
        let parent = at.and_then(|at| recorder.world.entities[of][at].parent.clone());
        recorder.delete(of, parent.as_deref(), key);
        recorder.delete(of, parent.as_deref(), key);
    }
    // A seeded entity that nothing refers to.
    let seeded = recorder.world.keys(of);
    let free = seeded.iter().skip(3).find(|(_, key)| of == BOOK || recorder.world.count_books(key) == 0).cloned();
    if let Some((parent, key)) = free {
        recorder.delete(of, parent.as_deref(), &key);
    }
    let missing = recorder.missing_key(of);
    let parent = some_parent(recorder, of);
    recorder.delete(of, parent.as_deref(), &missing);
}

fn probe_crud(recorder: &mut Recorder) {
    documents(recorder);
    for of in types(recorder) {
        recorder.lists(of);
    }
    for of in types(recorder) {
        let parents = parents(recorder, of);
        for at in 0..2 {
            let parent = parents.get(at % parents.len().max(1)).cloned().flatten();
            let body = recorder.draft(of, parent.as_deref());
            recorder.create(of, parent.as_deref(), body);
        }
        let made: Vec<_> = recorder.made.iter().filter(|(held, ..)| *held == of).cloned().collect();
        let others = others(recorder, of);
        let seeded = recorder.world.keys(of);
        if let Some((_, parent, key)) = made.first() {
            for members in others.chunks(2) {
                let body = part(recorder, of, members);
                recorder.update(of, parent.as_deref(), key, body);
            }
        }
        if let Some((parent, key)) = seeded.get(2) {
            let body = part(recorder, of, &["name"]);
            recorder.update(of, parent.as_deref(), key, body);
        }
        if let Some((_, parent, key)) = made.get(1) {
            recorder.delete(of, parent.as_deref(), key);
            recorder.delete(of, parent.as_deref(), key);
        }
        if of == BOOK
            && let Some((parent, key)) = seeded.first()
        {
            recorder.delete(of, parent.as_deref(), key);
        }
    }
    recorder.behaviours(Phase::ProbeCrud);
    for of in types(recorder) {
        recorder.lists(of);
    }
}

/// Thirty random steps: lists and items read, entities created, edited and removed, whatever the step before was. What the
/// behaviours write is somewhere among them.
fn random(recorder: &mut Recorder, at: u64) {
    let mut prng = Prng::new(recorder.world.spec.seed, 9_000 + at);
    for of in types(recorder) {
        recorder.lists(of);
    }
    let own = prng.below(30);
    for step in 0..30 {
        if step == own {
            recorder.behaviours(Phase::ProbeCrud);
        }
        let of = prng.below(recorder.world.spec.types.len());
        let keys = recorder.world.keys(of);
        let held = (!keys.is_empty()).then(|| prng.pick(&keys).clone());
        match (prng.below(6), held) {
            (0, _) => recorder.lists(of),
            (1, _) => {
                let parents = parents(recorder, of);
                let parent = parents.get(prng.below(parents.len())).cloned().flatten();
                let body = recorder.draft(of, parent.as_deref());
                recorder.create(of, parent.as_deref(), body);
            }
            (2, Some((parent, key))) => {
                let mut members = others(recorder, of);
                members.push("name");
                let chosen = [*prng.pick(&members), *prng.pick(&members)];
                let body = part(recorder, of, &chosen);
                recorder.update(of, parent.as_deref(), &key, body);
            }
            (3, Some((parent, key))) if of == BOOK || recorder.world.count_books(&key) == 0 => {
                recorder.delete(of, parent.as_deref(), &key);
            }
            (_, Some((parent, key))) => {
                recorder.item(of, parent.as_deref(), &key);
            }
            _ => {}
        }
    }
}
