//! Which recording answers: the index of a tool's cited records.
