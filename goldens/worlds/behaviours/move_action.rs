//! A book is moved to another shelf by an action of its own.

use super::*;

/// A book is moved to another shelf by an action of its own.
pub struct MoveAction;

impl Behaviour for MoveAction {
    fn name(&self) -> &'static str {
        "move_action"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["action", "plain_routes", "routes", "parent_member", "plain_paths", "id"]
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == SHELF {
            shown.set("book_count", world.count_books(&entity.key));
        }
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let at = match acting::book(world, request, "POST", "move")? {
            Ok(at) => at,
            Err(absent) => return Some(absent),
        };
        let wanted = request.json()?.get("to_shelf_id")?.text();
        if world.visible(SHELF, None, &wanted).is_none() {
            return Some(world.absent("POST", SHELF, &wanted));
        }
        let now = world.now;
        world.entities[BOOK][at].parent = Some(wanted);
        world.entities[BOOK][at].updated = now;
        let item = world.item(BOOK, at, View::Updated, &[]);
        Some(Response::json(200, &item))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        for at in acting::of_phase(phase, &[1, 2, 4], &[0, 3]) {
            let shelves: Vec<Entity> = recorder.world.entities[SHELF].clone();
            for book in acting::books(recorder, &[*at]) {
                let other = shelves.iter().find(|shelf| Some(shelf.key.as_str()) != book.parent.as_deref());
                let Some(other) = other else { continue };
                acting::call(recorder, &book, "POST", "move", Some(obj! { "to_shelf_id" => other.id.clone() }));
                recorder.item(SHELF, None, &other.key);
            }
        }
        if let (true, Some(id)) = (
            matches!(phase, Phase::Writes | Phase::ProbeCrud),
            recorder.world.entities[SHELF].first().map(|shelf| shelf.id.clone()),
        ) {
            acting::call_missing(recorder, "POST", "move", Some(obj! { "to_shelf_id" => id }));
        }
    }
}
