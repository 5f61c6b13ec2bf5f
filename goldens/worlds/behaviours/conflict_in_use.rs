//! A shelf with books cannot be deleted; the text says so.

use super::*;

/// A shelf with books cannot be deleted; the text says so.
pub struct ConflictInUse;

impl Behaviour for ConflictInUse {
    fn name(&self) -> &'static str {
        "conflict_in_use"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["shelf_delete", "plain_routes"]
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let at = match phase {
            Phase::Writes => 0,
            Phase::ProbeCrud => 1,
            _ => return,
        };
        if let Some((_, shelf)) = recorder.world.keys(SHELF).get(at).cloned() {
            recorder.delete(SHELF, None, &shelf);
        }
    }
}
