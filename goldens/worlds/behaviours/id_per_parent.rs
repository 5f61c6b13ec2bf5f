//! Numbers that count in each parent: the same number names another book on another shelf.

use super::*;

/// Numbers that count in each parent: the same number names another book on another shelf.
pub struct IdPerParent;

impl Behaviour for IdPerParent {
    fn name(&self) -> &'static str {
        "id_per_parent"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id", "routes", "keyed", "plain_paths"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].id = IdKind::PerParent;
        spec.types[BOOK].routes = Routes::Nested;
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        if recorder.world.find(SHELF, None, key).is_some() {
            look_at_books(recorder, of, key);
        }
    }
}
