//! A list and an item that embed the shelf when they are asked to.

use super::*;

/// A list and an item that embed the shelf when they are asked to.
pub struct EmbedParam;

impl Behaviour for EmbedParam {
    fn name(&self) -> &'static str {
        "embed_param"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["parent_shown", "list", "routes_list", "variant"]
    }

    fn wrap_list(&self, world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of == BOOK && listing.parameter("embed") == Some("shelf") {
            let books = answer.elements().iter().map(|book| embedded(world, book)).collect();
            *answer = Json::Arr(books);
        }
    }

    fn trim(&self, world: &World, pairs: &[(String, String)], view: View, shown: &mut Json) {
        if view == View::Item && pairs.iter().any(|(name, value)| name == "embed" && value == "shelf") {
            *shown = embedded(world, shown);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range: &[usize] = match phase {
            Phase::Reads => &[0, 1, 2],
            Phase::ProbeReads => &[3, 5, 7],
            Phase::Writes | Phase::ProbeCrud => &[0],
        };
        let ask = |recorder: &mut Recorder| {
            asking::ask(phase, recorder, &["embed=shelf"], &["embed=shelf"]);
            let books = recorder.world.keys(BOOK);
            for (parent, key) in range.iter().filter_map(|at| books.get(*at)) {
                let request = recorder.item_request(BOOK, parent.as_deref(), key).with_query(&[("embed", "shelf")]);
                recorder.send(request);
            }
        };
        ask(recorder);
        if phase == Phase::Writes {
            asking::between_writes(recorder, ask);
        }
    }
}

fn embedded(world: &World, book: &Json) -> Json {
    let mut book = book.clone();
    let Some(id) = book.get("shelf_id").map(Json::text) else { return book };
    if let Some(at) = world.find(SHELF, None, &id) {
        let shelf = world.show(&world.entities[SHELF][at], View::List);
        book.set("shelf", shelf);
    }
    book
}
