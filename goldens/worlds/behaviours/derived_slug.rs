//! A slug of the name with a piece of the id; it follows a rename.

use super::*;

/// A slug of the name with a piece of the id; it follows a rename.
pub struct DerivedSlug;

impl Behaviour for DerivedSlug {
    fn name(&self) -> &'static str {
        "derived_slug"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["slug"]
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        let piece: String = entity.key.chars().take(4).collect();
        shown.set("natural_slug", format!("{}_{piece}", slug(&name(entity))));
    }
}

fn name(entity: &Entity) -> String {
    match entity.member("name") {
        Json::Str(name) => name,
        _ => entity.key.clone(),
    }
}
