//! Pages by a cursor that encodes the last id in base64 without padding.

use super::*;

/// Pages by a cursor that encodes the last id in base64 without padding.
pub struct CursorEncoded;

impl Behaviour for CursorEncoded {
    fn name(&self) -> &'static str {
        "cursor_encoded"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = None;
        // Ids that count up would be offsets by chance; random ones could not be told apart inside a cursor.
        spec.types[BOOK].id = IdKind::Caller;
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        let Some(after) = listing.parameter("cursor").and_then(id_of) else { return };
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
        let limit = listing.parameter("limit").and_then(|text| text.parse::<usize>().ok()).unwrap_or(50);
        let books = answer.take("books").unwrap_or(Json::Null);
        let more = books.elements().len() > limit;
        let part: Vec<Json> = books.elements().iter().take(limit).cloned().collect();
        let last = part.last().and_then(|book| book.get("id")).map(Json::text).filter(|_| more);
        *answer = obj! { "data" => Json::Arr(part), "nextCursor" => last.map(|id| Json::from(cursor_of(&id))) };
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let sizes: &[&str] = match phase {
            Phase::Reads => &["3", "2"],
            Phase::ProbeReads => &["4", "5"],
            Phase::Writes | Phase::ProbeCrud => &["3"],
        };
        let path = recorder.main_list(BOOK);
        for size in sizes {
            let mut answer = recorder.query(&path, &[("limit", size)]).value();
            for _ in 0..3 {
                let next = answer.as_ref().and_then(|body| body.get("nextCursor")).cloned().unwrap_or(Json::Null);
                if next == Json::Null {
                    break;
                }
                answer = recorder.query(&path, &[("limit", size), ("cursor", &next.text())]).value();
            }
        }
    }
}

fn cursor_of(id: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(format!("{{\"lastId\":\"{id}\",\"limit\":true}}"))
}

fn id_of(cursor: &str) -> Option<String> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(cursor).ok()?;
    Json::parse(std::str::from_utf8(&bytes).ok()?)?.get("lastId").map(Json::text)
}
