//! Bounded, stable reads: a regular file, not a symlink, unchanged while it is read, within a size limit and the memory
//! that is free.

use super::memory::{Headroom, headroom};
use crate::json::{CanonicalDigest, Sink};
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The bytes of a file and its digest.
#[derive(Clone, Debug)]
pub struct StableFile {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// Lower-case hex SHA-256 of them.
    pub sha256: String,
}

/// Why a file was not read. Each names the path as it was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Nothing is there, or a folder of the path is not a folder.
    #[error("{path} does not exist")]
    Missing {
        /// The path.
        path: String,
    },
    /// The last segment of the path is a symbolic link.
    #[error("{path} is a symbolic link; name the file it points to")]
    Symlink {
        /// The path.
        path: String,
    },
    /// A folder, a pipe, a socket or a device.
    #[error("{path} is {found}, not a regular file")]
    NotRegular {
        /// The path.
        path: String,
        /// What is there, with its article.
        found: &'static str,
    },
    /// The file may not be read.
    #[error("reading {path} is not permitted ({system_code})")]
    AccessDenied {
        /// The path.
        path: String,
        /// `EACCES` or `EPERM`.
        system_code: &'static str,
    },
    /// The file is larger than the limit.
    #[error("{path} has {bytes} bytes, more than the limit of {limit}")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Working on the file would need more memory than is free. Nothing was read.
    #[error(
        "{path} has {bytes} bytes; working on it needs about {needed} bytes of memory and {available} are free \
         ({bound})"
    )]
    NotEnoughMemory {
        /// The path.
        path: String,
        /// Its size in bytes.
        bytes: u64,
        /// What it would need, in bytes.
        needed: u64,
        /// What is free, in bytes.
        available: u64,
        /// Which limit that is.
        bound: &'static str,
    },
    /// The file changed while it was read.
    #[error("{path} changed while it was read: {reason}")]
    Changed {
        /// The path.
        path: String,
        /// What changed.
        reason: &'static str,
    },
    /// `REA_MEMORY_LIMIT_BYTES` is not a number of bytes.
    #[error("{setting} must be {constraint}")]
    Setting {
        /// The variable.
        setting: &'static str,
        /// What it must be.
        constraint: &'static str,
    },
    /// The system refused for another reason.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The path.
        path: String,
        /// What the system said.
        reason: String,
    },
}

/// Reads a regular file of at most `max_bytes`, after checking that `size × memory_factor` fits the memory that is free
/// (see [`super::memory_headroom`]).
///
/// # Errors
/// Missing, not a regular file (symlink, folder), permission, over the limit, over the headroom, changed while read.
pub fn read_stable(path: &Path, max_bytes: u64, memory_factor: u64) -> Result<StableFile, FileError> {
    read_within(path, max_bytes, memory_factor, headroom)
}

/// [`read_stable`] with the memory that is free as an argument.
pub(super) fn read_within(
    path: &Path,
    max_bytes: u64,
    memory_factor: u64,
    headroom: impl FnOnce() -> Result<Headroom, FileError>,
) -> Result<StableFile, FileError> {
    let shown = || path.display().to_string();
    // Without NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let handle = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| refused(path, errno))?;
    let before = rustix::fs::fstat(&handle).map_err(|errno| refused(path, errno))?;
    let kind = FileType::from_raw_mode(before.st_mode);
    if kind != FileType::RegularFile {
        return Err(FileError::NotRegular { path: shown(), found: noun(kind) });
    }
    let bytes = u64::try_from(before.st_size).unwrap_or_default();
    if bytes > max_bytes {
        return Err(FileError::TooLarge { path: shown(), bytes, limit: max_bytes });
    }
    let Headroom { available, bound } = headroom()?;
    let needed = bytes.saturating_mul(memory_factor);
    if needed > available {
        return Err(FileError::NotEnoughMemory { path: shown(), bytes, needed, available, bound });
    }
    let mut file = File::from(handle);
    let content =
        read_exactly(&mut file, bytes).map_err(|error| FileError::Io { path: shown(), reason: error.to_string() })?;
    let after = rustix::fs::fstat(&file).map_err(|errno| refused(path, errno))?;
    if let Some(reason) = change(&before, &after, content.len()) {
        return Err(FileError::Changed { path: shown(), reason });
    }
    let mut digest = CanonicalDigest::new();
    digest.put(&content);
    Ok(StableFile { bytes: content, sha256: digest.finish() })
}

/// Reads at most one byte more than expected, so that a file that grew is seen and not followed.
fn read_exactly(file: &mut File, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let capacity = usize::try_from(bytes.saturating_add(1)).unwrap_or(usize::MAX);
    content.try_reserve_exact(capacity).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    file.take(bytes.saturating_add(1)).read_to_end(&mut content)?;
    Ok(content)
}

/// What differs between two looks at an open file.
fn change(before: &Stat, after: &Stat, read: usize) -> Option<&'static str> {
    if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino) {
        return Some("it is another file now");
    }
    if before.st_size != after.st_size || usize::try_from(before.st_size) != Ok(read) {
        return Some("its size changed");
    }
    if (before.st_mtime, before.st_mtime_nsec) != (after.st_mtime, after.st_mtime_nsec) {
        return Some("its modification time changed");
    }
    if (before.st_ctime, before.st_ctime_nsec) != (after.st_ctime, after.st_ctime_nsec) {
        return Some("its status changed");
    }
    None
}

/// What an open or a look that failed means. A symlink is `ELOOP` under `NOFOLLOW`.
fn refused(path: &Path, errno: Errno) -> FileError {
    let path = path.display().to_string();
    match errno {
        Errno::NOENT | Errno::NOTDIR => FileError::Missing { path },
        Errno::LOOP | Errno::MLINK => FileError::Symlink { path },
        Errno::ACCESS => FileError::AccessDenied { path, system_code: "EACCES" },
        Errno::PERM => FileError::AccessDenied { path, system_code: "EPERM" },
        // A socket cannot be opened at all.
        Errno::NXIO => FileError::NotRegular { path, found: "a socket or a device" },
        other => FileError::Io { path, reason: std::io::Error::from(other).to_string() },
    }
}

fn noun(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "a folder",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Symlink => "a symbolic link",
        FileType::RegularFile | FileType::Unknown => "something else",
    }
}
