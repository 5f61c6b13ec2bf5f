//! A law over generated worlds: at the start and after served writes, those that its own capture recorded and others, the
//! state document loads back to the same bytes, and the loaded state answers as the one that was written did: every
//! recorded read, and every read of what is held, was held or was never there.

use super::worlds::{Script, WorldSpec, record};
use super::{alone, capture, combined, kept, manifest};
use rea::answer::{Call, Engine, EngineOptions, World};
use rea::capture::Record;
use rea::json::parse;
use rea::state::is_read;
use std::collections::BTreeSet;

/// The calls that the capture's records are, writes or reads, in its order.
fn calls(engine: &Engine, reads: bool) -> Vec<Call> {
    engine.capture.records.iter().filter_map(|record| call(engine, record, reads)).collect()
}

fn call(engine: &Engine, record: &Record, reads: bool) -> Option<Call> {
    let cites = |tool: &rea::manifest::Tool| tool.records.contains(&record.ordinal) && is_read(tool) == reads;
    called(engine, record, engine.manifest.tools.iter().position(cites)?)
}

/// The call of a tool that a record is.
fn called(engine: &Engine, record: &Record, tool: usize) -> Option<Call> {
    let request = record.request.as_ref()?;
    let path = engine.manifest.tools[tool].template.matches(&request.path)?;
    let query = request.query.as_deref().unwrap_or_default();
    let body = match &request.body {
        rea::capture::Body::Text(text) => parse(text.as_bytes()).ok(),
        _ => None,
    };
    Some(Call {
        tool,
        path: path.into_iter().map(str::to_owned).collect(),
        query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        raw_query: None,
        body,
    })
}

fn written(engine: &Engine, world: &World) -> Vec<u8> {
    let mut bytes = Vec::new();
    engine.write_state(world, &mut bytes);
    bytes
}

/// Texts that paths may name: identities that are held, those that are given and those that a write took, and some that
/// nothing has.
fn names(engine: &Engine, worlds: [&World; 2]) -> Vec<String> {
    let kinds = engine.derived.as_ref().map_or(0, |derived| derived.types.len());
    let mut names = BTreeSet::from(["none".to_owned(), "987654".to_owned()]);
    for (world, kind) in worlds.into_iter().flat_map(|world| (0..kinds).map(move |kind| (world, kind))) {
        names.extend(world.in_order(kind).into_iter().map(|entity| entity.id.to_string()));
        names.extend(world.removed(kind).map(|(_, id)| id.to_string()));
    }
    names.into_iter().collect()
}

/// Reads of the paths that names make, with no query.
fn made_reads(engine: &Engine, names: &[String]) -> Vec<Call> {
    let read = |tool: usize, path: Vec<String>| Call { tool, path, query: Vec::new(), raw_query: None, body: None };
    let tools = engine.manifest.tools.iter().enumerate().filter(|(_, tool)| is_read(tool));
    tools
        .flat_map(|(index, tool)| -> Vec<Call> {
            match tool.parameters.len() {
                1 => names.iter().map(|name| read(index, vec![name.clone()])).collect(),
                2 => {
                    let pairs = names.iter().flat_map(|one| names.iter().map(move |other| [one, other]));
                    pairs.map(|pair| read(index, pair.map(String::clone).to_vec())).collect()
                }
                _ => Vec::new(),
            }
        })
        .collect()
}

fn check(engine: &Engine, world: &World, reads: &[Call], when: &str) {
    let bytes = written(engine, world);
    let loaded = engine.load(parse(&bytes).expect("it is JSON")).expect("a state is served");
    let loaded = loaded.unwrap_or_else(|problem| panic!("{when}: {problem}"));
    assert_eq!(loaded.bytes, bytes.len(), "{when}");
    let again = written(engine, &loaded.world);
    assert!(again == bytes, "{when}:\n{}\n{}", String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&again));
    let made = made_reads(engine, &names(engine, [&engine.initial_world(), world]));
    for read in reads.iter().chain(&made) {
        let (held, other) = (engine.answer(world, read).reply, engine.answer(&loaded.world, read).reply);
        assert!(held == other, "{when}: {read:?}\n{held:?}\n{other:?}");
    }
}

/// Writes that the capture did not make, as another run of the world recorded them.
fn other_writes(engine: &Engine, spec: &WorldSpec, script: Script) -> Vec<Call> {
    let capture = capture(record(spec, script).har());
    capture.records.iter().filter_map(|record| call_of(engine, record)).collect()
}

fn call_of(engine: &Engine, record: &Record) -> Option<Call> {
    let request = record.request.as_ref()?;
    let fits = |tool: &rea::manifest::Tool| {
        !is_read(tool) && tool.method == request.method && tool.template.matches(&request.path).is_some()
    };
    called(engine, record, engine.manifest.tools.iter().position(fits)?)
}

/// Writes one after the other, and looks at the world between; how many changed it.
fn write_all(engine: &Engine, writes: &[Call], reads: &[Call], when: &str) -> usize {
    let mut world = engine.initial_world();
    let mut changed = 0;
    for write in writes {
        let Some(after) = engine.answer(&world, write).world else { continue };
        world = after;
        changed += 1;
        if changed % LOOKED_AT == 0 {
            check(engine, &world, reads, &format!("{when}, after {changed} writes"));
        }
    }
    check(engine, &world, reads, &format!("{when}, after {changed} writes"));
    changed
}

/// After how many writes a world is loaded again.
const LOOKED_AT: usize = 10;

fn loads_back(spec: &WorldSpec) -> usize {
    let capture = capture(record(spec, Script::Capture).har());
    let manifest = manifest(&capture);
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).expect("its catalog is small");
    if !engine.has_state() {
        return 0;
    }
    let reads = calls(&engine, true);
    check(&engine, &engine.initial_world(), &reads, &format!("{}, at the start", spec.name));
    write_all(&engine, &other_writes(&engine, spec, Script::Random(0)), &reads, &format!("{}, at random", spec.name));
    write_all(&engine, &calls(&engine, false), &reads, &spec.name)
}

#[test]
fn what_is_held_loads_back_at_the_start_and_after_writes() {
    let specs: Vec<WorldSpec> = alone().into_iter().chain(kept()).chain(combined(12)).collect();
    let changed: usize = specs.iter().map(loads_back).sum();
    assert!(changed > specs.len(), "{changed} writes of {} worlds were served", specs.len());
}
