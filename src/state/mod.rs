//! state: to be written.
