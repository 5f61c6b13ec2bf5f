//! Limits of bundles, with their units, and what the base image has.

/// Characters: the longest bundle name.
pub const MAX_BUNDLE_NAME_CHARS: usize = 64;
/// UTF-8 bytes: the largest body whose names are looked at for credentials.
pub const MAX_SCANNED_BODY_BYTES: usize = 4 * 1024 * 1024;
/// Places that a warning lists before it counts the rest.
pub const LISTED_PLACES: usize = 20;
/// Bytes: the largest packed release that is copied into a bundle.
pub const MAX_TARBALL_BYTES: u64 = 256 * 1024 * 1024;
/// Bytes: the most that a packed release may unpack to.
pub const MAX_UNPACKED_BYTES: u64 = 1024 * 1024 * 1024;
/// Bytes: the largest program that is copied into a bundle.
pub const MAX_PROGRAM_BYTES: u64 = 1024 * 1024 * 1024;
/// The image that a bundle is built on unless its build says otherwise; has the shell and the Python that the framework's
/// readiness probe runs.
pub const BASE_IMAGE: &str = "python:3.13-slim-bookworm";
/// The glibc of that image; a program that needs a newer one does not start there.
pub const BASE_GLIBC: (u32, u32) = (2, 36);
/// The image that builds the package when it comes from the registry: the same Debian, so the same glibc.
pub const BUILDER_IMAGE: &str = "rust:1.95-slim-bookworm";
/// The port that the framework expects an MCP server on.
pub const CONTAINER_PORT: u16 = 18765;
/// The user and the group that the server runs as, numbers so that no base image needs an entry for them.
pub const CONTAINER_USER: u32 = 10001;
/// Bytes that are written between two looks at whether somebody wants to stop.
pub(super) const WRITE_CHUNK_BYTES: usize = 1024 * 1024;
