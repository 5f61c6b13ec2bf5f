//! A search by POST as search engines have it: query, from, size, sort, and hits around the sources.

use super::*;

/// A search by POST as search engines have it: query, from, size, sort, and hits around the sources.
pub struct HitsPost;

impl Behaviour for HitsPost {
    fn name(&self) -> &'static str {
        "hits_post"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["post_search"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let path = request.path.strip_suffix("/_search")?;
        let Route::List(BOOK, None) = world.route(path) else { return None };
        let body = request.json()?.clone();
        let mut listing = world.listing(BOOK, None, path, Vec::new());
        let term = body.get("query").and_then(|query| query.get("term")).cloned().unwrap_or(Json::Null);
        for (member, value) in term.members() {
            listing.retain(world, |book| asking::compares(book, member, "eq", &value.text()));
        }
        let range = body.get("query").and_then(|query| query.get("range")).cloned().unwrap_or(Json::Null);
        for (member, bounds) in range.members() {
            for (test, value) in bounds.members() {
                listing.retain(world, |book| asking::compares(book, member, test, &value.text()));
            }
        }
        let matched = listing.entities.len();
        let mut books: Vec<Json> =
            listing.entities.iter().map(|at| world.show(&world.entities[BOOK][*at], View::List)).collect();
        for order in body.get("sort").map(Json::elements).unwrap_or_default().iter().rev() {
            for (member, direction) in order.members() {
                let null = Json::Null;
                books.sort_by(|one, other| {
                    let by = one.get(member).unwrap_or(&null).order(other.get(member).unwrap_or(&null));
                    if direction.text() == "desc" { by.reverse() } else { by }
                });
            }
        }
        let number = |name: &str, default: usize| {
            body.get(name).map(Json::text).and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        let hits: Vec<Json> = books
            .into_iter()
            .skip(number("from", 0))
            .take(number("size", 10))
            .map(|book| obj! { "_index" => "books", "_id" => book.get("id").map(|id| Json::from(id.text())), "_source" => book })
            .collect();
        let total = obj! { "value" => matched, "relation" => "eq" };
        let answer = obj! { "timed_out" => false, "hits" => obj! { "total" => total, "hits" => Json::Arr(hits) } };
        Some(Response::json(200, &answer))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let bodies: &[&str] = match phase {
            Phase::Reads => &[
                "{}",
                r#"{"query":{"term":{"status":"open"}}}"#,
                r#"{"query":{"term":{"status":"draft"}}}"#,
                r#"{"query":{"term":{"author":"Mora"}}}"#,
                r#"{"query":{"range":{"pages":{"gte":500}}}}"#,
                r#"{"query":{"range":{"pages":{"lt":400}}}}"#,
                r#"{"from":0,"size":4}"#,
                r#"{"from":4,"size":4}"#,
                r#"{"sort":[{"pages":"desc"}]}"#,
                r#"{"sort":[{"name":"asc"}]}"#,
            ],
            Phase::ProbeReads => &[
                "{}",
                r#"{"query":{"term":{"status":"closed"}}}"#,
                r#"{"query":{"term":{"author":"Chen"}}}"#,
                r#"{"query":{"range":{"pages":{"gte":300}}}}"#,
                r#"{"from":3,"size":3}"#,
                r#"{"sort":[{"pages":"asc"}],"size":2}"#,
                r#"{"sort":[{"author":"asc"},{"pages":"desc"}]}"#,
            ],
            Phase::Writes | Phase::ProbeCrud => &["{}"],
        };
        let ask = |recorder: &mut Recorder| {
            let path = format!("{}/_search", recorder.world.list_path(BOOK, None));
            for body in bodies {
                let body = Json::parse(body).unwrap_or(Json::Null);
                recorder.send(Request::new("POST", &path).with_json(body));
            }
        };
        ask(recorder);
        if phase == Phase::Writes {
            asking::between_writes(recorder, ask);
        }
    }
}
