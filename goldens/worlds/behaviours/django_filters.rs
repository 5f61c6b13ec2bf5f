//! Lookups behind two underscores, ordering, search, and a page with links.

use super::*;

/// Lookups behind two underscores, ordering, search, and a page with links.
pub struct DjangoFilters;

impl Behaviour for DjangoFilters {
    fn name(&self) -> &'static str {
        "django_filters"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].list = ListEnvelope::Counted;
        spec.types[BOOK].paging = Some(Paging {
            style: PagingStyle::Page("page", 1),
            size: "page_size",
            default_size: Some(25),
            past_end: PastEnd::Refused(404),
            links: true,
        });
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        for (name, value) in listing.pairs.clone() {
            if name == "search" {
                listing.retain(world, |book| {
                    ["name", "author"].iter().any(|member| asking::compares(book, member, "icontains", &value))
                });
            }
            let (member, test) = name.split_once("__").unwrap_or((name.as_str(), "eq"));
            if !["status", "author", "pages", "name", "note", "shelf_id"].contains(&member) {
                continue;
            }
            let test = match test {
                "isnull" => "null",
                "istartswith" => "starts",
                other => other,
            };
            if member == "shelf_id" {
                listing.retain(world, |book| book.parent.as_deref() == Some(value.as_str()));
                continue;
            }
            listing.retain(world, |book| asking::compares(book, member, test, &value));
        }
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        listing.parameter("ordering").filter(|_| listing.of == BOOK).map(asking::dashed)
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"status=open"#,
            r#"status=draft"#,
            r#"pages__gte=500"#,
            r#"pages__lt=400"#,
            r#"status__in=open,closed"#,
            r#"status__in=draft,closed"#,
            r#"name__icontains=ER"#,
            r#"note__isnull=true"#,
            r#"note__isnull=false"#,
            r#"shelf_id=1"#,
            r#"shelf_id=2"#,
            r#"search=chen"#,
            r#"search=timber"#,
            r#"ordering=-pages"#,
            r#"ordering=author,-pages"#,
            r#"page_size=4"#,
            r#"page_size=4&page=2"#,
            r#"page=2"#,
        ];
        let probes = &[
            r#"status=closed"#,
            r#"pages__gte=300"#,
            r#"pages__lt=700"#,
            r#"status__in=open,draft"#,
            r#"name__icontains=an"#,
            r#"shelf_id=3"#,
            r#"search=MORA"#,
            r#"ordering=pages"#,
            r#"ordering=name"#,
            r#"page_size=3&page=2"#,
            r#"page_size=2&page=4"#,
            r#"page_size=5&page=3"#,
            r#"status=open&ordering=-name&page_size=2"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
