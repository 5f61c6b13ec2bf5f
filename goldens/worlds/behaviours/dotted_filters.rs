//! A comparison before the value, orders as member.desc, select.

use super::*;

/// A comparison before the value, orders as member.desc, select.
pub struct DottedFilters;

impl Behaviour for DottedFilters {
    fn name(&self) -> &'static str {
        "dotted_filters"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].paging = asking::paging(PagingStyle::Offset("offset"), "limit", None);
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        for (member, value) in listing.pairs.clone() {
            if !["status", "author", "pages", "name", "note"].contains(&member.as_str()) {
                continue;
            }
            let Some((test, wanted)) = value.split_once('.') else { continue };
            let (test, wanted) = match test {
                "neq" => ("ne", wanted.to_string()),
                "is" => ("null", "true".to_string()),
                "ilike" => ("icontains", wanted.trim_matches('*').to_string()),
                other => (other, wanted.trim_matches(['(', ')']).to_string()),
            };
            listing.retain(world, |book| asking::compares(book, &member, test, &wanted));
        }
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let asked = listing.parameter("order").filter(|_| listing.of == BOOK)?;
        Some(
            asked
                .split(',')
                .map(|word| match word.strip_suffix(".desc") {
                    Some(member) => OrderKey::down(member),
                    None => OrderKey::by(word.trim_end_matches(".asc")),
                })
                .collect(),
        )
    }

    fn trim(&self, _world: &World, pairs: &[(String, String)], view: View, shown: &mut Json) {
        let Some((_, names)) = pairs.iter().find(|(name, _)| name == "select") else { return };
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

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"status=eq.open"#,
            r#"status=eq.draft"#,
            r#"status=neq.open"#,
            r#"pages=gt.500"#,
            r#"pages=lte.400"#,
            r#"status=in.(open,draft)"#,
            r#"author=in.(Chen,Mora)"#,
            r#"note=is.null"#,
            r#"name=ilike.*ER*"#,
            r#"order=pages.desc"#,
            r#"order=name.asc"#,
            r#"order=author.asc,pages.desc"#,
            r#"limit=3"#,
            r#"limit=3&offset=3"#,
            r#"select=id,name"#,
        ];
        let probes = &[
            r#"status=eq.closed"#,
            r#"status=neq.draft"#,
            r#"pages=gt.300"#,
            r#"pages=lte.700"#,
            r#"status=in.(closed,draft)"#,
            r#"name=ilike.*an*"#,
            r#"order=pages.asc"#,
            r#"order=author.desc"#,
            r#"order=status.asc,pages.desc"#,
            r#"limit=4&offset=4"#,
            r#"select=id,pages"#,
            r#"status=eq.open&order=pages.desc&limit=2"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
