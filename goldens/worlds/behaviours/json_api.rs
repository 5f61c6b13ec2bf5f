//! JSON:API: page[number], page[size], filter[member], sort, attributes under their own member.

use super::*;

/// JSON:API: page[number], page[size], filter[member], sort, attributes under their own member.
pub struct JsonApi;

impl Behaviour for JsonApi {
    fn name(&self) -> &'static str {
        "json_api"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].item = ItemEnvelope::Data;
        spec.types[BOOK].paging = asking::paging(PagingStyle::Page("page[number]", 1), "page[size]", Some(20));
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of != BOOK {
            return;
        }
        let mut attributes = shown.clone();
        let id = attributes.take("id");
        let shelf = attributes.take("shelf_id");
        let data = obj! { "type" => "shelves", "id" => shelf.map(|id| Json::from(id.text())) };
        *shown = obj! {
            "type" => "books",
            "id" => id.map(|id| Json::from(id.text())),
            "attributes" => attributes,
            "relationships" => obj! { "shelf" => obj! { "data" => data } },
        };
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        for (name, value) in listing.pairs.clone() {
            let Some(member) = name.strip_prefix("filter[").and_then(|rest| rest.strip_suffix(']')) else { continue };
            listing.retain(world, |book| asking::compares(book, member, "in", &value));
        }
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        listing.parameter("sort").filter(|_| listing.of == BOOK).map(asking::dashed)
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        let pages = listing.pages().max(1);
        let meta = obj! { "total" => listing.matched, "pages" => pages, "page" => listing.page() };
        *answer = obj! { "data" => answer.take("books"), "meta" => meta };
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"page[size]=3"#,
            r#"page[size]=3&page[number]=2"#,
            r#"page[size]=3&page[number]=3"#,
            r#"page[size]=4&page[number]=9"#,
            r#"filter[status]=open"#,
            r#"filter[status]=draft"#,
            r#"filter[author]=Mora,Chen"#,
            r#"filter[author]=Chen"#,
            r#"sort=name"#,
            r#"sort=-pages"#,
            r#"sort=status,-pages"#,
        ];
        let probes = &[
            r#"page[size]=4&page[number]=2"#,
            r#"page[size]=2&page[number]=4"#,
            r#"filter[status]=closed"#,
            r#"filter[author]=Ibsen,Mora"#,
            r#"sort=pages"#,
            r#"sort=-name"#,
            r#"sort=author,-pages"#,
            r#"filter[status]=open&sort=-pages&page[size]=2"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
