//! Tests of the stage as a whole: real captures in place, bad input, producers' habits, laws.

mod recordings;

use super::*;
use std::path::{Path, PathBuf};

/// A folder beside the project, when it is there; prints why a test is skipped otherwise.
fn beside(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: there is no folder {folder} beside the project");
    None
}
