//! A shelf counts its open and its closed books; a book that is closed says when, until it is opened again.

use super::*;

/// A shelf counts its open and its closed books; a book that is closed says when, until it is opened again.
pub struct StateCounts;

impl Behaviour for StateCounts {
    fn name(&self) -> &'static str {
        "state_counts"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock", "update_method", "nulls", "forms", "plain_routes", "parent_shown"]
    }

    fn seed(&self, world: &mut World) {
        for book in &mut world.entities[BOOK] {
            let closed = book.member("status") == "closed".into();
            book.fields.set("@closed", if closed { Json::from(book.created) } else { Json::Null });
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        let now = world.now;
        if write.of == BOOK
            && write.kind != WriteKind::Delete
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let book = &mut world.entities[BOOK][at];
            let closed = book.member("status") == "closed".into();
            match (closed, book.member("@closed") == Json::Null) {
                (true, true) => book.fields.set("@closed", now),
                (false, _) => book.fields.set("@closed", Json::Null),
                _ => {}
            }
        }
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            let closed = shown.take("@closed").and_then(|at| at.text().parse::<i64>().ok());
            shown.set("closed_at", closed.map(|at| ClockFormat::Seconds.spell(at)));
        }
        if entity.of == SHELF {
            let held = |status: &str| {
                let books =
                    world.entities[BOOK].iter().filter(|book| book.parent.as_deref() == Some(entity.key.as_str()));
                books.filter(|book| book.member("status") == status.into()).count()
            };
            shown.set("open_books", held("open"));
            shown.set("closed_books", held("closed"));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let capture = [(1, "closed"), (1, "closed"), (1, "open"), (2, "closed"), (4, "draft"), (2, "draft")];
        let books = acting::books(recorder, &[0, 1, 2, 3, 4]);
        for (at, status) in acting::of_phase(phase, &capture, &[(3, "closed"), (4, "open"), (3, "open"), (0, "closed")])
        {
            if let Some(book) = books.get(*at) {
                recorder.update(BOOK, book.parent.as_deref(), &book.key, obj! { "status" => *status });
            }
        }
    }
}
