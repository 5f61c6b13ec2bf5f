//! An order by words that are no member: newest, oldest, longest.

use super::*;

/// An order by words that are no member: newest, oldest, longest.
pub struct OrderWords;

impl Behaviour for OrderWords {
    fn name(&self) -> &'static str {
        "order_words"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        match listing.parameter("order_by").filter(|_| listing.of == BOOK)? {
            "newest" => Some(vec![OrderKey::down("@serial")]),
            "oldest" => Some(vec![OrderKey::by("@serial")]),
            "longest" => Some(vec![OrderKey::down("pages")]),
            "title" => Some(vec![OrderKey::by("name")]),
            _ => None,
        }
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].paging = asking::paging(PagingStyle::Page("page", 1), "per_page", Some(20));
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"order_by=newest"#,
            r#"order_by=longest"#,
            r#"order_by=title"#,
            r#"order_by=oldest"#,
            r#"per_page=4"#,
            r#"per_page=4&page=2"#,
            r#"page=2"#,
            r#"order_by=title&per_page=3"#,
        ];
        let probes = &[
            r#"order_by=newest&per_page=3"#,
            r#"order_by=longest&per_page=2&page=2"#,
            r#"order_by=title&page=1&per_page=5"#,
            r#"per_page=5&page=2"#,
            r#"per_page=3&page=3"#,
            r#"order_by=oldest&per_page=2&page=4"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
