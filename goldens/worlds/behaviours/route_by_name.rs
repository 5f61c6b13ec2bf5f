//! A second route to a book: by its name.

use super::*;

/// A second route to a book: by its name.
pub struct RouteByName;

impl Behaviour for RouteByName {
    fn name(&self) -> &'static str {
        "route_by_name"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["route_by_name", "names_unique"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let name = request.segments();
        let [_, plural, literal, name] = name.as_slice() else { return None };
        if request.method != "GET" || plural != world.spec.types[BOOK].plural || literal != "name" {
            return None;
        }
        let index = world.entities[BOOK]
            .iter()
            .position(|book| !book.hidden && (book.member("name").text() == *name || book.key == *name));
        Some(match index {
            Some(index) => {
                let item = world.item(BOOK, index, View::Item, &[]);
                Response::json(200, &item)
            }
            None => world.absent("GET", BOOK, name),
        })
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Reads => 0..3,
            Phase::ProbeReads => 3..6,
            _ => return,
        };
        let books = &recorder.world.entities[BOOK];
        let names: Vec<String> = range.filter_map(|at| books.get(at)).map(name_of_book).collect();
        for name in names {
            recorder.get(&by_name(recorder, &name));
        }
        recorder.get(&by_name(recorder, "Nobody"));
    }

    fn look(&self, recorder: &mut Recorder, of: usize, key: &str) {
        if of == BOOK
            && let Some(at) = recorder.world.find(BOOK, None, key)
        {
            let name = name_of_book(&recorder.world.entities[BOOK][at]);
            recorder.get(&by_name(recorder, &name));
        }
    }
}

fn name_of_book(book: &Entity) -> String {
    match book.member("name") {
        Json::Str(name) => name,
        _ => book.key.clone(),
    }
}

fn by_name(recorder: &Recorder, name: &str) -> String {
    let spec = &recorder.world.spec;
    format!("{}/{}/name/{}", spec.base, spec.types[BOOK].plural, encode(name))
}
