//! _start and _end, _sort and _order, q and suffixes, as a JSON file server has them.

use super::*;

/// _start and _end, _sort and _order, q and suffixes, as a JSON file server has them.
pub struct StartEnd;

impl Behaviour for StartEnd {
    fn name(&self) -> &'static str {
        "start_end"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].paging = None;
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        for (name, value) in listing.pairs.clone() {
            let (member, test) = match name.rsplit_once('_') {
                Some((member, test @ ("gte" | "lte" | "ne"))) if !member.is_empty() => (member.to_string(), test),
                Some((member, "like")) => (member.to_string(), "icontains"),
                _ => (name.clone(), "eq"),
            };
            if ["status", "author", "pages", "name"].contains(&member.as_str()) {
                listing.retain(world, |book| asking::compares(book, &member, test, &value));
            } else if name == "q" {
                listing.retain(world, |book| {
                    ["name", "author", "note", "status"]
                        .iter()
                        .any(|held| asking::compares(book, held, "icontains", &value))
                });
            }
        }
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let member = listing.parameter("_sort").filter(|_| listing.of == BOOK)?;
        let down = listing.parameter("_order") == Some("DESC");
        Some(vec![if down { OrderKey::down(member) } else { OrderKey::by(member) }])
    }

    fn wrap_list(&self, _world: &mut World, listing: &Listing, answer: &mut Json) {
        if listing.of != BOOK {
            return;
        }
        let bound = |name: &str| listing.parameter(name).and_then(|text| text.parse::<usize>().ok());
        if let (Some(start), Some(end)) = (bound("_start"), bound("_end")) {
            let part = answer.elements().iter().take(end).skip(start).cloned().collect();
            *answer = Json::Arr(part);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"_start=0&_end=4"#,
            r#"_start=4&_end=8"#,
            r#"_start=2&_end=5&_sort=pages&_order=DESC"#,
            r#"_sort=name&_order=ASC"#,
            r#"_sort=pages&_order=DESC"#,
            r#"_sort=pages&_order=ASC"#,
            r#"status=open"#,
            r#"status=draft"#,
            r#"pages_gte=500"#,
            r#"pages_lte=400"#,
            r#"name_like=er"#,
            r#"status_ne=open"#,
            r#"q=castle"#,
            r#"q=OLIVE"#,
            r#"_start=20&_end=30"#,
        ];
        let probes = &[
            r#"_start=3&_end=6"#,
            r#"_start=6&_end=12"#,
            r#"_start=0&_end=3&_sort=author&_order=ASC"#,
            r#"_sort=name&_order=DESC"#,
            r#"status=closed"#,
            r#"pages_gte=300"#,
            r#"status_ne=draft"#,
            r#"name_like=AN"#,
            r#"q=bought"#,
            r#"status=open&_sort=pages&_order=ASC&_start=0&_end=2"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
