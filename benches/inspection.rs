//! Reading captures: inspection of a 30 MB HAR, the canonical digest over its Evidence, the manifest projected from it.
//! Bars (`README.md`): inspection 0.5 s of one core.

#![allow(missing_docs, clippy::expect_used)]

mod environment;
mod generate;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rea::capture::{InspectOptions, inspect_har_bytes};
use rea::json::canonical_sha256;
use rea::manifest::{DEFAULT_BUILD_RULES, project_manifest};
use std::hint::black_box;

/// Bytes of the generated capture.
const SIZE: usize = 30 * 1024 * 1024;

fn inspection(criterion: &mut Criterion) {
    let har = generate::har_of_size(SIZE);
    let digest = "0".repeat(64);
    let mut group = criterion.benchmark_group("capture");
    group.sample_size(10).throughput(Throughput::Bytes(har.len() as u64));
    group.bench_function("inspect 30 MB", |bencher| {
        bencher.iter_batched(
            || har.clone(),
            |har| inspect_har_bytes(har, &digest, "generated.har", &InspectOptions::default()).expect("a HAR"),
            BatchSize::PerIteration,
        );
    });
    let capture = environment::capture(har);
    group.bench_function("canonical digest of its Evidence", |bencher| {
        bencher.iter(|| canonical_sha256(black_box(&capture.evidence.normalized_result)));
    });
    group.bench_function("project its manifest", |bencher| {
        bencher.iter(|| project_manifest(black_box(&capture), &DEFAULT_BUILD_RULES).expect("it has JSON answers"));
    });
    group.finish();
}

criterion_group!(benches, inspection);
criterion_main!(benches);
