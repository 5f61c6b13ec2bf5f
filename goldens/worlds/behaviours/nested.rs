//! Books live under their shelf only.

use super::*;

/// Books live under their shelf only.
pub struct Nested;

impl Behaviour for Nested {
    fn name(&self) -> &'static str {
        "nested"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["routes"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].routes = Routes::Nested;
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        if recorder.world.find(SHELF, None, key).is_some() {
            look_at_books(recorder, of, key);
        }
    }
}
