//! A create says how many days a book stays; the book says until when.

use super::*;

/// A create says how many days a book stays; the book says until when.
pub struct Expires;

impl Behaviour for Expires {
    fn name(&self) -> &'static str {
        "expires"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["expires", "clock", "forms", "update_method", "routes", "nulls"]
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            let until = book.created + (at as i64 % 3) * 7 * 86_400_000_000;
            book.fields.set("expires_at", if at % 3 == 0 { Json::Null } else { ClockFormat::Seconds.spell(until) });
        }
    }

    fn draft(&self, _world: &World, of: usize, at: usize, body: &mut Json) {
        if of == BOOK && at > 60 && !at.is_multiple_of(3) {
            body.set("days", [7_i64, 30, 14, 60, 90][at % 5]);
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        let days = write.sent.get("days").and_then(Json::number).map(|days| days as i64);
        let until = days.map(|days| ClockFormat::Seconds.spell(world.now + days * 86_400_000_000));
        acting::at_create(world, write, "expires_at", until);
        if write.kind == WriteKind::Update
            && let Some(until) = days.map(|days| ClockFormat::Seconds.spell(world.now + days * 86_400_000_000))
            && let Some(at) = world.find(BOOK, None, &write.key).filter(|_| write.of == BOOK)
        {
            world.entities[BOOK][at].fields.set("expires_at", until);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        for days in acting::of_phase(phase, &[Some(7_i64), Some(30), None], &[Some(14), None]) {
            if let Some((_, shelf)) = recorder.world.keys(SHELF).into_iter().next() {
                let mut body = recorder.draft(BOOK, Some(&shelf));
                body.take("days");
                if let Some(days) = days {
                    body.set("days", *days);
                }
                recorder.create(BOOK, Some(&shelf), body);
            }
        }
    }
}
