//! Tests of the manifest stage as a whole.

mod applications;
pub(crate) mod recording;
mod sealing;
mod styles;
