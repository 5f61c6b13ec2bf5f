//! Several books are changed by one call: an array of ids and members, an array of books in answer.

use super::*;

/// Several books are changed by one call: an array of ids and members, an array of books in answer.
pub struct BulkUpdate;

impl Behaviour for BulkUpdate {
    fn name(&self) -> &'static str {
        "bulk_update"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["bulk_update", "forms", "item", "routes", "plain_paths"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let Route::List(BOOK, _) = world.route(&request.path) else { return None };
        let Some(Json::Arr(changes)) = request.json().filter(|_| request.method == "PATCH").cloned() else {
            return None;
        };
        let mut changed = Vec::new();
        for mut change in changes {
            let key = change.take("id").map(|id| id.text()).unwrap_or_default();
            let Some(index) = world.visible(BOOK, None, &key) else { return Some(world.absent("PATCH", BOOK, &key)) };
            if let Err(refusal) = world.update(BOOK, index, change) {
                return Some(refusal);
            }
            changed.push(world.show(&world.entities[BOOK][index], View::Updated));
        }
        Some(Response::json(200, &Json::Arr(changed)))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let calls: &[(&[usize], &str)] = match phase {
            Phase::Writes => &[(&[1, 2], "closed"), (&[2, 4], "draft"), (&[1], "open")],
            Phase::ProbeCrud => &[(&[3, 5], "closed"), (&[2], "draft")],
            _ => return,
        };
        for (range, status) in calls {
            let books = recorder.world.entities[BOOK].clone();
            let chosen: Vec<&Entity> = range.iter().filter_map(|at| books.get(*at)).collect();
            let changes = chosen.iter().map(|book| obj! { "id" => book.id.clone(), "status" => *status }).collect();
            recorder.wait(1_500);
            let path = recorder.world.list_path(BOOK, None);
            recorder.send(Request::new("PATCH", &path).with_json(Json::Arr(changes)));
            for book in chosen {
                recorder.look(BOOK, book.parent.as_deref(), &book.key);
            }
        }
    }
}
