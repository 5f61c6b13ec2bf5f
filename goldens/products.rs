//! What every scenario must produce. Adding a product is one line here.

use super::bundle;
use super::calls::twenty_calls;
use super::data_transcript::data_calls;
use super::difference::difference;
use super::fidelity;
use super::harness::Settled;
use super::scenarios::Scenario;
use super::state_calls::state_calls;
use super::transcript;
use super::views;
use super::write_transcript::write_calls;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// One file of every scenario.
pub struct Product {
    /// Its name.
    pub file: &'static str,
    /// Makes its bytes.
    pub make: fn(&Scenario) -> Result<Vec<u8>, String>,
}

/// The products, in the order in which they are made.
pub const PRODUCTS: [Product; 13] = [
    Product { file: "capture.json", make: |scenario| Ok(scenario.engine.capture.evidence.to_compact_bytes()) },
    Product { file: "manifest.json", make: |scenario| Ok(scenario.engine.manifest.evidence.to_compact_bytes()) },
    Product { file: "state.json", make: views::state },
    Product { file: "coverage.json", make: views::coverage },
    Product { file: "catalog.json", make: |scenario| transcript::catalog(&scenario.engine) },
    Product { file: "card.json", make: |scenario| transcript::card(&scenario.engine) },
    Product {
        file: "transcript.jsonl",
        make: |scenario| transcript::calls(&scenario.engine, twenty_calls(&scenario.engine)),
    },
    Product { file: "state_catalog.json", make: |scenario| transcript::catalog(&scenario.live) },
    Product {
        file: "state_transcript.jsonl",
        make: |scenario| transcript::calls(&scenario.live, state_calls(&scenario.live)),
    },
    Product { file: "data_transcript.jsonl", make: |scenario| data_calls(&scenario.live) },
    Product { file: "write_transcript.jsonl", make: |scenario| write_calls(&scenario.live) },
    Product { file: "fidelity.json", make: fidelity::report },
    Product { file: "bundle.txt", make: bundle::texts },
];

fn all(scenario: &str) -> Result<Vec<Vec<u8>>, String> {
    let scenario = Scenario::prepare(scenario)?;
    PRODUCTS.iter().map(|product| (product.make)(&scenario)).collect()
}

fn compare(first: &[Vec<u8>], second: &[Vec<u8>]) -> Result<Settled, String> {
    for ((product, first), second) in PRODUCTS.iter().zip(first).zip(second) {
        if let Some(difference) = difference(first, second) {
            return Err(format!("{}: {difference}", product.file));
        }
    }
    Ok(Settled::Equal)
}

/// Two runs in one process make the same bytes.
pub fn same_bytes_twice(scenario: &str) -> Result<Settled, String> {
    compare(&all(scenario)?, &all(scenario)?)
}

/// A thread that may use one processor only, as may every thread it starts, makes the same bytes as one that may use all.
pub fn same_bytes_on_one_thread(scenario: &str) -> Result<Settled, String> {
    let many = all(scenario)?;
    let one = std::thread::scope(|scope| {
        let narrow = scope.spawn(|| {
            let allowed = sched_getaffinity(None).map_err(|error| error.to_string())?;
            let first = (0..CpuSet::MAX_CPU).find(|cpu| allowed.is_set(*cpu)).ok_or("no processor is allowed")?;
            let mut single = CpuSet::new();
            single.set(first);
            sched_setaffinity(None, &single).map_err(|error| error.to_string())?;
            if std::thread::available_parallelism().map_or(0, usize::from) != 1 {
                return Err("the thread still sees several processors".to_owned());
            }
            all(scenario)
        });
        narrow.join().map_err(|_| "the thread panicked".to_owned())?
    })?;
    compare(&many, &one)
}
