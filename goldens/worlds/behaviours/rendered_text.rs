//! The note is kept beside its rendering.

use super::*;

/// The note is kept beside its rendering.
pub struct RenderedText;

impl Behaviour for RenderedText {
    fn name(&self) -> &'static str {
        "rendered_text"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            let html = match entity.member("note") {
                Json::Str(note) => Json::Str(format!("<p>{note}</p>\n")),
                _ => Json::Null,
            };
            shown.set("note_html", html);
        }
    }
}
