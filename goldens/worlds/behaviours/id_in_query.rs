//! No id is ever in the path: reads take it in the query, writes in the body.

use super::*;

/// No id is ever in the path: reads take it in the query, writes in the body.
pub struct IdInQuery;

impl Behaviour for IdInQuery {
    fn name(&self) -> &'static str {
        "id_in_query"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["routes", "plain_paths", "forms", "item"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].routes = Routes::Rpc;
    }
}
