//! No id is ever in the path, and it takes the shelf and a number that counts on it to name a book.

use super::*;

/// No id is ever in the path, and it takes the shelf and a number that counts on it to name a book.
pub struct IdTupleInQuery;

impl Behaviour for IdTupleInQuery {
    fn name(&self) -> &'static str {
        "id_tuple_in_query"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id", "routes", "keyed", "plain_paths", "forms", "item", "parent_member", "order"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].routes = Routes::Rpc;
        spec.types[BOOK].id = IdKind::PerParent;
        spec.types[BOOK].order = vec![OrderKey::by("name")];
    }
}
