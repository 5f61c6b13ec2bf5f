//! compare: to be written.
