//! A shelf shows the sum of its books' pages.

use super::*;

/// A shelf shows the sum of its books' pages.
pub struct ChildSum;

impl Behaviour for ChildSum {
    fn name(&self) -> &'static str {
        "child_sum"
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == SHELF {
            let books = world.entities[BOOK].iter();
            let held = books.filter(|book| !book.hidden && book.parent.as_deref() == Some(entity.key.as_str()));
            let pages: f64 = held.filter_map(|book| book.member("pages").number()).sum();
            shown.set("total_pages", pages as i64);
        }
    }
}
