//! The manifest as a view result and back.
