//! A create whose name is taken answers the book there is, with 200.

use super::*;

/// A create whose name is taken answers the book there is, with 200.
pub struct UpsertByPost;

impl Behaviour for UpsertByPost {
    fn name(&self) -> &'static str {
        "upsert_by_post"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["names_unique", "conflict", "plain_paths"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let Route::List(BOOK, _) = world.route(&request.path) else { return None };
        let name = request.json().filter(|_| request.method == "POST")?.get("name").map(Json::text)?;
        let index = world.entities[BOOK].iter().position(|book| !book.hidden && book.member("name").text() == name)?;
        let item = world.item(BOOK, index, View::Created, &[]);
        Some(Response::json(200, &item))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        create_again(phase, recorder);
    }
}
