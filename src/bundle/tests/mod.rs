//! Tests of the stage.

mod packing;
mod planning;
mod scanning;
mod writing;
