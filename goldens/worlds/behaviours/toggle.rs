//! An action turns a flag over, whatever it was.

use super::*;

/// An action turns a flag over, whatever it was.
pub struct Toggle;

impl Behaviour for Toggle {
    fn name(&self) -> &'static str {
        "toggle"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["action", "plain_routes"]
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            book.fields.set("checked", at % 2 == 0);
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        acting::at_create(world, write, "checked", false);
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        Some(match acting::book(world, request, "POST", "toggle")? {
            Err(absent) => absent,
            Ok(at) => {
                let book = &mut world.entities[BOOK][at];
                let on = book.member("checked") == Json::Bool(true);
                book.fields.set("checked", !on);
                Response::json(200, &obj! { "checked" => !on })
            }
        })
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        for at in acting::of_phase(phase, &[0, 1, 1, 2], &[3, 4, 4, 5]) {
            for book in acting::books(recorder, &[*at]) {
                acting::call(recorder, &book, "POST", "toggle", None);
            }
        }
    }
}
