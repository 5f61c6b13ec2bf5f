//! A book names who made it and who changed it last.

use super::*;

/// A book names who made it and who changed it last.
pub struct Stamp;

impl Behaviour for Stamp {
    fn name(&self) -> &'static str {
        "stamp"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        let editor = if entity.created == entity.updated { Json::Null } else { "desk@example.com".into() };
        shown.set("created_by", "desk@example.com");
        shown.set("updated_by", editor);
    }
}
