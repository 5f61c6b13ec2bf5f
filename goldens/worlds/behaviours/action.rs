//! Actions on a book that set a member: archive and unarchive.

use super::*;

/// Actions on a book that set a member: archive and unarchive.
pub struct Action;

impl Behaviour for Action {
    fn name(&self) -> &'static str {
        "action"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["action", "plain_routes"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(Field { name: "archived", kind: FieldKind::Flag, default: false.into() });
    }

    fn draft(&self, _world: &World, _of: usize, _at: usize, body: &mut Json) {
        body.take("archived");
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let (item, verb) = request.path.rsplit_once('/')?;
        let value = match (request.method.as_str(), verb) {
            ("POST", "archive") => true,
            ("POST", "unarchive") => false,
            _ => return None,
        };
        let Route::Item(BOOK, parent, key) = world.route(item) else { return None };
        let Some(index) = world.visible(BOOK, parent.as_deref(), &key) else {
            return Some(world.absent("POST", BOOK, &key));
        };
        let now = world.now;
        let book = &mut world.entities[BOOK][index];
        book.fields.set("archived", value);
        book.updated = now;
        let item = world.item(BOOK, index, View::Updated, &[]);
        Some(Response::json(200, &item))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Writes => [1, 2, 5],
            Phase::ProbeCrud => [3, 4, 6],
            _ => return,
        };
        let books = recorder.world.keys(BOOK);
        for (at, (parent, key)) in range.into_iter().filter_map(|at| books.get(at)).cloned().enumerate() {
            recorder.wait(1_500);
            let path = recorder.world.item_path(BOOK, parent.as_deref(), &key);
            recorder.send(Request::new("POST", &format!("{path}/archive")));
            recorder.look(BOOK, parent.as_deref(), &key);
            if at == 0 {
                recorder.wait(1_500);
                recorder.send(Request::new("POST", &format!("{path}/unarchive")));
                recorder.look(BOOK, parent.as_deref(), &key);
            }
        }
        let missing = recorder.missing_key(BOOK);
        let path = recorder.world.item_path(BOOK, books.first().and_then(|(parent, _)| parent.as_deref()), &missing);
        recorder.send(Request::new("POST", &format!("{path}/archive")));
    }
}
