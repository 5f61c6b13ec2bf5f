//! The live world of a session: a cheap value. Cloning is a fork, assigning is a reset. In replay there is nothing in it.

pub use crate::state::World;
