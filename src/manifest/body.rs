//! Value-free shapes of request bodies.
