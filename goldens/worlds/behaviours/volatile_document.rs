//! A document with a member that moves by itself, and counts that follow the entities.

use super::*;

/// A document with a member that moves by itself, and counts that follow the entities.
pub struct VolatileDocument;

impl Behaviour for VolatileDocument {
    fn name(&self) -> &'static str {
        "volatile_document"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["volatile"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        if request.method != "GET" || request.path != format!("{}/status", world.spec.base) {
            return None;
        }
        let uptime = format!("{}.{:03}", world.now / 1_000_000 % 100_000, world.now / 1_000 % 1_000);
        let books = world.entities[BOOK].iter().filter(|book| !book.hidden).count();
        let status = obj! { "version" => "2.0", "uptime" => Json::Num(uptime), "book_count" => books };
        Some(Response::json(200, &status))
    }

    /// When the status is asked for, nobody knows beforehand.
    fn unknowable(&self, world: &World, request: &Request) -> Option<Unknowable> {
        (request.path == format!("{}/status", world.spec.base)).then_some(Unknowable::Members(&["/uptime"]))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let path = format!("{}/status", recorder.world.spec.base);
        recorder.get(&path);
        if phase == Phase::Reads {
            recorder.get(&path);
        }
    }

    fn look(&self, recorder: &mut Recorder, of: usize, _key: &str) {
        if of == BOOK {
            let path = format!("{}/status", recorder.world.spec.base);
            recorder.get(&path);
        }
    }
}
