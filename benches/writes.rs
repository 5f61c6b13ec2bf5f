//! Served writes: a create, an update and a delete among few and many held entities, and sessions of 1,000 and 10,000
//! writes in a row. All in processor time, each with its answer written.
//! Bars: 60 µs for a write among 1,000 entities; a write of the long session costs what one of the short session does.

#![allow(missing_docs, clippy::expect_used)]

mod cpu_time;
mod environment;
mod generate;

use cpu_time::CpuTime;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use generate::{Exchange, Request};
use rea::answer::{Call, Engine, EngineOptions, StateProvenance, check_arguments};
use rea::json::{Object, Value};
use rea::manifest::{DEFAULT_BUILD_RULES, project_manifest};
use rea::state::World;
use std::hint::black_box;

type Bench = Criterion<CpuTime>;

const COLLECTION: &str = "/api/parts";

/// The invented application while it is recorded: what it holds, and what was asked.
struct Recording {
    parts: Vec<(usize, String, usize)>,
    requests: Vec<Request>,
}

impl Recording {
    fn part(id: usize, name: &str, stock: usize) -> String {
        format!(r#"{{"id":{id},"name":"{name}","stock":{stock},"shelf":"north","note":"kept dry, turned every year"}}"#)
    }

    fn add(&mut self, method: &'static str, line: String, sent: Option<String>, status: u16, body: String) {
        self.requests.push(Request { method, exchange: Exchange { line, body }, sent, status });
    }

    fn read_list(&mut self) {
        let listed: Vec<_> = self.parts.iter().map(|(id, name, stock)| Self::part(*id, name, *stock)).collect();
        let body = format!(r#"{{"items":[{}],"total":{}}}"#, listed.join(","), self.parts.len());
        self.add("GET", COLLECTION.into(), None, 200, body);
    }

    fn read(&mut self, wanted: usize) {
        let (status, body) = match self.parts.iter().find(|(id, ..)| *id == wanted) {
            Some((id, name, stock)) => (200, Self::part(*id, name, *stock)),
            None => (404, r#"{"error":"no such part"}"#.to_owned()),
        };
        self.add("GET", format!("{COLLECTION}/{wanted}"), None, status, body);
    }

    fn create(&mut self, name: &str, stock: usize) {
        let id = self.parts.last().map_or(1, |(id, ..)| id + 1);
        self.parts.push((id, name.to_owned(), stock));
        let sent = format!(r#"{{"name":"{name}","stock":{stock}}}"#);
        self.add("POST", COLLECTION.into(), Some(sent), 201, Self::part(id, name, stock));
        self.read(id);
        self.read_list();
    }

    fn update(&mut self, wanted: usize, to: usize) {
        let part = self.parts.iter_mut().find(|(id, ..)| *id == wanted).expect("a held part is changed");
        part.2 = to;
        let body = Self::part(part.0, &part.1.clone(), to);
        self.add("PUT", format!("{COLLECTION}/{wanted}"), Some(format!(r#"{{"stock":{to}}}"#)), 200, body);
        self.read(wanted);
        self.read_list();
    }

    fn delete(&mut self, wanted: usize) {
        self.parts.retain(|(id, ..)| *id != wanted);
        self.add("DELETE", format!("{COLLECTION}/{wanted}"), None, 204, String::new());
        self.read(wanted);
        self.read_list();
    }
}

/// An environment that serves every write of a collection that holds `count` parts when it starts.
fn stocked(count: usize) -> Engine {
    let parts = (1..=count).map(|id| (id, format!("Part {id}"), id % 17)).collect();
    let mut recording = Recording { parts, requests: Vec::new() };
    recording.read_list();
    recording.read(1);
    recording.read(2);
    recording.create("Hinge", 40);
    recording.create("Bolt", 77);
    recording.update(1, 900);
    recording.update(2, 901);
    recording.delete(3);
    recording.delete(4);
    let capture = environment::capture(generate::har(recording.requests));
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).expect("it has JSON answers");
    Engine::new(capture, manifest, &EngineOptions::default()).expect("the catalog is small")
}

fn call(engine: &Engine, method: &str, arguments: Object) -> Call {
    let tools = engine.catalog.tools.iter().map(|served| (served, &engine.manifest.tools[served.tool]));
    let (served, tool) =
        tools.into_iter().find(|(_, tool)| tool.method.as_str() == method).expect("the write is served");
    check_arguments(served, tool, Some(&Value::from(arguments))).expect("the arguments fit")
}

fn create(engine: &Engine, name: &str) -> Call {
    let body = Object::new().with("name", name).with("stock", 12_usize);
    call(engine, "POST", Object::new().with("body", body))
}

fn update(engine: &Engine, id: usize, stock: usize) -> Call {
    let arguments = Object::new().with("id", id.to_string()).with("body", Object::new().with("stock", stock));
    call(engine, "PUT", arguments)
}

fn delete(engine: &Engine, id: usize) -> Call {
    call(engine, "DELETE", Object::new().with("id", id.to_string()))
}

/// The world after a write, its answer written. A write that is refused or not answered from the state is a fault.
fn write(engine: &Engine, world: &World, call: &Call, out: &mut Vec<u8>) -> World {
    let answered = engine.answer(world, call);
    let reply = answered.reply.expect("the write is not refused");
    assert!(matches!(reply.state, Some(StateProvenance::State { .. })), "{:?}", reply.state);
    out.clear();
    reply.write(out);
    answered.world.expect("a write changes the world")
}

fn single(criterion: &mut Bench) {
    let mut group = criterion.benchmark_group("write");
    for count in [10, 100, 1_000] {
        let engine = stocked(count);
        let world = engine.initial_world();
        let calls = [
            ("create", create(&engine, "Clasp")),
            ("update", update(&engine, count / 2, 5_000)),
            ("delete", delete(&engine, count / 2)),
        ];
        for (kind, call) in calls {
            let mut out = Vec::with_capacity(4096);
            group.bench_with_input(BenchmarkId::new(kind, count), &call, |bencher, call| {
                bencher.iter(|| write(&engine, black_box(&world), black_box(call), &mut out));
            });
        }
    }
    group.finish();
}

/// Each round creates one part, changes it and every second time deletes it.
fn session(criterion: &mut Bench) {
    let engine = stocked(100);
    let world = engine.initial_world();
    let mut group = criterion.benchmark_group("session of writes");
    group.sample_size(10);
    for writes in [1_000_usize, 10_000] {
        let mut calls = Vec::with_capacity(writes + 3);
        // The first identity that the state gives: those of the capture's own creates are not held when it starts.
        let mut next = 101;
        while calls.len() < writes {
            calls.push(create(&engine, &format!("Clasp {next}")));
            calls.push(update(&engine, next, next));
            if next % 2 == 0 {
                calls.push(delete(&engine, next));
            }
            next += 1;
        }
        calls.truncate(writes);
        group.throughput(Throughput::Elements(writes as u64));
        group.bench_with_input(BenchmarkId::from_parameter(writes), &calls, |bencher, calls| {
            let mut out = Vec::with_capacity(4096);
            bencher.iter(|| calls.iter().fold(world.clone(), |world, call| write(&engine, &world, call, &mut out)));
        });
    }
    group.finish();
}

criterion_group!(
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = single, session
);
criterion_main!(benches);
