//! Deriving a state, and answering from one: an item among few and many, lists of 1, 100 and 1,000 entities, a filtered
//! and ordered page of 100 out of 10,000, reset and fork of worlds of any size. All in processor time.
//! Bars: 60 µs for a list of 100 entities of 200 bytes, written; an item is as fast among 10,000 as among 10; 1 ms for the
//! page; a reset or fork under 1 µs; the derivation of a recorded application under 200 ms, of 30 MB under 2 s.

#![allow(missing_docs, clippy::expect_used)]

mod cpu_time;
mod environment;
mod generate;

use cpu_time::CpuTime;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use generate::Exchange;
use rea::answer::{Call, Engine, EngineOptions, StateProvenance, check_arguments, load_pair};
use rea::capture::{Capture, InspectOptions};
use rea::json::{Object, Value};
use rea::manifest::{DEFAULT_BUILD_RULES, Manifest, project_manifest};
use rea::state::{Entity, World, prepare_state, state_evidence};
use std::hint::black_box;
use std::path::{Path, PathBuf};

type Bench = Criterion<CpuTime>;

/// An environment that holds `count` parts and answers from its state.
fn stocked(count: usize) -> Engine {
    let items = (1..=count.min(3)).map(|id| Exchange { line: format!("/api/parts/{id}"), body: generate::item(id) });
    let list = Exchange { line: "/api/parts".into(), body: generate::some(&(1..=count).collect::<Vec<_>>(), count) };
    let some = (1..=count).filter(|id| generate::shelf(*id) == "north").collect::<Vec<_>>();
    let other = (1..=count).filter(|id| generate::shelf(*id) == "east").collect::<Vec<_>>();
    let mut by_name: Vec<usize> = (1..=count).collect();
    by_name.sort_by_key(|id| format!("Part {id}"));
    let lines = [
        Exchange { line: "/api/parts?shelf=north".into(), body: generate::some(&some, some.len()) },
        Exchange { line: "/api/parts?shelf=east".into(), body: generate::some(&other, other.len()) },
        Exchange { line: "/api/parts?sort=name".into(), body: generate::some(&by_name, count) },
        Exchange { line: "/api/parts?limit=2".into(), body: generate::some(&[1, 2], count) },
        Exchange { line: "/api/parts?limit=2&offset=2".into(), body: generate::some(&[3, 4], count) },
    ];
    let lines = lines.into_iter().filter(|_| count >= 1_000);
    let (capture, manifest) = pair(generate::har(std::iter::once(list).chain(items).chain(lines)));
    Engine::new(capture, manifest, &EngineOptions::default()).expect("the catalog is small")
}

fn pair(har: Vec<u8>) -> (Capture, Manifest) {
    let capture = environment::capture(har);
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).expect("it has JSON answers");
    (capture, manifest)
}

/// The call of the tool with a template, which must be answered from the state.
fn call(engine: &Engine, template: &str, arguments: Object) -> Call {
    let tools = engine.catalog.tools.iter().map(|served| (served, &engine.manifest.tools[served.tool]));
    let (served, tool) =
        tools.into_iter().find(|(_, tool)| tool.template.spelling() == template).expect("the capture holds the tool");
    let call = check_arguments(served, tool, Some(&Value::from(arguments))).expect("the arguments fit");
    let reply = engine.answer(&engine.initial_world(), &call).reply.expect("a read is not refused");
    assert!(matches!(reply.state, Some(StateProvenance::State { .. })), "{:?}", reply.state);
    call
}

fn answering(criterion: &mut Bench) {
    let mut group = criterion.benchmark_group("state");
    for count in [1, 10, 100, 1_000, 10_000] {
        let engine = stocked(count);
        let world = engine.initial_world();
        let last = count.to_string();
        let mut calls = vec![("item", call(&engine, "/api/parts/{numeric}", Object::new().with("id", last.as_str())))];
        if count < 10_000 {
            // A list of 10,000 is longer than an answer may be.
            calls.push(("list", call(&engine, "/api/parts", Object::new())));
        } else {
            let page =
                Object::new().with("shelf", "north").with("sort", "name").with("limit", "100").with("offset", "2000");
            calls.push(("page", call(&engine, "/api/parts", page)));
        }
        for (kind, call) in calls {
            let mut out = Vec::with_capacity(512 * 1024);
            group.bench_with_input(BenchmarkId::new(kind, count), &call, |bencher, call| {
                bencher.iter(|| {
                    out.clear();
                    if let Ok(reply) = engine.answer(black_box(&world), black_box(call)).reply {
                        reply.write(&mut out);
                    }
                    out.len()
                });
            });
        }
        group.bench_function(BenchmarkId::new("reset", count), |bencher| bencher.iter(|| engine.initial_world()));
    }
    group.finish();
}

/// A world that holds `count` parts.
fn world_of(count: usize) -> World {
    let mut world = World::default();
    for id in 1..=count {
        let fields = Object::new().with("id", id).with("name", format!("Part {id}"));
        world.set_entity(0, Entity::new("/api/parts", &id.to_string(), fields.into()));
    }
    world
}

fn forking(criterion: &mut Bench) {
    let mut group = criterion.benchmark_group("world");
    for count in [10, 10_000, 1_000_000] {
        let base = world_of(count);
        let mut live = base.clone();
        group.bench_function(BenchmarkId::new("fork", count), |bencher| bencher.iter(|| black_box(&base).clone()));
        group.bench_function(BenchmarkId::new("reset", count), |bencher| {
            bencher.iter(|| live = black_box(&base).clone());
        });
    }
    group.finish();
}

fn scenarios() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let entries = std::fs::read_dir(folder).expect("the scenarios are there").flatten();
    let mut captures: Vec<PathBuf> =
        entries.map(|entry| entry.path().join("capture.har")).filter(|path| path.is_file()).collect();
    captures.sort();
    captures
}

fn deriving(criterion: &mut Bench) {
    let mut group = criterion.benchmark_group("derivation");
    group.sample_size(10);
    for path in scenarios() {
        let (capture, manifest) = load_pair(&path, None, &InspectOptions::default()).expect("a scenario is whole");
        let name = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        group.bench_function(BenchmarkId::new("scenario", name), |bencher| {
            bencher.iter(|| prepare_state(&capture, &manifest).expect("it has a state"));
        });
    }
    let (capture, manifest) = pair(generate::har_of_size(30_000_000));
    group.bench_function("30 MB", |bencher| {
        bencher.iter(|| prepare_state(&capture, &manifest).expect("it has a state"));
    });
    let derived = prepare_state(&capture, &manifest).expect("it has a state");
    group.bench_function("30 MB, Evidence of it", |bencher| {
        bencher.iter(|| state_evidence(&derived, &capture, &manifest).expect("it is within the view's budget"));
    });
    group.finish();
}

criterion_group!(
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = answering, forking, deriving
);
criterion_main!(benches);
