//! Comparing a probe of a re-seeded application: lists that teach every identifier, then items asked by the live ones. The
//! bar is 5,000 steps in under two seconds; a step's cost must not grow with the number of steps.

#![allow(missing_docs, clippy::expect_used)]

mod environment;
mod generate;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use generate::Exchange;
use rea::compare::{Probe, compare};
use std::hint::black_box;

/// What the live application adds to every identifier.
const SHIFT: usize = 1_000_000;

/// One list for nine items, `steps` exchanges in all, with identifiers shifted by `shift`.
fn exchanges(steps: usize, shift: usize) -> Vec<Exchange> {
    let body = |text: String, ids: std::ops::Range<usize>| {
        ids.fold(text, |text, id| text.replace(&format!(r#""id":{id},"#), &format!(r#""id":{},"#, id + shift)))
    };
    (0..steps)
        .map(|step| {
            let (page, item) = (step / 10, step % 10);
            let first = page * 10 + 1;
            if item == 0 {
                let text = body(generate::list(first, 10), first..first + 10);
                return Exchange { line: format!("/api/parts?page={page}"), body: text };
            }
            let id = first + item;
            Exchange { line: format!("/api/parts/{}", id + shift), body: body(generate::item(id), id..id + 1) }
        })
        .collect()
}

fn comparing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compare");
    group.sample_size(10);
    for steps in [500, 5_000] {
        let engine = environment::engine(generate::har(exchanges(steps, 0)));
        let live = environment::capture(generate::har(exchanges(steps, SHIFT)));
        let probe = Probe::new("probe", live).expect("a HAR probe");
        let probes = [probe];
        let found = compare(&engine, None, &probes, &|_| {}).expect("one probe");
        assert_eq!(found.summary.agreement.agreed, steps, "every step agrees once identifiers are mapped");
        group.throughput(Throughput::Elements(steps as u64));
        group.bench_with_input(BenchmarkId::new("steps", steps), &probes, |bencher, probes| {
            bencher.iter(|| compare(black_box(&engine), None, black_box(probes), &|_| {}));
        });
    }
    group.finish();
}

criterion_group!(benches, comparing);
criterion_main!(benches);
