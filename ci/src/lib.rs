//! The lanes of `rea`: what drives the program with real peers.

pub mod fidelity;

#[cfg(feature = "docker")]
pub mod docker;
