//! One call gives several books the same members: their ids beside the members, nothing in answer.

use super::*;

/// One call gives several books the same members: their ids beside the members, nothing in answer.
pub struct BatchMembers;

impl Behaviour for BatchMembers {
    fn name(&self) -> &'static str {
        "batch_members"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["batch", "plain_paths", "item", "version", "update_method", "routes", "forms", "clock"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let Route::List(BOOK, _) = world.route(&request.path) else { return None };
        if request.method != "PUT" {
            return None;
        }
        let mut body = request.json()?.clone();
        let ids = body.take("ids")?;
        for id in ids.elements() {
            if let Some(at) = world.visible(BOOK, None, &id.text())
                && let Err(refusal) = world.update(BOOK, at, body.clone())
            {
                return Some(refusal);
            }
        }
        Some(Response::empty(204))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let capture: &[(&[usize], Json)] = &[
            (&[1, 2], obj! { "status" => "closed" }),
            (&[2, 4], obj! { "author" => "Woolf" }),
            (&[0], obj! { "status" => "draft", "author" => "Eco" }),
        ];
        let probe: &[(&[usize], Json)] =
            &[(&[3, 5], obj! { "status" => "closed", "author" => "Lem" }), (&[4, 1, 0], obj! { "author" => "Sand" })];
        for (places, members) in acting::of_phase(phase, capture, probe) {
            let books = acting::books(recorder, places);
            let mut body = obj! { "ids" => Json::Arr(books.iter().map(|book| book.id.clone()).collect()) };
            for (name, value) in members.members() {
                body.set(name, value.clone());
            }
            let path = recorder.world.list_path(BOOK, None);
            recorder.wait(1_500);
            recorder.send(Request::new("PUT", &path).with_json(body));
            for book in books {
                recorder.look(BOOK, book.parent.as_deref(), &book.key);
            }
        }
    }
}
