//! Environments of generated captures, for the benches that answer.

#![allow(dead_code)] // every bench uses a part
#![allow(clippy::expect_used)] // a bench that cannot begin must say so at once

use rea::answer::{Engine, EngineOptions};
use rea::capture::{Capture, InspectOptions, capture_from_evidence, inspect_har_bytes};
use rea::manifest::{DEFAULT_BUILD_RULES, project_manifest};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The capture of HAR bytes.
pub fn capture(har: Vec<u8>) -> Capture {
    let digest: String = Sha256::digest(&har).iter().map(|byte| format!("{byte:02x}")).collect();
    let evidence = inspect_har_bytes(har, &digest, "generated.har", &InspectOptions::default())
        .expect("a generated capture is a HAR");
    capture_from_evidence(Arc::new(evidence)).expect("its Evidence is capture Evidence")
}

/// The engine of HAR bytes, replay only.
pub fn engine(har: Vec<u8>) -> Engine {
    let capture = capture(har);
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES).expect("it has JSON answers");
    let options = EngineOptions { replay_only: true, name: Some("generated".into()) };
    Engine::new(capture, manifest, &options).expect("the catalog is small")
}
