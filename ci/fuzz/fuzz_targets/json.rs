//! The JSON reader and writers beside serde_json on any bytes. The same check runs on generated documents in
//! `cargo test`. From this folder: `cargo +nightly fuzz run --fuzz-dir . json -- -max_total_time=60`.

#![no_main]

use rea::json;

#[path = "../../../src/json/tests/differential.rs"]
mod differential;

libfuzzer_sys::fuzz_target!(|text: &[u8]| differential::check(text));
