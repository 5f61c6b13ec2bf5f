//! A create derives a slug of the name; later edits leave it alone.

use super::*;

/// A create derives a slug of the name; later edits leave it alone.
pub struct DerivedSlugKept;

impl Behaviour for DerivedSlugKept {
    fn name(&self) -> &'static str {
        "derived_slug_kept"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["slug"]
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && write.kind == WriteKind::Create
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let name = world.entities[BOOK][at].member("name").text();
            world.entities[BOOK][at].fields.set("slug", slug(&name));
        }
    }
}
