//! The count two levels down in a paging object beside the page size.

use super::*;

/// The count two levels down in a paging object beside the page size.
pub struct CountNested;

impl Behaviour for CountNested {
    fn name(&self) -> &'static str {
        "count_nested"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::Paging;
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of == BOOK
            && let Some(meta) = answer.get_mut("meta")
        {
            *meta = obj! { "page" => obj! { "info" => obj! { "total" => listing.matched, "last" => true } } };
        }
    }
}
