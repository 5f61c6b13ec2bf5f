//! Limits of reading JSON, with their units.

/// Levels: deepest nesting that is read unless a caller asks for less (the root container is level 1).
pub const MAX_DEPTH: usize = 1000;
/// Bytes: what the listed duplicate names of one document may take, pointers and places together. Further ones are
/// counted, not listed.
pub const MAX_DUPLICATE_BYTES: usize = 4 * 1024 * 1024;
