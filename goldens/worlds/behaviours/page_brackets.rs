//! Pages by number and size in bracketed names; the size and the counts two levels down.

use super::*;

/// Pages by number and size in bracketed names; the size and the counts two levels down.
pub struct PageBrackets;

impl Behaviour for PageBrackets {
    fn name(&self) -> &'static str {
        "page_brackets"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["paging", "list", "keyed"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Page("pagination[page]", 1),
            size: "pagination[pageSize]",
            default_size: Some(25),
            past_end: PastEnd::Empty,
            links: false,
        });
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of == BOOK {
            let (size, pages) = (listing.page_size(), listing.pages());
            let pagination = obj! {
                "page" => listing.page(), "pageSize" => size, "pageCount" => pages, "total" => listing.matched,
            };
            answer.set("meta", obj! { "pagination" => pagination });
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("pagination[pageSize]", "3")],
                &[("pagination[pageSize]", "3"), ("pagination[page]", "2")],
                &[("pagination[pageSize]", "3"), ("pagination[page]", "3")],
                &[("pagination[pageSize]", "2"), ("pagination[page]", "2")],
                &[("pagination[page]", "1")],
                &[("pagination[pageSize]", "3"), ("pagination[page]", "8")],
            ],
            Phase::ProbeReads => &[
                &[("pagination[pageSize]", "4"), ("pagination[page]", "2")],
                &[("pagination[pageSize]", "2"), ("pagination[page]", "4")],
                &[("pagination[pageSize]", "5")],
                &[("pagination[pageSize]", "4"), ("pagination[page]", "9")],
            ],
            Phase::Writes | Phase::ProbeCrud => {
                &[&[("pagination[pageSize]", "3")], &[("pagination[pageSize]", "3"), ("pagination[page]", "2")]]
            }
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
