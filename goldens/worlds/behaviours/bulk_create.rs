//! Books are created several at a time: an array in, an array out.

use super::*;

/// Books are created several at a time: an array in, an array out.
pub struct BulkCreate;

impl Behaviour for BulkCreate {
    fn name(&self) -> &'static str {
        "bulk_create"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["bulk", "forms", "item", "routes"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let Route::List(BOOK, parent) = world.route(&request.path) else { return None };
        let Some(Json::Arr(bodies)) = request.json().filter(|_| request.method == "POST").cloned() else { return None };
        let mut made = Vec::new();
        for body in bodies {
            match world.create(BOOK, parent.clone(), body) {
                Ok(index) => made.push(world.show(&world.entities[BOOK][index], View::Created)),
                Err(refusal) => return Some(refusal),
            }
        }
        Some(Response::json(201, &Json::Arr(made)))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if !matches!(phase, Phase::Writes | Phase::ProbeCrud) {
            return;
        }
        for (_, shelf) in recorder.world.keys(SHELF).into_iter().take(2) {
            let bodies = vec![recorder.draft(BOOK, Some(&shelf)), recorder.draft(BOOK, Some(&shelf))];
            let path = recorder.world.create_path(BOOK, Some(&shelf));
            recorder.send(Request::new("POST", &path).with_json(Json::Arr(bodies)));
            let made: Vec<String> =
                recorder.world.entities[BOOK].iter().rev().take(2).map(|book| book.key.clone()).collect();
            for key in made {
                recorder.look(BOOK, Some(&shelf), &key);
            }
        }
    }
}
