//! A law over generated worlds: at the start and after each served write that its own capture recorded, the state document
//! loads back to the same bytes, and the loaded state answers every recorded read as the one that was written did.

use super::worlds::{Script, WorldSpec, record};
use super::{alone, capture, combined, manifest};
use rea::answer::{Call, Engine, EngineOptions, World};
use rea::capture::Record;
use rea::json::parse;
use rea::state::is_read;

/// The calls that the capture's records are, writes or reads, in its order.
fn calls(engine: &Engine, reads: bool) -> Vec<Call> {
    engine.capture.records.iter().filter_map(|record| call(engine, record, reads)).collect()
}

fn call(engine: &Engine, record: &Record, reads: bool) -> Option<Call> {
    let request = record.request.as_ref()?;
    let cites = |tool: &rea::manifest::Tool| tool.records.contains(&record.ordinal) && is_read(tool) == reads;
    let tool = engine.manifest.tools.iter().position(cites)?;
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

fn check(engine: &Engine, world: &World, reads: &[Call], when: &str) {
    let bytes = written(engine, world);
    let loaded = engine.load(parse(&bytes).expect("it is JSON")).expect("a state is served");
    let loaded = loaded.unwrap_or_else(|problem| panic!("{when}: {problem}"));
    assert_eq!(loaded.bytes, bytes.len(), "{when}");
    let again = written(engine, &loaded.world);
    assert!(again == bytes, "{when}:\n{}\n{}", String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&again));
    for read in reads {
        let (held, other) = (engine.answer(world, read).reply, engine.answer(&loaded.world, read).reply);
        assert!(held == other, "{when}: {read:?}\n{held:?}\n{other:?}");
    }
}

fn loads_back(spec: &WorldSpec) -> usize {
    let capture = capture(record(spec, Script::Capture).har());
    let manifest = manifest(&capture);
    let engine = Engine::new(capture, manifest, &EngineOptions::default()).expect("its catalog is small");
    if !engine.has_state() {
        return 0;
    }
    let reads = calls(&engine, true);
    let mut world = engine.initial_world();
    check(&engine, &world, &reads, &format!("{}, at the start", spec.name));
    let mut changed = 0;
    for write in calls(&engine, false) {
        if let Some(after) = engine.answer(&world, &write).world {
            world = after;
            changed += 1;
        }
    }
    check(&engine, &world, &reads, &format!("{}, after {changed} writes", spec.name));
    changed
}

#[test]
fn what_is_held_loads_back_at_the_start_and_after_writes() {
    let specs: Vec<WorldSpec> = alone().into_iter().chain(combined(12)).collect();
    let changed: usize = specs.iter().map(loads_back).sum();
    assert!(changed > specs.len(), "{changed} writes of {} worlds were served", specs.len());
}
