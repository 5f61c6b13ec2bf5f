//! An object inside of a book is changed member by member, however deep; null takes a member away.

use super::*;

/// An object inside of a book is changed member by member, however deep; null takes a member away.
pub struct NestedMerge;

impl Behaviour for NestedMerge {
    fn name(&self) -> &'static str {
        "nested_merge"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["options", "update_method", "forms", "nulls"]
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            book.fields.set("options", options(at));
        }
    }

    fn draft(&self, _world: &World, of: usize, at: usize, body: &mut Json) {
        if of == BOOK {
            body.set("options", options(at));
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        let Some(sent) = write.sent.get("options") else { return };
        if write.of == BOOK
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let mut held = world.entities[BOOK][at].member("options");
            if held == Json::Null {
                held = Json::Obj(Vec::new());
            }
            merge(&mut held, sent);
            world.entities[BOOK][at].fields.set("options", held);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let capture = [
            (1, obj! { "language" => "sv" }),
            (2, obj! { "print" => obj! { "size" => 14_i64 } }),
            (2, obj! { "print" => obj! { "bold" => true }, "language" => "da" }),
            (4, obj! { "language" => Json::Null }),
            (4, obj! { "print" => obj! { "size" => 16_i64 }, "cover" => "hard" }),
        ];
        let probe = [
            (3, obj! { "print" => obj! { "size" => 10_i64 } }),
            (0, obj! { "language" => "no" }),
            (0, obj! { "language" => Json::Null, "print" => obj! { "bold" => false } }),
        ];
        let books = acting::books(recorder, &[0, 1, 2, 3, 4]);
        for (at, options) in acting::of_phase(phase, &capture, &probe) {
            if let Some(book) = books.get(*at) {
                recorder.update(BOOK, book.parent.as_deref(), &book.key, obj! { "options" => options.clone() });
            }
        }
    }
}

/// The options of the `at`-th book.
fn options(at: usize) -> Json {
    let print = obj! { "bold" => at.is_multiple_of(2), "size" => 10 + at % 3 };
    obj! { "language" => ["en", "pt", "nl"][at % 3], "print" => print }
}

/// Sets what is sent in what is held.
fn merge(held: &mut Json, sent: &Json) {
    for (name, value) in sent.members() {
        match (held.get_mut(name), value) {
            (_, Json::Null) => {
                held.take(name);
            }
            (Some(inner @ Json::Obj(_)), Json::Obj(_)) => merge(inner, value),
            _ => held.set(name, value.clone()),
        }
    }
}
