//! A sent text is stored without the spaces around it; a key is its lower case.

use super::*;

/// A sent text is stored without the spaces around it; a key is its lower case.
pub struct DerivedTrimmed;

impl Behaviour for DerivedTrimmed {
    fn name(&self) -> &'static str {
        "derived_trimmed"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["stored", "forms"]
    }

    fn draft(&self, _world: &World, of: usize, at: usize, body: &mut Json) {
        if of == BOOK
            && let Some(Json::Str(note)) = body.get("note").cloned()
        {
            body.set("note", if at.is_multiple_of(2) { format!("  {note} ") } else { note });
        }
    }

    fn prepare(&self, _world: &mut World, write: &mut Write) {
        if let Some(Json::Str(note)) = write.sent.get("note").cloned() {
            write.sent.set("note", note.trim());
        }
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            shown.set("sort_name", entity.member("name").text().to_lowercase());
        }
    }
}
