//! Expressions in one value with brackets, `&&`, a choice of values and `~`; skipTotal leaves the counts out as -1.

use super::*;

/// Expressions in one value with brackets, `&&`, a choice of values and `~`; skipTotal leaves the counts out as -1.
pub struct FilterExpression;

/// Tests by their sign, the longer signs first.
const SIGNS: &[(&str, &str)] =
    &[("!=", "ne"), (">=", "gte"), ("<=", "lte"), ("~", "icontains"), ("=", "eq"), (">", "gt"), ("<", "lt")];

fn holds(book: &Entity, term: &str) -> bool {
    let term = term.trim().trim_matches(['(', ')']);
    SIGNS.iter().find_map(|(sign, test)| Some((term.split_once(sign)?, *test))).is_some_and(
        |((member, value), test)| asking::compares(book, member.trim(), test, value.trim().trim_matches('\'')),
    )
}

impl Behaviour for FilterExpression {
    fn name(&self) -> &'static str {
        "filter_expression"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = asking::paging(PagingStyle::Page("page", 1), "perPage", Some(30));
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        let Some(text) = listing.parameter("filter").map(str::to_string) else { return };
        for part in text.split("&&") {
            listing.retain(world, |book| part.split("||").any(|term| holds(book, term)));
        }
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        listing.parameter("sort").filter(|_| listing.of == BOOK).map(asking::dashed)
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        let skipped = listing.parameter("skipTotal").is_some();
        let count = |number: usize| if skipped { Json::Num("-1".to_string()) } else { number.into() };
        *answer = obj! {
            "items" => answer.take("books"),
            "page" => listing.page(),
            "perPage" => listing.page_size(),
            "totalItems" => count(listing.matched),
            "totalPages" => count(listing.pages().max(1)),
        };
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            "filter=status='open'",
            "filter=status='draft'",
            "filter=(status='open')",
            "filter=(status='open'%20%26%26%20pages%3E300)",
            "filter=status='closed'%20%26%26%20pages%3E100",
            "filter=status='open'%20||%20status='draft'",
            "filter=status!='open'",
            "filter=pages%3E500",
            "filter=pages%3C=400",
            "filter=name~'an'",
            "filter=name~'er'",
            "perPage=3",
            "perPage=3&page=2",
            "perPage=4&skipTotal=true",
            "perPage=2&skipTotal=true",
            "sort=-pages",
            "sort=author,name",
            "filter=status='open'&sort=-pages",
        ];
        let probes = &[
            "filter=status='closed'",
            "filter=(status='draft'%20%26%26%20pages%3E200)",
            "filter=status='closed'%20||%20status='draft'",
            "filter=status!='draft'",
            "filter=pages%3E300",
            "filter=pages%3C=700",
            "filter=name~'el'",
            "perPage=4&page=2",
            "perPage=3&skipTotal=true",
            "sort=pages",
            "filter=status='closed'&perPage=2",
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
