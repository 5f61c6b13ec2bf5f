//! A book says how long its note is, in letters and in words, and shows how it begins.

use super::*;

/// A book says how long its note is, in letters and in words, and shows how it begins.
pub struct TextSize;

impl Behaviour for TextSize {
    fn name(&self) -> &'static str {
        "text_size"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["note", "nulls"]
    }

    fn draft(&self, _world: &World, of: usize, at: usize, body: &mut Json) {
        let notes = ["Torn.", "Bought with an olive kettle.", "Read twice, by the sea.", "A gift of a friend"];
        if of == BOOK && !at.is_multiple_of(5) {
            body.set("note", notes[at % 4]);
        }
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            let note = match entity.member("note") {
                Json::Str(note) => note,
                _ => String::new(),
            };
            shown.set("note_size", note.chars().count());
            shown.set("note_words", note.split_whitespace().count());
            let begin: String = note.chars().take(12).collect();
            shown.set("excerpt", if note.chars().count() > 12 { format!("{begin}…") } else { begin });
        }
    }
}
