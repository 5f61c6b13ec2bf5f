//! Pages from zero in an envelope that says everything about the page; sort=member,desc.

use super::*;

/// Pages from zero in an envelope that says everything about the page; sort=member,desc.
pub struct SpringPage;

impl Behaviour for SpringPage {
    fn name(&self) -> &'static str {
        "spring_page"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = asking::paging(PagingStyle::Page("page", 0), "size", Some(20));
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let asked = listing.parameter("sort").filter(|_| listing.of == BOOK)?;
        Some(vec![asking::worded(asked, ',')])
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        let (size, page, pages) = (listing.page_size(), listing.page() - 1, listing.pages());
        let count = listing.entities.len();
        let sorted = listing.parameter("sort").is_some();
        *answer = obj! {
            "content" => answer.take("books"),
            "pageable" => obj! {
                "pageNumber" => page,
                "pageSize" => size,
                "offset" => listing.offset,
                "paged" => true,
                "sort" => obj! { "sorted" => sorted, "unsorted" => !sorted },
            },
            "totalPages" => pages,
            "totalElements" => listing.matched,
            "last" => page + 1 >= pages,
            "first" => page == 0,
            "size" => size,
            "number" => page,
            "numberOfElements" => count,
            "empty" => count == 0,
        };
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"size=4"#,
            r#"size=4&page=1"#,
            r#"size=4&page=2"#,
            r#"size=3&page=1"#,
            r#"page=0"#,
            r#"size=4&page=9"#,
            r#"sort=name,asc"#,
            r#"sort=pages,desc"#,
            r#"sort=pages"#,
            r#"sort=name,desc&size=3"#,
        ];
        let probes = &[
            r#"size=2&page=3"#,
            r#"size=5&page=1"#,
            r#"size=3&page=2"#,
            r#"sort=author,asc"#,
            r#"sort=pages,asc"#,
            r#"sort=name,desc"#,
            r#"sort=pages,desc&size=4&page=1"#,
            r#"size=6&page=7"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
