//! Every byte that every scenario must produce, compared with the files beside this one.
//!
//! ```text
//! cargo test --test goldens                     compares
//! cargo test --test goldens -- ghost            compares the files whose name holds `ghost`
//! cargo test --test goldens -- --accept         writes what is made now; read `git diff` before committing it
//! ```

// A test that cannot go on must say so at once.
#![allow(clippy::unwrap_used)]

mod bundle;
mod calls;
mod data_transcript;
mod difference;
mod fidelity;
mod files;
mod harness;
mod products;
mod scenarios;
mod state_calls;
mod transcript;
mod views;
mod write_transcript;

use harness::{Arguments, Case};
use products::PRODUCTS;
use scenarios::{SCENARIOS, Scenario};
use std::process::ExitCode;
use std::sync::OnceLock;

fn main() -> ExitCode {
    let arguments = Arguments::of_process();
    let prepared: Vec<OnceLock<_>> = SCENARIOS.iter().map(|_| OnceLock::new()).collect();
    let mut cases = Vec::new();
    for (index, name) in SCENARIOS.iter().enumerate() {
        for product in &PRODUCTS {
            let prepared = &prepared[index];
            cases.push(Case::new(format!("{name}/{}", product.file), move |accept| {
                let scenario = prepared.get_or_init(|| Scenario::prepare(name));
                let made = (product.make)(scenario.as_ref().map_err(Clone::clone)?)?;
                files::settle(name, product.file, &made, accept)
            }));
        }
    }
    cases.push(Case::new("the folders hold nothing else", |_| files::nothing_else()));
    cases.push(Case::new("one thread makes the same bytes", |_| products::same_bytes_on_one_thread("rabbitmq")));
    cases.push(Case::new("a second run makes the same bytes", |_| products::same_bytes_twice("readme")));
    cases.extend(harness::own_tests());
    harness::run(&arguments, cases)
}
