//! Ids are numbers spelled as texts.

use super::*;

/// Ids are numbers spelled as texts.
pub struct IdTextNumber;

impl Behaviour for IdTextNumber {
    fn name(&self) -> &'static str {
        "id_text_number"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id_spelling"]
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        let member = world.spec.types[entity.of].id_member;
        shown.set(member, entity.id.text());
    }
}
