//! The system query options of OData: $filter, $orderby, $top, $skip, $count, $select.

use super::*;

/// The system query options of OData: $filter, $orderby, $top, $skip, $count, $select.
pub struct Odata;

impl Behaviour for Odata {
    fn name(&self) -> &'static str {
        "odata"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::OneKey;
        spec.types[BOOK].paging = asking::paging(PagingStyle::Offset("$skip"), "$top", None);
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        let Some(filter) = listing.parameter("$filter").map(str::to_string) else { return };
        for term in filter.split(" and ") {
            if let Some(inner) = term.strip_prefix("contains(").and_then(|rest| rest.strip_suffix(')')) {
                let Some((member, text)) = inner.split_once(',') else { continue };
                listing.retain(world, |book| asking::compares(book, member, "contains", text.trim_matches('\'')));
                continue;
            }
            let words: Vec<&str> = term.splitn(3, ' ').collect();
            let [member, test, value] = words.as_slice() else { continue };
            let test = match *test {
                "ge" => "gte",
                "le" => "lte",
                other => other,
            };
            listing.retain(world, |book| asking::compares(book, member, test, value.trim_matches('\'')));
        }
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let asked = listing.parameter("$orderby").filter(|_| listing.of == BOOK)?;
        Some(vec![asking::worded(asked, ' ')])
    }

    fn trim(&self, _world: &World, pairs: &[(String, String)], view: View, shown: &mut Json) {
        let Some((_, names)) = pairs.iter().find(|(name, _)| name == "$select") else { return };
        if view == View::List {
            let kept: Vec<(String, Json)> = shown
                .members()
                .iter()
                .filter(|(name, _)| names.split(',').any(|wanted| wanted == name))
                .cloned()
                .collect();
            *shown = Json::Obj(kept);
        }
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        let mut whole = obj! { "@odata.context" => "https://world.example/api/$metadata#books" };
        if listing.parameter("$count") == Some("true") {
            whole.set("@odata.count", listing.matched);
        }
        whole.set("value", answer.take("books"));
        *answer = whole;
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"$filter=status eq 'open'"#,
            r#"$filter=status eq 'closed'"#,
            r#"$filter=pages gt 500"#,
            r#"$filter=pages gt 300"#,
            r#"$filter=status eq 'open' and pages gt 300"#,
            r#"$filter=contains(name,'er')"#,
            r#"$filter=status ne 'open'"#,
            r#"$orderby=pages desc"#,
            r#"$orderby=name"#,
            r#"$top=3"#,
            r#"$top=3&$skip=3"#,
            r#"$top=2&$count=true"#,
            r#"$count=true"#,
            r#"$select=id,name"#,
            r#"$select=id,name,pages&$top=2"#,
        ];
        let probes = &[
            r#"$filter=status eq 'draft'"#,
            r#"$filter=pages gt 700"#,
            r#"$filter=author eq 'Mora'"#,
            r#"$filter=status ne 'draft'"#,
            r#"$filter=contains(name,'an')"#,
            r#"$orderby=pages"#,
            r#"$orderby=author desc"#,
            r#"$top=4&$skip=4"#,
            r#"$top=5&$count=true"#,
            r#"$filter=status eq 'open'&$count=true&$top=2"#,
            r#"$select=id,status"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
