//! Limits of Evidence files and reads, with their units.

/// Bytes: the largest Evidence file that is read (the result limit of `decisions.md` 2).
pub const MAX_EVIDENCE_BYTES: u64 = 768 * 1024 * 1024;
/// Levels: deepest nesting of a JSON value inside Evidence (`evidence.md` 2.7).
pub const MAX_EVIDENCE_DEPTH: usize = 1000;
