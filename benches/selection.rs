//! Choosing the recording that answers a call: flat (within a factor of two) from 10 to 10,000 recordings a tool.

#![allow(missing_docs, clippy::expect_used)]

mod environment;
mod generate;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rea::answer::check_arguments;
use rea::json::{Object, Value};
use std::hint::black_box;

fn selection(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("selection");
    for records in [10, 1_000, 10_000] {
        let engine = environment::engine(generate::har_of_tools(records));
        let world = engine.initial_world();
        let last = (records - 1).to_string();
        let calls = [
            ("path, exact", "/api/parts/{numeric}", Object::new().with("id", last.as_str())),
            ("path, unmatched", "/api/parts/{numeric}", Object::new().with("id", "999999")),
            ("query, exact", "/api/parts", Object::new().with("page", last.as_str()).with("shelf", "north")),
            ("query, ambiguous", "/api/parts", Object::new().with("shelf", "north")),
        ];
        for (kind, template, arguments) in calls {
            let (served, tool) = engine
                .catalog
                .tools
                .iter()
                .map(|served| (served, &engine.manifest.tools[served.tool]))
                .find(|(_, tool)| tool.template.spelling() == template)
                .expect("the capture holds the tool");
            let call = check_arguments(served, tool, Some(&Value::from(arguments))).expect("the arguments fit");
            group.bench_with_input(BenchmarkId::new(kind, records), &call, |bencher, call| {
                bencher.iter(|| engine.answer(black_box(&world), black_box(call)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, selection);
criterion_main!(benches);
