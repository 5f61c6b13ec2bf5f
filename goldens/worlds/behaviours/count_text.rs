//! The count is a text of digits with zeros before it.

use super::*;

/// The count is a text of digits with zeros before it.
pub struct CountText;

impl Behaviour for CountText {
    fn name(&self) -> &'static str {
        "count_text"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::Counted;
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of == BOOK {
            answer.set("count", format!("{:04}", listing.matched));
        }
    }
}
