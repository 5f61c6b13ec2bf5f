//! A bare list that becomes an object with totals when a page is asked for.

use super::*;

/// A bare list that becomes an object with totals when a page is asked for.
pub struct TotalOnlyWithPage;

impl Behaviour for TotalOnlyWithPage {
    fn name(&self) -> &'static str {
        "total_only_with_page"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Page("page", 1),
            size: "page_size",
            default_size: None,
            past_end: PastEnd::Refused(400),
            links: false,
        });
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of == BOOK && listing.parameter("page").is_some() {
            let items = answer.clone();
            *answer = obj! {
                "item_count" => items.elements().len(),
                "items" => items,
                "page" => listing.page(),
                "page_count" => listing.pages(),
                "page_size" => listing.page_size(),
                "total_count" => listing.matched,
            };
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("page", "1"), ("page_size", "4")],
                &[("page", "2"), ("page_size", "4")],
                &[("page", "1"), ("page_size", "3")],
                &[("page", "3"), ("page_size", "3")],
                &[("page", "7"), ("page_size", "3")],
            ],
            Phase::ProbeReads => &[
                &[("page", "2"), ("page_size", "3")],
                &[("page", "1"), ("page_size", "5")],
                &[("page", "2"), ("page_size", "5")],
                &[("page", "9"), ("page_size", "2")],
            ],
            Phase::Writes | Phase::ProbeCrud => {
                &[&[("page", "1"), ("page_size", "4")], &[("page", "2"), ("page_size", "4")]]
            }
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
