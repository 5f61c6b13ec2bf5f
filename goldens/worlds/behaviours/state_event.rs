//! An update names an event; the book has the state that the event leads to.

use super::*;

/// An update names an event; the book has the state that the event leads to.
pub struct StateEvent;

impl Behaviour for StateEvent {
    fn name(&self) -> &'static str {
        "state_event"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["update_method", "forms", "event"]
    }

    fn prepare(&self, _world: &mut World, write: &mut Write) {
        if write.of == BOOK
            && let Some(event) = write.sent.take("state_event")
        {
            write.sent.set("status", if event == "close".into() { "closed" } else { "open" });
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let books = acting::books(recorder, &[0, 1, 2, 3, 4]);
        let capture = [(1, "close"), (1, "reopen"), (2, "close"), (4, "reopen"), (4, "close")];
        for (at, event) in acting::of_phase(phase, &capture, &[(3, "close"), (0, "close"), (3, "reopen")]) {
            if let Some(book) = books.get(*at) {
                recorder.update(BOOK, book.parent.as_deref(), &book.key, obj! { "state_event" => *event });
            }
        }
    }
}
