//! A book gets a slug of its name when it is put online, whatever it is called later; taken offline it has none.

use super::*;

/// A book gets a slug when it is put online.
pub struct TurnedSlug;

impl Behaviour for TurnedSlug {
    fn name(&self) -> &'static str {
        "turned_slug"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["slug", "action", "plain_routes"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(Field { name: "online", kind: FieldKind::Flag, default: false.into() });
    }

    fn seed(&self, world: &mut World) {
        for book in &mut world.entities[BOOK] {
            let online = book.member("online") == Json::from(true);
            let made = if online { slug(&book.member("name").text()) } else { String::new() };
            book.fields.set("slug", made);
        }
    }

    fn draft(&self, _world: &World, _of: usize, _at: usize, body: &mut Json) {
        body.take("online");
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && write.kind == WriteKind::Create
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            world.entities[BOOK][at].fields.set("slug", "");
        }
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let (item, verb) = request.path.rsplit_once('/')?;
        let to = match (request.method.as_str(), verb) {
            ("POST", "online") => true,
            ("POST", "offline") => false,
            _ => return None,
        };
        let Route::Item(BOOK, parent, key) = world.route(item) else { return None };
        let index = world.visible(BOOK, parent.as_deref(), &key)?;
        let now = world.now;
        let book = &mut world.entities[BOOK][index];
        if book.member("online") != Json::from(to) {
            let made = if to { slug(&book.member("name").text()) } else { String::new() };
            book.fields.set("slug", made);
        }
        book.fields.set("online", to);
        book.updated = now;
        let item = world.item(BOOK, index, View::Updated, &[]);
        Some(Response::json(200, &item))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let books = match phase {
            Phase::Writes => 0..4,
            Phase::ProbeCrud => 4..7,
            _ => return,
        };
        let keys = recorder.world.keys(BOOK);
        for (parent, key) in books.filter_map(|at| keys.get(at)) {
            let path = recorder.world.item_path(BOOK, parent.as_deref(), key);
            let mut renamed = Json::Obj(Vec::new());
            renamed.set("name", format!("Book {key} anew"));
            let verbs = ["online", "", "online", "offline", "offline", "online"];
            for verb in verbs {
                recorder.wait(1_500);
                if verb.is_empty() {
                    let request = recorder.with_body(BOOK, Request::new("PATCH", &path), renamed.clone());
                    recorder.send(request);
                } else {
                    recorder.send(Request::new("POST", &format!("{path}/{verb}")));
                }
                recorder.look(BOOK, parent.as_deref(), key);
            }
        }
    }
}
