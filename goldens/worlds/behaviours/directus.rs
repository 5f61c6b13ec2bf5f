//! filter[member][_test], meta, search, sort and fields, as headless content systems have them.

use super::*;

/// filter[member][_test], meta, search, sort and fields, as headless content systems have them.
pub struct Directus;

impl Behaviour for Directus {
    fn name(&self) -> &'static str {
        "directus"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].item = ItemEnvelope::Data;
        spec.types[BOOK].paging = asking::paging(PagingStyle::Offset("offset"), "limit", Some(100));
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        for (name, value) in listing.pairs.clone() {
            if name == "search" {
                listing.retain(world, |book| {
                    ["name", "note"].iter().any(|member| asking::compares(book, member, "icontains", &value))
                });
            }
            let Some(rest) = name.strip_prefix("filter[").and_then(|rest| rest.strip_suffix(']')) else { continue };
            let Some((member, test)) = rest.split_once("][_") else { continue };
            let (test, value) = match test {
                "neq" => ("ne", value),
                "nnull" => ("null", if value == "true" { "false".into() } else { "true".into() }),
                other => (other, value),
            };
            listing.retain(world, |book| asking::compares(book, member, test, &value));
        }
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        listing.parameter("sort").filter(|_| listing.of == BOOK).map(asking::dashed)
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        let mut whole = obj! { "data" => answer.take("books") };
        match listing.parameter("meta") {
            Some("*") => whole.set("meta", obj! { "total_count" => 9_usize, "filter_count" => listing.matched }),
            Some("filter_count") => whole.set("meta", obj! { "filter_count" => listing.matched }),
            _ => {}
        }
        *answer = whole;
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"filter[status][_eq]=open"#,
            r#"filter[status][_eq]=draft"#,
            r#"filter[status][_neq]=open"#,
            r#"filter[pages][_gt]=500"#,
            r#"filter[pages][_lte]=400"#,
            r#"filter[status][_in]=open,draft"#,
            r#"filter[author][_in]=Chen,Mora"#,
            r#"filter[note][_null]=true"#,
            r#"filter[note][_nnull]=true"#,
            r#"filter[name][_contains]=an"#,
            r#"search=olive"#,
            r#"search=er"#,
            r#"sort=-pages"#,
            r#"sort=author,name"#,
            r#"limit=3"#,
            r#"limit=3&offset=3"#,
            r#"limit=2&meta=*"#,
            r#"filter[status][_eq]=open&meta=filter_count"#,
        ];
        let probes = &[
            r#"filter[status][_eq]=closed"#,
            r#"filter[status][_neq]=draft"#,
            r#"filter[pages][_gt]=300"#,
            r#"filter[pages][_lte]=700"#,
            r#"filter[status][_in]=closed,draft"#,
            r#"filter[name][_contains]=er"#,
            r#"search=castle"#,
            r#"sort=pages"#,
            r#"sort=status,-pages"#,
            r#"limit=4&offset=4"#,
            r#"limit=3&meta=*"#,
            r#"filter[status][_eq]=draft&meta=filter_count"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
