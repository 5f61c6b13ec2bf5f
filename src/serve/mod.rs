//! serve: to be written.
