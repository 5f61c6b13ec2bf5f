//! bundle: to be written.
