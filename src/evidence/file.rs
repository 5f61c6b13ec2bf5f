//! Bounded, stable reads: a regular file, not a symlink, unchanged while it is read, within a size limit and the memory
//! that is free.

use std::path::Path;

/// The bytes of a file and its digest.
#[derive(Clone, Debug)]
pub struct StableFile {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// Lower-case hex SHA-256 of them.
    pub sha256: String,
}

/// Why a file was not read. Each names the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Placeholder until the real variants are written.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The path as given.
        path: String,
        /// What happened.
        reason: String,
    },
}

/// Reads a regular file of at most `max_bytes`, after checking that `size × memory_factor` fits [`memory_headroom`].
///
/// # Errors
/// Missing, not a regular file (symlink, folder), permission, over the limit, over the headroom, changed while read.
pub fn read_stable(path: &Path, max_bytes: u64, memory_factor: u64) -> Result<StableFile, FileError> {
    todo!("{path:?} {max_bytes} {memory_factor}")
}

/// Bytes of memory this process may still take: the smallest of the cgroup limit's rest, the available memory and
/// `REA_MEMORY_LIMIT_BYTES` less what is resident.
pub fn memory_headroom() -> u64 {
    todo!()
}
