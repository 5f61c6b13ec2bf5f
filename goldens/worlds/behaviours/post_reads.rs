//! Reads by POST: the query is in the body; a list, a count and a page.

use super::*;

/// Reads by POST: the query is in the body; a list, a count and a page.
pub struct PostReads;

impl Behaviour for PostReads {
    fn name(&self) -> &'static str {
        "post_reads"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["post_reads", "plain_paths"]
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let base = world.list_path(BOOK, None);
        let verb = request.path.strip_prefix(&base)?.strip_prefix('/')?.to_string();
        if request.method != "POST" || !["filter", "count", "paginate"].contains(&verb.as_str()) {
            return None;
        }
        let body = request.json().cloned().unwrap_or(Json::Obj(Vec::new()));
        let mut listing = world.listing(BOOK, None, &base, Vec::new());
        let wanted = body.get("books").cloned().unwrap_or(Json::Null);
        for (member, test) in wanted.members() {
            let any = test.get("any_").map_or(Vec::new(), |any| any.elements().to_vec());
            listing.retain(world, |book| any.contains(&book.member(member)));
        }
        let matched = listing.entities.len();
        let number = |name: &str| body.get(name).and_then(Json::number).map(|number| number as usize);
        if body.get("sort").map(Json::text).as_deref() == Some("NAME_DESC") {
            listing.entities.sort_by_key(|at| std::cmp::Reverse(world.entities[BOOK][*at].member("name").text()));
        }
        let limit = number("limit").unwrap_or(if verb == "paginate" { 4 } else { matched });
        let offset = match verb.as_str() {
            "paginate" => (number("page").unwrap_or(1).max(1) - 1) * limit,
            _ => number("offset").unwrap_or(0),
        };
        listing.entities = listing.entities.into_iter().skip(offset).take(limit).collect();
        let shown: Vec<Json> = world.entries(&listing).into_iter().map(|(_, shown)| shown).collect();
        Some(match verb.as_str() {
            "count" => Response::json(200, &matched.into()),
            "filter" => Response::json(200, &Json::Arr(shown)),
            _ => Response::json(
                200,
                &obj! {
                    "results" => Json::Arr(shown),
                    "count" => matched,
                    "limit" => limit,
                    "pages" => matched.div_ceil(limit.max(1)),
                    "page" => offset / limit.max(1) + 1,
                },
            ),
        })
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let calls: &[(&str, &str)] = match phase {
            Phase::Reads => &[
                ("filter", "{}"),
                ("filter", r#"{"limit":3}"#),
                ("filter", r#"{"limit":3,"offset":2}"#),
                ("filter", r#"{"sort":"NAME_DESC"}"#),
                ("filter", r#"{"books":{"status":{"any_":["open"]}}}"#),
                ("filter", r#"{"books":{"status":{"any_":["draft","closed"]}}}"#),
                ("filter", r#"{"books":{"author":{"any_":["Mora"]}}}"#),
                ("count", "{}"),
                ("count", r#"{"books":{"status":{"any_":["open"]}}}"#),
                ("paginate", "{}"),
                ("paginate", r#"{"page":2}"#),
                ("paginate", r#"{"page":1,"limit":3}"#),
                ("paginate", r#"{"page":2,"limit":3}"#),
                ("paginate", r#"{"page":9,"limit":3}"#),
            ],
            Phase::ProbeReads => &[
                ("filter", "{}"),
                ("filter", r#"{"limit":4,"offset":3}"#),
                ("filter", r#"{"books":{"status":{"any_":["closed"]}}}"#),
                ("filter", r#"{"books":{"author":{"any_":["Chen","Mora"]}}}"#),
                ("count", r#"{"books":{"status":{"any_":["draft"]}}}"#),
                ("paginate", r#"{"page":2,"limit":4}"#),
                ("paginate", r#"{"page":3,"limit":3}"#),
            ],
            Phase::Writes | Phase::ProbeCrud => &[("filter", "{}"), ("count", "{}")],
        };
        let base = recorder.world.list_path(BOOK, None);
        for (verb, body) in calls {
            let body = Json::parse(body).unwrap_or(Json::Null);
            recorder.send(Request::new("POST", &format!("{base}/{verb}")).with_json(body));
        }
    }

    fn look(&self, recorder: &mut Recorder, of: usize, _key: &str) {
        if of == BOOK {
            let base = recorder.world.list_path(BOOK, None);
            let empty = Json::Obj(Vec::new());
            recorder.send(Request::new("POST", &format!("{base}/filter")).with_json(empty.clone()));
            recorder.send(Request::new("POST", &format!("{base}/count")).with_json(empty));
        }
    }
}
