//! Limits of captures, with their units (`decisions.md` 2).

/// Bytes: the largest capture file.
pub const MAX_CAPTURE_BYTES: u64 = 256 * 1024 * 1024;
/// Levels: deepest nesting in a capture file.
pub const MAX_CAPTURE_NESTING: usize = 64;
/// Levels: the most that may be allowed instead, so that a capture still fits Evidence, which adds levels of its own.
pub const MAX_ALLOWED_NESTING: usize = 900;
/// Bytes: the largest serialised inspection result.
pub const MAX_RESULT_BYTES: u64 = 768 * 1024 * 1024;
/// Milliseconds: the default time an inspection may take.
pub const DEFAULT_CAPTURE_TIMEOUT_MS: u64 = 30_000;
/// Bytes of memory one byte of a capture file takes while it is inspected: measured 4 on captures with bodies, 6.6 on one
/// that is nothing but request lines, headers and numbers.
pub const CAPTURE_MEMORY_FACTOR: u64 = 7;
/// Bytes of memory one byte of an Evidence file takes while it is read, authenticated and turned into records: measured 4.5
/// at most.
pub const EVIDENCE_MEMORY_FACTOR: u64 = 6;
/// Pointers that one limitation of a record lists before it counts the rest.
pub const LISTED_POINTERS: usize = 4;
