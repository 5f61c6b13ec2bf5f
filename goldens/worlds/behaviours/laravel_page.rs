//! A page with from, to, last_page and links to first, last, next and previous.

use super::*;

/// A page with from, to, last_page and links to first, last, next and previous.
pub struct LaravelPage;

impl Behaviour for LaravelPage {
    fn name(&self) -> &'static str {
        "laravel_page"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = asking::paging(PagingStyle::Page("page", 1), "per_page", Some(15));
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(text) = listing.parameter("filter[name]").map(str::to_string) {
            listing.retain(world, |book| asking::compares(book, "name", "icontains", &text));
        }
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        let (size, page, last) = (listing.page_size(), listing.page(), listing.pages().max(1));
        let count = listing.entities.len();
        let url = |page: usize| format!("https://world.example{}?page={page}", listing.path);
        let from = (count > 0).then(|| Json::from(listing.offset + 1));
        let to = (count > 0).then(|| Json::from(listing.offset + count));
        *answer = obj! {
            "data" => answer.take("books"),
            "links" => obj! {
                "first" => url(1),
                "last" => url(last),
                "prev" => (page > 1).then(|| Json::from(url(page - 1))),
                "next" => (page < last).then(|| Json::from(url(page + 1))),
            },
            "meta" => obj! {
                "current_page" => page,
                "from" => from,
                "last_page" => last,
                "path" => format!("https://world.example{}", listing.path),
                "per_page" => size,
                "to" => to,
                "total" => listing.matched,
            },
        };
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"per_page=4"#,
            r#"per_page=4&page=2"#,
            r#"per_page=4&page=3"#,
            r#"per_page=3&page=2"#,
            r#"page=1"#,
            r#"per_page=4&page=9"#,
            r#"filter[name]=er"#,
            r#"filter[name]=CASTLE"#,
            r#"filter[name]=zzz"#,
            r#"filter[name]=er&per_page=2"#,
        ];
        let probes = &[
            r#"per_page=2&page=3"#,
            r#"per_page=5"#,
            r#"per_page=5&page=2"#,
            r#"per_page=3&page=3"#,
            r#"filter[name]=an"#,
            r#"filter[name]=Olive"#,
            r#"per_page=2&page=8"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
