//! Bundles: an environment as a folder that the agentenv framework builds and runs. A [`build`] goes from one capture to a
//! bundle; an [`export`] writes the bundle of a pair that was already made. Both plan every byte first, and then write.
//!
//! The way through the folder: [`source`](self) reads what is given, [`name`](self) and
//! [`package_source`](self) decide, [`plan`](self) makes the files from templates, [`write`](self) puts them where nothing
//! was, [`report`](self) says what was done.
//!
//! This module knows nothing of serving: what a bundle answers is asked of [`crate::answer::Engine`], the same one that the
//! bundle's server asks.

mod build;
mod control;
mod credential_names;
mod credential_scan;
mod dockerfile;
mod elf;
mod env_toml;
mod error;
mod export;
mod limits;
mod name;
mod package_source;
mod plan;
mod readme;
mod report;
mod shown;
mod smoke;
mod source;
mod state_task;
mod tarball;
mod tasks;
#[cfg(test)]
mod tests;
mod verify_py;
mod warnings;
mod write;
mod write_error;

pub use build::{BuildOptions, build};
pub use control::{Control, Stage};
pub use error::BundleError;
pub use export::{ExportOptions, export, plan_bundle};
pub use limits::*;
pub use name::{EnvProvider, is_portable};
pub use package_source::{PackageChoice, PackageSource};
pub use plan::{Plan, PlannedFile};
pub use report::{BuildReport, ExportReport, Warning};
