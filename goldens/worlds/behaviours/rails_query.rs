//! q[member_test], ids=1,2,3 and per_page beside page, as Rails applications have them.

use super::*;

/// q[member_test], ids=1,2,3 and per_page beside page, as Rails applications have them.
pub struct RailsQuery;

impl Behaviour for RailsQuery {
    fn name(&self) -> &'static str {
        "rails_query"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = asking::paging(PagingStyle::Page("page", 1), "per_page", Some(25));
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        for (name, value) in listing.pairs.clone() {
            if name == "ids" {
                listing.retain(world, |book| asking::compares(book, "id", "in", &value));
            }
            let Some(rest) = name.strip_prefix("q[").and_then(|rest| rest.strip_suffix(']')) else { continue };
            let Some((member, test)) = rest.rsplit_once('_') else { continue };
            let test = match test {
                "cont" => "icontains",
                "gteq" => "gte",
                "lteq" => "lte",
                "start" => "starts",
                other => other,
            };
            listing.retain(world, |book| asking::compares(book, member, test, &value));
        }
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let asked = listing.parameter("q[s]").filter(|_| listing.of == BOOK)?;
        Some(vec![asking::worded(asked, ' ')])
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        *answer = obj! {
            "books" => answer.take("books"),
            "count" => listing.entities.len(),
            "total_count" => listing.matched,
            "current_page" => listing.page(),
            "pages" => listing.pages(),
            "per_page" => listing.page_size(),
        };
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let books = recorder.world.entities[BOOK].iter().map(|book| book.id.text()).collect::<Vec<_>>();
        let ids = |chosen: &[usize]| {
            let chosen: Vec<&str> = chosen.iter().filter_map(|at| books.get(*at)).map(String::as_str).collect();
            format!("ids={}", chosen.join(","))
        };
        let (one, two, three) = (ids(&[0, 2]), ids(&[1]), ids(&[1, 3, 4]));
        let reads = &[
            "q[name_cont]=an",
            "q[name_cont]=er",
            "q[name_cont]=zzz",
            "q[status_eq]=open",
            "q[status_eq]=draft",
            "q[pages_gteq]=500",
            "q[pages_lteq]=400",
            one.as_str(),
            two.as_str(),
            "per_page=3",
            "per_page=3&page=2",
            "q[s]=pages%20desc",
            "q[s]=name%20asc",
            "q[status_eq]=open&per_page=2",
        ];
        let probes = &[
            "q[name_cont]=el",
            "q[status_eq]=closed",
            "q[pages_gteq]=300",
            "q[pages_lteq]=700",
            three.as_str(),
            "per_page=4&page=2",
            "q[s]=pages%20asc",
            "q[status_eq]=draft&per_page=2",
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
