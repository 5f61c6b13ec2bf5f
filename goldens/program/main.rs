//! The program, driven as a user drives it: what it prints where, what it refuses and how it ends.

// A test that cannot go on must say so at once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod browser_sessions;
mod building;
mod building_refusals;
mod commands;
mod comparing;
mod data_plane;
mod refusals;
mod server;
mod serving;
mod signals;
mod support;
mod views;
