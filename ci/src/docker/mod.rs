//! The Docker lane: a bundle's image built on the local engine, run, driven and stopped. What the engine is asked, it is asked
//! with bollard; containers live and end with testcontainers.

mod drive;
mod http;
mod image;

pub use drive::{Figures, MAX_READY_MS, drive};
pub use image::{Built, Engine};

/// What went wrong, for the receipt.
pub type Outcome<T> = Result<T, String>;

/// A failure with what was being done.
pub(crate) fn because<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> String + '_ {
    move |error| format!("{what}: {error}")
}

/// Refuses what does not hold.
pub(crate) fn ensure(holds: bool, message: impl FnOnce() -> String) -> Outcome<()> {
    if holds { Ok(()) } else { Err(message()) }
}
