//! One call does something to several books: their ids and the name of an action.

use super::*;

/// One call does something to several books: their ids and the name of an action.
pub struct BatchAction;

impl Behaviour for BatchAction {
    fn name(&self) -> &'static str {
        "batch_action"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["batch", "plain_paths", "item", "version"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        if request.method != "POST" || request.path != format!("{}/batch", world.list_path(BOOK, None)) {
            return None;
        }
        let body = request.json()?;
        let status = match body.get("action").map(Json::text).as_deref() {
            Some("close") => "closed",
            Some("reopen") => "open",
            _ => return Some(world.error(400, "no such action", "")),
        };
        let ids: Vec<String> = body.get("ids")?.elements().iter().map(Json::text).collect();
        let now = world.now;
        for id in &ids {
            if let Some(at) = world.visible(BOOK, None, id) {
                world.entities[BOOK][at].fields.set("status", status);
                world.entities[BOOK][at].updated = now;
            }
        }
        Some(Response::json(200, &obj! { "result" => "OK" }))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let capture: &[(&[usize], &str)] = &[(&[1, 2], "close"), (&[2, 4], "reopen"), (&[0], "close")];
        let probe: &[(&[usize], &str)] = &[(&[3, 5], "close"), (&[5], "reopen"), (&[0, 1, 2], "close")];
        for (places, action) in acting::of_phase(phase, capture, probe) {
            let books = acting::books(recorder, places);
            let ids = books.iter().map(|book| book.id.clone()).collect();
            let path = format!("{}/batch", recorder.world.list_path(BOOK, None));
            recorder.wait(1_500);
            recorder.send(Request::new("POST", &path).with_json(obj! { "ids" => Json::Arr(ids), "action" => *action }));
            for book in books {
                recorder.look(BOOK, book.parent.as_deref(), &book.key);
            }
        }
    }
}
