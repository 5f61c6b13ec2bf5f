//! A text for people made of the name and another member.

use super::*;

/// A text for people made of the name and another member.
pub struct DerivedDisplay;

impl Behaviour for DerivedDisplay {
    fn name(&self) -> &'static str {
        "derived_display"
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        let name = match entity.member("name") {
            Json::Str(name) => name,
            _ => entity.key.clone(),
        };
        match entity.member("author") {
            Json::Str(author) => shown.set("display", format!("{name} by {author}")),
            _ => shown.set("display", name),
        }
    }
}
