//! What a database column makes of what was sent: a flag is 0 or 1, an amount has two decimals, a day has a time.

use super::*;

/// What a database column makes of what was sent: a flag is 0 or 1, an amount has two decimals, a day has a time.
pub struct TypedColumns;

impl Behaviour for TypedColumns {
    fn name(&self) -> &'static str {
        "typed_columns"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["stored", "forms", "update_method"]
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            book.fields.set("lent", i64::from(at % 2 == 0));
            book.fields.set("price", format!("{}.50", at + 3));
            book.fields.set("due", format!("2026-05-{:02}T00:00:00Z", at + 10));
        }
    }

    fn draft(&self, _world: &World, of: usize, at: usize, body: &mut Json) {
        if of == BOOK {
            body.set("lent", at.is_multiple_of(2));
            body.set("price", Json::Num(format!("{}.5", at % 9 + 2)));
            body.set("due", format!("2026-06-{:02}", at % 20 + 10));
        }
    }

    fn prepare(&self, _world: &mut World, write: &mut Write) {
        if let (BOOK, Some(Json::Bool(lent))) = (write.of, write.sent.get("lent").cloned()) {
            write.sent.set("lent", i64::from(lent));
        }
        if let (BOOK, Some(price)) = (write.of, write.sent.get("price").and_then(Json::number)) {
            write.sent.set("price", format!("{price:.2}"));
        }
        if let (BOOK, Some(Json::Str(due))) = (write.of, write.sent.get("due").cloned()) {
            write.sent.set("due", format!("{due}T00:00:00Z"));
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            for member in ["lent", "price", "due"] {
                if let Some(value) = write.sent.get(member).cloned() {
                    world.entities[BOOK][at].fields.set(member, value);
                }
            }
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let capture = [
            (1, obj! { "lent" => true }),
            (1, obj! { "lent" => false }),
            (2, obj! { "price" => Json::Num("12.25".into()), "due" => "2026-07-01" }),
            (3, obj! { "price" => Json::Num("7".into()) }),
        ];
        let probe =
            [(0, obj! { "lent" => true, "price" => Json::Num("19.9".into()) }), (4, obj! { "due" => "2026-08-09" })];
        let books = acting::books(recorder, &[0, 1, 2, 3, 4]);
        for (at, body) in acting::of_phase(phase, &capture, &probe) {
            if let Some(book) = books.get(*at) {
                recorder.update(BOOK, book.parent.as_deref(), &book.key, body.clone());
            }
        }
    }
}
