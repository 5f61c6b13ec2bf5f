//! A create derives a slug of the name; a name that is taken gets `-2`.

use super::*;

/// A create derives a slug of the name; a name that is taken gets `-2`.
pub struct SlugMadeUnique;

impl Behaviour for SlugMadeUnique {
    fn name(&self) -> &'static str {
        "slug_made_unique"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["slug", "names_unique", "plain_paths", "conflict"]
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of != BOOK || write.kind != WriteKind::Create {
            return;
        }
        let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key) else { return };
        let wanted = slug(&world.entities[BOOK][at].member("name").text());
        let taken = |slug: &str| world.entities[BOOK].iter().any(|book| book.member("slug").text() == slug);
        let free = (2..).map(|number| format!("{wanted}-{number}")).find(|slug| !taken(slug));
        let chosen = if taken(&wanted) { free.unwrap_or_default() } else { wanted };
        world.entities[BOOK][at].fields.set("slug", chosen);
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        create_again(phase, recorder);
    }
}
