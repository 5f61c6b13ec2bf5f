//! A list of labels of a book under its own path, replaced as a whole by an array.

use super::*;

/// A list of labels of a book under its own path, replaced as a whole by an array.
pub struct SubList;

impl Behaviour for SubList {
    fn name(&self) -> &'static str {
        "sub_list"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["sub_list", "plain_routes"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let item = request.path.strip_suffix("/labels")?;
        let Route::Item(BOOK, parent, key) = world.route(item) else { return None };
        let Some(index) = world.visible(BOOK, parent.as_deref(), &key) else {
            return Some(world.absent(&request.method, BOOK, &key));
        };
        let book = &mut world.entities[BOOK][index];
        match (request.method.as_str(), request.json()) {
            ("GET", _) => {}
            ("PUT", Some(labels @ Json::Arr(_))) => book.fields.set("labels", labels.clone()),
            _ => return None,
        }
        Some(Response::json(200, &book.member("labels")))
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            let labels = ["old", "rare", "blue"].iter().take(at % 3).map(|label| Json::from(*label)).collect();
            book.fields.set("labels", Json::Arr(labels));
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && write.kind == WriteKind::Create
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            world.entities[BOOK][at].fields.set("labels", Json::Arr(Vec::new()));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let (range, labels): (&[usize], &[&str]) = match phase {
            Phase::Reads => (&[0, 1, 2], &[]),
            Phase::ProbeReads => (&[3, 4, 5], &[]),
            Phase::Writes => (&[1, 2], &["torn", "signed", "new"]),
            Phase::ProbeCrud => (&[2, 4], &["green", "thin"]),
        };
        let books = recorder.world.keys(BOOK);
        for (parent, key) in range.iter().filter_map(|at| books.get(*at)) {
            let path = format!("{}/labels", recorder.world.item_path(BOOK, parent.as_deref(), key));
            for count in 1..=labels.len() {
                recorder.wait(1_500);
                let sent = labels.iter().take(count).map(|label| Json::from(*label)).collect();
                recorder.send(Request::new("PUT", &path).with_json(Json::Arr(sent)));
                recorder.get(&path);
                recorder.look(BOOK, parent.as_deref(), key);
            }
            recorder.get(&path);
        }
    }
}
