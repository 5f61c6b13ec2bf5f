//! Limits of answers and catalogs, with their units (`evidence.md` 8.5).

/// UTF-8 bytes: one captured sample on display (a path, a query, a media type, a list of names).
pub const MAX_DISPLAY_BYTES: usize = 1024;
/// Bytes: the part of a recorded body that a reply carries, and the largest state answer.
pub const MAX_REPLY_BODY_BYTES: usize = 256 * 1024;
/// Bytes: the reservation of a complete catalog, charged at six bytes a UTF-16 code unit plus schema overhead.
pub const DISCOVERY_RESERVATION_BYTES: usize = 1024 * 1024;
