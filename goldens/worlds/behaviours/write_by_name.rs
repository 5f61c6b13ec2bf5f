//! A book is changed and deleted by its name, too.

use super::*;

/// A book is changed and deleted by its name, too.
pub struct WriteByName;

impl Behaviour for WriteByName {
    fn name(&self) -> &'static str {
        "write_by_name"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["by_name", "names_unique", "plain_paths", "conflict_clock", "update_method", "id"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let segments = request.segments();
        let [_, plural, literal, name] = segments.as_slice() else { return None };
        if request.method == "GET" || plural != world.spec.types[BOOK].plural || literal != "name" {
            return None;
        }
        let book = world.entities[BOOK].iter().find(|book| !book.hidden && book.member("name").text() == *name);
        let Some(book) = book else { return Some(world.absent(&request.method, BOOK, name)) };
        let path = world.item_path(BOOK, book.parent.as_deref(), &book.key);
        Some(world.answer(&Request { path, ..request.clone() }))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Writes => [1, 2, 4],
            Phase::ProbeCrud => [2, 3, 5],
            _ => return,
        };
        let books = recorder.world.keys(BOOK);
        for (round, (parent, key)) in range.into_iter().filter_map(|at| books.get(at)).cloned().enumerate() {
            let Some(at) = recorder.world.find(BOOK, parent.as_deref(), &key) else { continue };
            let name = recorder.world.entities[BOOK][at].member("name").text();
            let base = &recorder.world.spec.base;
            let path = format!("{base}/books/name/{}", encode(&name));
            recorder.wait(1_500);
            if round < 2 {
                let note = format!("By name, {round}.");
                recorder.send(Request::new("PATCH", &path).with_json(obj! { "note" => note }));
            } else {
                recorder.send(Request::new("DELETE", &path));
            }
            recorder.look(BOOK, parent.as_deref(), &key);
        }
        let base = &recorder.world.spec.base;
        let path = format!("{base}/books/name/{}", if phase == Phase::Writes { "Nobody" } else { "Nothing" });
        recorder.send(Request::new("DELETE", &path));
    }
}
