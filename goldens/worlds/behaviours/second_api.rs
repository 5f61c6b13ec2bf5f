//! The same books under a second API with another envelope and fewer members; both see every write.

use super::*;

/// The same books under a second API with another envelope and fewer members; both see every write.
pub struct SecondApi;

impl Behaviour for SecondApi {
    fn name(&self) -> &'static str {
        "second_api"
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let segments = request.segments();
        let [version, rest @ ..] = segments.as_slice() else { return None };
        if request.method != "GET" || version != "v2" {
            return None;
        }
        match rest {
            [plural] if plural == "volumes" => {
                let listing = world.listing(BOOK, None, "/api/books", Vec::new());
                let books = listing.entities.iter().map(|at| volume(world, *at)).collect();
                Some(Response::json(200, &obj! { "volumes" => Json::Arr(books), "total" => listing.matched }))
            }
            [plural, key] if plural == "volumes" => match world.visible(BOOK, None, key) {
                Some(at) => Some(Response::json(200, &obj! { "volume" => volume(world, at) })),
                None => Some(world.error(404, "no such volume", key)),
            },
            _ => None,
        }
    }

    fn slots(&self) -> &'static [&'static str] {
        &["second_api", "plain_paths"]
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Reads => 0..3,
            Phase::ProbeReads => 3..7,
            _ => return,
        };
        recorder.get("/v2/volumes");
        for (_, key) in recorder.world.keys(BOOK).into_iter().skip(range.start).take(range.len()) {
            recorder.get(&format!("/v2/volumes/{}", encode(&key)));
        }
        let missing = recorder.missing_key(BOOK);
        recorder.get(&format!("/v2/volumes/{missing}"));
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        if of == BOOK {
            recorder.get(&format!("/v2/volumes/{}", encode(key)));
            recorder.get("/v2/volumes");
        }
    }
}

fn volume(world: &World, at: usize) -> Json {
    let shown = world.show(&world.entities[BOOK][at], View::Item);
    let id = world.spec.types[BOOK].id_member;
    let members = shown.members().iter().filter(|(name, _)| name == id || name == "name" || name == "pages");
    Json::Obj(members.cloned().collect())
}
