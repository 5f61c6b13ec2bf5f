//! A book is addressed by its shelf and its name; the same name is on several shelves.

use super::*;

/// A book is addressed by its shelf and its name; the same name is on several shelves.
pub struct IdTuple;

impl Behaviour for IdTuple {
    fn name(&self) -> &'static str {
        "id_tuple"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id", "routes", "parent_member", "keyed", "names_unique", "plain_paths"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.id = IdKind::Name;
            held.id_member = "name";
        }
        spec.types[BOOK].routes = Routes::Tuple;
        spec.types[BOOK].parent_member = "shelf";
    }
}
