//! A GET with a query value changes the book and answers `"OK"`.

use super::*;

/// A GET with a query value changes the book and answers `"OK"`.
pub struct WriteByGet;

impl Behaviour for WriteByGet {
    fn name(&self) -> &'static str {
        "write_by_get"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["write_by_get", "plain_routes"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(Field { name: "paused", kind: FieldKind::Flag, default: false.into() });
    }

    fn draft(&self, _world: &World, _of: usize, _at: usize, body: &mut Json) {
        body.take("paused");
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let word = request.parameter("paused").filter(|_| request.method == "GET")?;
        let Route::Item(BOOK, parent, key) = world.route(&request.path) else { return None };
        let Some(index) = world.visible(BOOK, parent.as_deref(), &key) else {
            return Some(world.absent("GET", BOOK, &key));
        };
        world.entities[BOOK][index].fields.set("paused", word == "paused");
        Some(Response::json(200, &"OK".into()))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Writes => [1, 2],
            Phase::ProbeCrud => [3, 4],
            _ => return,
        };
        let books = recorder.world.keys(BOOK);
        for (parent, key) in range.into_iter().filter_map(|at| books.get(at)) {
            let path = recorder.world.item_path(BOOK, parent.as_deref(), key);
            for word in ["paused", "unpaused"] {
                recorder.query(&path, &[("paused", word)]);
                recorder.look(BOOK, parent.as_deref(), key);
            }
        }
    }
}
