//! The live world of a session: a cheap value. Cloning is a fork, assigning is a reset.

/// The state a call reads and changes. In replay there is nothing in it.
#[derive(Clone, Debug, Default)]
pub struct World {}
