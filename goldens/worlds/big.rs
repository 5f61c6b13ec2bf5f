//! The captures of the benches: many records, many tools, many bytes.
