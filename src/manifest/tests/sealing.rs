//! Sealed manifests.
