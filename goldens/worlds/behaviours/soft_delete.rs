//! A delete hides a book from lists and marks it; restoring brings it back.

use super::*;

/// A delete hides a book from lists and marks it; restoring brings it back.
pub struct SoftDelete;

impl Behaviour for SoftDelete {
    fn name(&self) -> &'static str {
        "soft_delete"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["delete_effect", "plain_routes"]
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            shown.set("stage", if entity.hidden { "deleted" } else { "active" });
        }
    }

    fn remove(&self, world: &mut World, of: usize, index: usize) -> bool {
        if of == BOOK {
            world.entities[BOOK][index].hidden = true;
        }
        of == BOOK
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let item = request.path.strip_suffix("/restore").filter(|_| request.method == "POST")?;
        let Route::Item(BOOK, parent, key) = world.route(item) else { return None };
        let Some(index) = world.find(BOOK, parent.as_deref(), &key) else {
            return Some(world.absent("POST", BOOK, &key));
        };
        world.entities[BOOK][index].hidden = false;
        Some(Response::json(200, &Json::Obj(Vec::new())))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Writes => [1, 2],
            Phase::ProbeCrud => [3, 4],
            _ => return,
        };
        let books = recorder.world.keys(BOOK);
        for (parent, key) in range.into_iter().filter_map(|at| books.get(at)) {
            recorder.delete(BOOK, parent.as_deref(), key);
            let path = recorder.world.item_path(BOOK, parent.as_deref(), key);
            recorder.wait(1_500);
            recorder.send(Request::new("POST", &format!("{path}/restore")));
            recorder.look(BOOK, parent.as_deref(), key);
        }
    }
}
