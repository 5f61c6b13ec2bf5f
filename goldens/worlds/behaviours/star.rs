//! A book is starred and unstarred under its own path: a flag, a number that counts only turns, a list of the starred ones.

use super::*;

/// A book is starred and unstarred under its own path: a flag, a number that counts only turns, a list of the starred ones.
pub struct Star;

impl Behaviour for Star {
    fn name(&self) -> &'static str {
        "star"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["star", "plain_routes", "parent_shown"]
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            book.fields.set("starred", at % 4 == 0);
            book.fields.set("stars", at * 5 % 7 + 1);
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        acting::at_create(world, write, "starred", false);
        acting::at_create(world, write, "stars", 0_i64);
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        if request.method == "GET" && request.path == format!("{}/starred", world.spec.base) {
            let starred = world.entities[BOOK].iter().filter(|book| book.member("starred") == Json::Bool(true));
            let shown = starred.map(|book| world.show(book, View::List)).collect();
            return Some(Response::json(200, &Json::Arr(shown)));
        }
        let on = request.method == "POST";
        let found = acting::book(world, request, if on { "POST" } else { "DELETE" }, "star")?;
        Some(found.map_or_else(
            |absent| absent,
            |at| {
                let fields = &mut world.entities[BOOK][at].fields;
                let stars = fields.get("stars").and_then(Json::number).unwrap_or(0.0) as i64;
                if fields.get("starred") != Some(&Json::Bool(on)) {
                    fields.set("starred", on);
                    fields.set("stars", if on { stars + 1 } else { stars - 1 });
                }
                Response::empty(204)
            },
        ))
    }

    fn look(&self, recorder: &mut Recorder, of: usize, _key: &str) {
        if of == BOOK {
            recorder.get(&format!("{}/starred", recorder.world.spec.base));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if matches!(phase, Phase::Reads | Phase::ProbeReads) {
            recorder.get(&format!("{}/starred", recorder.world.spec.base));
        }
        let calls: &[(usize, &str)] =
            &[(1, "POST"), (2, "POST"), (2, "POST"), (1, "DELETE"), (1, "DELETE"), (0, "DELETE"), (5, "POST")];
        let probe: &[(usize, &str)] =
            &[(3, "POST"), (4, "POST"), (4, "DELETE"), (4, "POST"), (4, "POST"), (3, "DELETE")];
        for (at, method) in acting::of_phase(phase, calls, probe) {
            for book in acting::books(recorder, &[*at]) {
                acting::call(recorder, &book, method, "star", None);
            }
        }
        if matches!(phase, Phase::Writes | Phase::ProbeCrud) {
            acting::call_missing(recorder, "POST", "star", None);
        }
    }
}
