//! The primary origin and what is outside it.
