//! A search by POST whose body holds conditions, orders and a page.

use super::*;

/// A search by POST whose body holds conditions, orders and a page.
pub struct ConditionsPost;

impl Behaviour for ConditionsPost {
    fn name(&self) -> &'static str {
        "conditions_post"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["post_search"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let path = request.path.strip_suffix("/search")?;
        let Route::List(BOOK, None) = world.route(path) else { return None };
        let body = request.json()?.clone();
        let mut listing = world.listing(BOOK, None, path, Vec::new());
        for condition in body.get("filters").map(Json::elements).unwrap_or_default() {
            let text = |name: &str| condition.get(name).map(Json::text).unwrap_or_default();
            let wanted = match condition.get("value") {
                Some(list @ Json::Arr(_)) => list.elements().iter().map(Json::text).collect::<Vec<_>>().join(","),
                Some(value) => value.text(),
                None => String::new(),
            };
            let (field, operator) = (text("field"), text("operator"));
            listing.retain(world, |book| asking::compares(book, &field, &operator, &wanted));
        }
        let matched = listing.entities.len();
        let mut books: Vec<Json> =
            listing.entities.iter().map(|at| world.show(&world.entities[BOOK][*at], View::List)).collect();
        for order in body.get("sort").map(Json::elements).unwrap_or_default().iter().rev() {
            let text = |name: &str| order.get(name).map(Json::text).unwrap_or_default();
            let null = Json::Null;
            books.sort_by(|one, other| {
                let held = |book: &Json| book.get(&text("field")).unwrap_or(&null).clone();
                let by = held(one).order(&held(other));
                if text("direction") == "desc" { by.reverse() } else { by }
            });
        }
        let number = |name: &str, default: usize| {
            body.get(name).map(Json::text).and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        let (page, size) = (number("page", 1), number("pageSize", 50));
        let part: Vec<Json> = books.into_iter().skip((page - 1) * size).take(size).collect();
        let answer = obj! { "items" => Json::Arr(part), "total" => matched, "page" => page, "pageSize" => size };
        Some(Response::json(200, &answer))
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let bodies: &[&str] = match phase {
            Phase::Reads => &[
                "{}",
                r#"{"filters":[{"field":"status","operator":"eq","value":"open"}]}"#,
                r#"{"filters":[{"field":"status","operator":"eq","value":"draft"}]}"#,
                r#"{"filters":[{"field":"pages","operator":"gt","value":500}]}"#,
                r#"{"filters":[{"field":"author","operator":"in","value":["Chen","Mora"]}]}"#,
                r#"{"filters":[{"field":"name","operator":"icontains","value":"ER"}]}"#,
                r#"{"sort":[{"field":"pages","direction":"desc"}]}"#,
                r#"{"sort":[{"field":"name","direction":"asc"}]}"#,
                r#"{"page":1,"pageSize":4}"#,
                r#"{"page":2,"pageSize":4}"#,
                r#"{"page":3,"pageSize":3}"#,
                r#"{"filters":[{"field":"status","operator":"eq","value":"open"},{"field":"pages","operator":"gt","value":300}],"sort":[{"field":"pages","direction":"asc"}],"page":1,"pageSize":2}"#,
            ],
            Phase::ProbeReads => &[
                "{}",
                r#"{"filters":[{"field":"status","operator":"eq","value":"closed"}]}"#,
                r#"{"filters":[{"field":"pages","operator":"gt","value":700}]}"#,
                r#"{"filters":[{"field":"author","operator":"in","value":["Ibsen"]}]}"#,
                r#"{"sort":[{"field":"pages","direction":"asc"}]}"#,
                r#"{"sort":[{"field":"author","direction":"asc"},{"field":"pages","direction":"desc"}]}"#,
                r#"{"page":2,"pageSize":3}"#,
                r#"{"filters":[{"field":"status","operator":"eq","value":"open"}],"page":2,"pageSize":2}"#,
            ],
            Phase::Writes | Phase::ProbeCrud => &["{}"],
        };
        let path = format!("{}/search", recorder.world.list_path(BOOK, None));
        for body in bodies {
            let body = Json::parse(body).unwrap_or(Json::Null);
            recorder.send(Request::new("POST", &path).with_json(body));
        }
    }
}
