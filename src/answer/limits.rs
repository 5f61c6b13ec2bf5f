//! Limits of answers and catalogs, with their units (`evidence.md` 8.5).

/// UTF-8 bytes: one captured sample on display (a path, a query, a media type, a list of names).
pub const MAX_DISPLAY_BYTES: usize = 1024;
/// Bytes: the part of a recorded body that a reply carries, and the largest state answer.
pub const MAX_REPLY_BODY_BYTES: usize = 256 * 1024;
/// Bytes: the reservation of a complete catalog, charged at six bytes a UTF-16 code unit plus schema overhead.
pub const DISCOVERY_RESERVATION_BYTES: usize = 1024 * 1024;
/// Bytes: what one UTF-16 code unit of captured text may take once escaped in JSON (`\u0000`).
pub const RESERVED_BYTES_PER_UNIT: usize = 6;
/// Bytes: the fixed members of a listed tool besides its texts and schema (names of members, annotations, punctuation).
pub const RESERVED_BYTES_PER_TOOL: usize = 256;
/// Bytes: the fixed members of a card or a tool list besides the tools.
pub const RESERVED_BYTES_PER_CATALOG: usize = 1024;
/// Bytes: what a card says of the data plane of a state: its operations and the intake extension.
pub const RESERVED_BYTES_FOR_DATA: usize = 1024;
/// Posting lists: features of one kind that selection combines; calls that supply more are counted record by record.
pub(super) const MAX_COMBINED_FEATURES: usize = 8;
/// Conjunctions: how many combinations of posting lists selection keeps side by side before it counts instead.
pub(super) const MAX_CONJUNCTIONS: usize = 32;
