//! A word of a fixed set spelled otherwise in the list.

use super::*;

/// A word of a fixed set spelled otherwise in the list.
pub struct StateWord;

impl Behaviour for StateWord {
    fn name(&self) -> &'static str {
        "state_word"
    }

    fn show(&self, _world: &World, entity: &Entity, view: View, shown: &mut Json) {
        if view == View::List && entity.of == BOOK {
            let word = match shown.get("status").map(Json::text).as_deref() {
                Some("open") => "running",
                Some("draft") => "waiting",
                _ => "done",
            };
            shown.set("status", word);
        }
    }
}
