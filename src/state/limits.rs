//! Limits of the state, with their units.

/// Bytes: decoded body bytes of the records that derivation reads (`decisions.md` 2).
pub const MAX_DERIVATION_BYTES: usize = 512 * 1024 * 1024;
/// Bytes: the state document that `data/add` takes and `data/get` writes.
pub const MAX_STATE_DOCUMENT_BYTES: usize = 32 * 1024 * 1024;
/// Levels: deepest nesting of a state document. A request that holds one inline in a batch nests it five levels deeper,
/// and is read as far as 1000.
pub const MAX_STATE_DOCUMENT_DEPTH: usize = 995;
/// Levels: how deep a member path looks into an entity for filters, searches and orders.
pub const MAX_MEMBER_DEPTH: usize = 4;
/// Paths: how many member paths of a type are candidates for one filter; further ones are not tried.
pub const MAX_MEMBER_PATHS: usize = 400;
/// Bytes: the largest rendered answer (`decisions.md` 4; the same as a replayed body's).
pub const MAX_RENDERED_BYTES: usize = 256 * 1024;
/// Bytes: the payload of a state view as compact JSON (the view's budget of the reference).
pub const MAX_STATE_VIEW_BYTES: usize = 96 * 1024 * 1024;
/// Entities: how many the calls of one list may hold in sum while its parameters' roles are looked for; of more calls an
/// even part is looked at. Every call is still checked against what was found.
pub const MAX_INFERRED_ENTITIES: usize = 400_000;
/// Calls: how many are always looked at, however large the list.
pub const MIN_INFERRED_CALLS: usize = 60;
/// Entities: how many of a type are remembered as removed; of further ones it is not known whether they exist.
pub const MAX_REMOVED: usize = 4096;
/// Segments: how long a path in a tree may be. What lies deeper is not known, and nothing is written there.
pub const MAX_TREE_SEGMENTS: usize = 256;
/// Bytes: what the names of collections that creates open may take since the last reset, with an allowance for each.
pub const MAX_HISTORY_BYTES: usize = 1024 * 1024;
/// Bytes: the allowance for each such collection, and for each sequence it may have.
pub const COLLECTION_ALLOWANCE_BYTES: usize = 64;
