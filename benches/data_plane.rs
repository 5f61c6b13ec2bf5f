//! The data plane on a state of 32 MiB: a document loaded and written, beside what serde_json takes to read and write the
//! same bytes. Bar: twice serde_json's time.

#![allow(missing_docs, clippy::expect_used)]

mod environment;
mod generate;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generate::Exchange;
use rea::answer::{Engine, EngineOptions, World};
use rea::json::parse;
use rea::manifest::{DEFAULT_BUILD_RULES, project_manifest};
use rea::state::MAX_STATE_DOCUMENT_BYTES;
use std::fmt::Write;
use std::hint::black_box;

/// An environment of ten parts.
fn engine() -> Engine {
    let list =
        Exchange { line: "/api/parts".into(), body: generate::list(1, 10).replace("\"total\":11", "\"total\":10") };
    let items = (1..=3).map(|id| Exchange { line: format!("/api/parts/{id}"), body: generate::item(id) });
    let capture = environment::capture(generate::har(std::iter::once(list).chain(items)));
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).expect("it has JSON answers");
    Engine::new(capture, manifest, &EngineOptions::default()).expect("the catalog is small")
}

/// A document of so many parts that it is nearly as large as one may be.
fn document() -> String {
    let mut text = String::from(r#"{"rea_state":{"version":1,"entities":["#);
    for id in 1.. {
        // What it is written back with: the Evidence id, the types, and for each part its views and citations.
        if text.len() + id * 90 > MAX_STATE_DOCUMENT_BYTES - 4096 {
            break;
        }
        let comma = if id == 1 { "" } else { "," };
        let part = generate::item(id);
        let _ = write!(text, r#"{comma}{{"type":"/api/parts","collection":"/api/parts","id":"{id}","fields":{part}}}"#);
    }
    text.push_str(r#"],"documents":[]}}"#);
    text
}

fn load(engine: &Engine, document: &[u8]) -> World {
    let document = parse(document).expect("it is JSON");
    engine.load(document).expect("a state is served").expect("it is a state document").world
}

fn data_plane(criterion: &mut Criterion) {
    let engine = engine();
    let world = load(&engine, document().as_bytes());
    let mut text = Vec::new();
    engine.write_state(&world, &mut text);
    let value: serde_json::Value = serde_json::from_slice(&text).expect("it is JSON");
    let mut group = criterion.benchmark_group("data plane");
    group.sample_size(10).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("data/add", |bencher| bencher.iter(|| load(&engine, black_box(&text))));
    group.bench_function("data/add, the same bytes read by serde_json", |bencher| {
        bencher.iter(|| serde_json::from_slice::<serde_json::Value>(black_box(&text)).expect("it is JSON"));
    });
    let mut out = Vec::with_capacity(text.len());
    group.bench_function("data/get", |bencher| {
        bencher.iter(|| {
            out.clear();
            engine.write_state(black_box(&world), &mut out);
            out.len()
        });
    });
    group.bench_function("data/get, the same document written by serde_json", |bencher| {
        bencher.iter(|| {
            out.clear();
            serde_json::to_writer(&mut out, black_box(&value)).expect("memory takes it");
            out.len()
        });
    });
    group.finish();
}

criterion_group!(benches, data_plane);
criterion_main!(benches);
