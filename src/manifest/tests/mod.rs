//! Tests of the manifest stage as a whole.

mod applications;
mod recording;
mod sealing;
mod styles;
