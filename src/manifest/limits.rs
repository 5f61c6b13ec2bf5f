//! Limits of manifests, with their units.

/// Characters: the longest tool or argument name.
pub const MAX_NAME_CHARS: usize = 64;
