//! A shelf shows the mean of its books' pages, null without any.

use super::*;

/// A shelf shows the mean of its books' pages, null without any.
pub struct ChildMean;

impl Behaviour for ChildMean {
    fn name(&self) -> &'static str {
        "child_mean"
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == SHELF {
            let books = world.entities[BOOK].iter();
            let held = books.filter(|book| !book.hidden && book.parent.as_deref() == Some(entity.key.as_str()));
            let pages: Vec<f64> = held.filter_map(|book| book.member("pages").number()).collect();
            let mean = pages.iter().sum::<f64>() / pages.len() as f64;
            shown.set("mean_pages", if pages.is_empty() { Json::Null } else { Json::Num(format!("{mean:?}")) });
        }
    }
}
