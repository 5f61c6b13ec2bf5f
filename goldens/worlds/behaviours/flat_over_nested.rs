//! A list of all books and one of each shelf's.

use super::*;

/// A list of all books and one of each shelf's.
pub struct FlatOverNested;

impl Behaviour for FlatOverNested {
    fn name(&self) -> &'static str {
        "flat_over_nested"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["routes"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].routes = Routes::Both;
    }
}
