//! Members made from the id: a path and an absolute address.

use super::*;

/// Members made from the id: a path and an absolute address.
pub struct DerivedUrl;

impl Behaviour for DerivedUrl {
    fn name(&self) -> &'static str {
        "derived_url"
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        let path = world.item_path(entity.of, entity.parent.as_deref(), &entity.key);
        shown.set("url", format!("{}{path}", crate::worlds::har::ORIGIN));
        shown.set("file", format!("/srv/files/{}.txt", entity.key));
    }
}
