//! Pages that begin after the entity named by its id, and a flag for more.

use super::*;

/// Pages that begin after the entity named by its id, and a flag for more.
pub struct CursorAfter;

impl Behaviour for CursorAfter {
    fn name(&self) -> &'static str {
        "cursor_after"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = None;
        // Ids that count up would be offsets by chance.
        spec.types[BOOK].id = IdKind::Token;
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        let Some(after) = listing.parameter("starting_after").map(str::to_string) else { return };
        if listing.of == BOOK
            && let Some(at) = world.entities[BOOK].iter().position(|book| book.key == after)
        {
            listing.entities.retain(|index| *index > at);
        }
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        let limit = listing.parameter("limit").and_then(|text| text.parse::<usize>().ok()).unwrap_or(10);
        let books = answer.take("books").unwrap_or(Json::Null);
        let more = books.elements().len() > limit;
        let part = books.elements().iter().take(limit).cloned().collect();
        *answer =
            obj! { "object" => "list", "data" => Json::Arr(part), "has_more" => more, "url" => listing.path.as_str() };
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let sizes: &[&str] = match phase {
            Phase::Reads => &["3", "2"],
            Phase::ProbeReads => &["4", "5"],
            Phase::Writes | Phase::ProbeCrud => &["3"],
        };
        let path = recorder.main_list(BOOK);
        if phase == Phase::Writes {
            // More books than the list shows without a size.
            let shelf = recorder.world.keys(SHELF).first().map(|(_, key)| key.clone());
            for _ in 0..3 {
                let body = recorder.draft(BOOK, shelf.as_deref());
                recorder.create(BOOK, shelf.as_deref(), body);
            }
        }
        for size in sizes {
            let mut answer = recorder.query(&path, &[("limit", size)]).value();
            for _ in 0..3 {
                let books = answer.as_ref().and_then(|body| body.get("data")).cloned().unwrap_or(Json::Null);
                let Some(last) = books.elements().last().and_then(|book| book.get("id")).map(Json::text) else { break };
                answer = recorder.query(&path, &[("limit", size), ("starting_after", &last)]).value();
            }
        }
    }
}
