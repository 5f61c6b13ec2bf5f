//! Input schemas: what we emit, and the closed validator for it.
