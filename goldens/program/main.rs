//! The program, driven as a user drives it: what it prints where, what it refuses and how it ends.

mod commands;
mod refusals;
mod server;
mod serving;
mod signals;
mod support;
