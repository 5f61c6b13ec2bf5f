//! What is always removed from a capture (`evidence.md` 3.5) and what the caller names (3.6).
