//! Several books are deleted by one call with their ids in the body.

use super::*;

/// Several books are deleted by one call with their ids in the body.
pub struct BulkDelete;

impl Behaviour for BulkDelete {
    fn name(&self) -> &'static str {
        "bulk_delete"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["bulk_delete", "plain_paths", "item"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let list = world.list_path(BOOK, None);
        if request.method != "POST" || request.path != format!("{list}/bulk-delete") {
            return None;
        }
        let ids: Vec<String> = request.json()?.get("ids")?.elements().iter().map(Json::text).collect();
        for id in &ids {
            if let Some(index) = world.visible(BOOK, None, id)
                && let Err(refusal) = world.delete(BOOK, index)
            {
                return Some(refusal);
            }
        }
        Some(Response::json(200, &obj! { "deleted" => ids.len() }))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let ranges: &[[usize; 2]] = match phase {
            Phase::Writes => &[[1, 3], [2, 4]],
            Phase::ProbeCrud => &[[2, 4]],
            _ => return,
        };
        for range in ranges {
            let books = recorder.world.entities[BOOK].clone();
            let chosen: Vec<&Entity> = range.iter().filter_map(|at| books.get(*at)).collect();
            let ids = chosen.iter().map(|book| book.id.clone()).collect();
            let path = format!("{}/bulk-delete", recorder.world.list_path(BOOK, None));
            recorder.send(Request::new("POST", &path).with_json(obj! { "ids" => Json::Arr(ids) }));
            for book in chosen {
                recorder.look(BOOK, book.parent.as_deref(), &book.key);
            }
        }
    }
}
