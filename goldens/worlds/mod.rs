//! Worlds: small applications in memory with switchable behaviours that record themselves, so that derivation has a
//! ground truth that is no application's. A [`WorldSpec`] (types, and a list of behaviours) becomes a [`World`] that
//! answers requests; a [`Script`] drives it as the recordings of real applications were made and gives HAR bytes.
//!
//! A behaviour is one file in `behaviours/`: what it changes in the spec, and hooks into the places where an
//! application differs. Adding one means adding the file and its line in `behaviours/mod.rs`.
//!
//! The worlds know nothing of the product: they share no code with it, so no fault can hide in both.

#![allow(dead_code, reason = "each target uses its own part")]
#![allow(missing_docs, clippy::missing_docs_in_private_items, reason = "a harness, not an interface")]

pub mod behaviour;
pub mod behaviours;
pub mod big;
pub mod clock;
pub mod har;
pub mod http;
pub mod json;
pub mod prng;
pub mod query;
pub mod read;
pub mod recorder;
pub mod script;
pub mod spec;
pub mod world;
pub mod write;

pub use behaviour::{Behaviour, Unknowable};
pub use recorder::Recorder;
pub use script::{Script, record};
pub use spec::WorldSpec;
