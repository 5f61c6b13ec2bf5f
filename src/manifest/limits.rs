//! Limits of manifests, with their units.

/// Characters: the longest tool or argument name.
pub const MAX_NAME_CHARS: usize = 64;
/// Hex digits: the shortest segment that the `hex` format takes.
pub const MIN_HEX_DIGITS: usize = 16;
/// Characters: a ULID.
pub const ULID_CHARS: usize = 26;
/// Digits: the longest number after `api` or `rest` that is taken for a version.
pub const MAX_VERSION_DIGITS: usize = 3;
/// Characters: the shortest segment that the `opaque-token` rule takes.
pub const MIN_TOKEN_CHARS: usize = 8;
/// Bytes: the largest answer body that is read for templating evidence; larger ones still make tools.
pub const MAX_EVIDENCE_BODY_BYTES: usize = 4 * 1024 * 1024;
/// Answers: how many of one request path are read for templating evidence, spread evenly over the recording.
pub const MAX_EVIDENCE_ANSWERS: usize = 16;
/// Bytes: the longest scalar that can be the text of a segment.
pub const MAX_SCALAR_BYTES: usize = 512;
/// Members: how many members of one entity or item are looked at.
pub const MAX_EVIDENCE_MEMBERS: usize = 512;
/// Bytes: the largest view request document read from a file.
pub const MAX_VIEW_REQUEST_BYTES: u64 = 768 * 1024 * 1024;
/// Bytes: the largest answer labelled as HTML that can be a plain text.
pub const MAX_BARE_TEXT_BYTES: usize = 4096;
/// Shapes: how many different answers of one rest of a path are told apart.
pub const MAX_SHAPES: usize = 8;
